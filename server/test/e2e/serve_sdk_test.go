package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	firebase "firebase.google.com/go/v4"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/firebaseconn"
	pb "clave/server/internal/model/wire/firestorepb"
)

// keyOrigin is the public URL in the keys. No machine of the test has this name.
const keyOrigin = "https://data.example.org"

// createKey creates a service account's key with `clave credentials` and returns the file's content.
func createKey(t *testing.T, dir, name string) []byte {
	t.Helper()
	return createKeyFor(t, dir, name, keyOrigin)
}

// createKeyFor does the same for a server at an origin.
func createKeyFor(t *testing.T, dir, name, origin string) []byte {
	t.Helper()
	file := filepath.Join(dir, name+".json")
	cmd := command(t, dir, "credentials", "create", name, "--project", realProject, "--public-url", origin, "--out", file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("credentials create: %v\n%s", err, out)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// byGoogle replaces a key's token_uri by Google's, whose connections the test also leads to the server.
func byGoogle(key []byte) []byte {
	return bytes.ReplaceAll(key, []byte(keyOrigin+"/oauth2.googleapis.com/token"), []byte("https://oauth2.googleapis.com/token"))
}

// admin returns the Admin SDK's clients of a running server, signed in with a key.
func (p *production) admin(t *testing.T, key []byte) (*auth.Client, *firestore.Client) {
	t.Helper()
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "")
	t.Setenv("FIRESTORE_EMULATOR_HOST", "")
	restore, err := firebaseconn.Route(firebaseconn.Options{URL: p.url, RootCAs: p.roots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
	key = byGoogle(key)
	app, err := firebase.NewApp(t.Context(), &firebase.Config{ProjectID: realProject}, option.WithAuthCredentialsJSON(option.ServiceAccount, key),
		option.WithEndpoint(strings.TrimPrefix(p.url, "https://")),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: p.roots}))))
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := app.Auth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documents, err := app.Firestore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = documents.Close() })
	return accounts, documents
}

// read reads a document over gRPC with a user's token.
func (p *production) read(t *testing.T, token, document string) error {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(p.url, "https://"), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: p.roots})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
	in := &pb.GetDocumentRequest{Name: "projects/" + realProject + "/databases/(default)/documents/" + document}
	return conn.Invoke(ctx, "/google.firestore.v1.Firestore/GetDocument", in, &pb.Document{})
}

// forged returns a token with another subject and the same signature.
func forged(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	claims := make(map[string]any)
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	claims["sub"], claims["user_id"] = "eve", "eve"
	raw, err = json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return parts[0] + "." + base64.RawURLEncoding.EncodeToString(raw) + "." + parts[2]
}

// text returns a string field of an answer. If it is missing, the test fails.
func text(t *testing.T, answer map[string]any, name string) string {
	t.Helper()
	value, _ := answer[name].(string)
	if value == "" {
		t.Fatalf("no %s in %v", name, answer)
	}
	return value
}

// TestServeWithTheAdminSDK runs a production server with TLS and signed tokens, and calls it by the Admin SDK with a
// key from the command line. The test restarts the server, and finally revokes the key.
func TestServeWithTheAdminSDK(t *testing.T) {
	dir := productionFolder(t)
	key := createKey(t, dir, "backend")
	ctx := t.Context()
	p := serve(t, dir, true)
	accounts, documents := p.admin(t, key)
	if _, err := accounts.CreateUser(ctx, (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"mine/ana", "mine/eve"} {
		if _, err := documents.Doc(path).Set(ctx, map[string]any{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	signedIn := p.call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
	token := text(t, signedIn, "idToken")
	if id, err := accounts.VerifyIDToken(ctx, token); err != nil || id.UID != "ana" {
		t.Errorf("VerifyIDToken = %v, %v; want ana", id, err)
	}
	if id, err := accounts.VerifyIDToken(ctx, forged(t, token)); err == nil {
		t.Errorf("VerifyIDToken accepted a forged token: %v", id)
	}
	custom, err := accounts.CustomToken(ctx, "ben")
	if err != nil {
		t.Fatal(err)
	}
	ben := p.call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k", map[string]any{"token": custom, "returnSecureToken": true})
	for _, tt := range []struct {
		name, token, document string
		want                  codes.Code
	}{
		{"her own", token, "mine/ana", codes.OK},
		{"another user's", token, "mine/eve", codes.PermissionDenied},
		{"a forged token", forged(t, token), "mine/eve", codes.Unauthenticated},
		{"the owner's token", "owner", "mine/ana", codes.Unauthenticated},
		{"by custom token", text(t, ben, "idToken"), "mine/ben", codes.NotFound},
	} {
		if err := p.read(t, tt.token, tt.document); status.Code(err) != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	p.stop(t)

	p = serve(t, dir, true)
	accounts, documents = p.admin(t, key)
	if u, err := accounts.GetUserByEmail(ctx, "ana@example.org"); err != nil || u.UID != "ana" {
		t.Errorf("after a restart GetUserByEmail = %v, %v", u, err)
	}
	if d, err := documents.Doc("mine/ana").Get(ctx); err != nil || d.Data()["n"] != int64(1) {
		t.Errorf("after a restart the document is %v, %v", d, err)
	}
	if id, err := accounts.VerifyIDToken(ctx, token); err != nil || id.UID != "ana" {
		t.Errorf("after a restart VerifyIDToken = %v, %v: the keys must be kept", id, err)
	}
	if code, answer := p.request(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", "",
		map[string]any{"grant_type": "refresh_token", "refresh_token": text(t, signedIn, "refreshToken")}); code != 200 {
		t.Errorf("after a restart the session's refresh answers %d %v", code, answer)
	}
	p.stop(t)

	if out, err := command(t, dir, "credentials", "revoke", "backend", "--project", realProject).CombinedOutput(); err != nil {
		t.Fatalf("credentials revoke: %v\n%s", err, out)
	}
	p = serve(t, dir, true)
	accounts, documents = p.admin(t, key)
	if _, err := accounts.GetUser(ctx, "ana"); err == nil {
		t.Error("a revoked key still reads accounts")
	}
	if _, err := documents.Doc("mine/ana").Get(ctx); err == nil {
		t.Error("a revoked key still reads documents")
	}
}
