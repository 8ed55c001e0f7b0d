package production

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/test/e2e/harness"
)

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
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	ctx := t.Context()
	p := harness.Serve(t, dir, true)
	accounts, documents := p.Admin(t, key)
	if _, err := accounts.CreateUser(ctx, (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"mine/ana", "mine/eve"} {
		if _, err := documents.Doc(path).Set(ctx, map[string]any{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	signedIn := p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
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
	ben := p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k", map[string]any{"token": custom, "returnSecureToken": true})
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
		if err := p.Read(t, tt.token, tt.document); status.Code(err) != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	p.Stop(t)

	p = harness.Serve(t, dir, true)
	accounts, documents = p.Admin(t, key)
	if u, err := accounts.GetUserByEmail(ctx, "ana@example.org"); err != nil || u.UID != "ana" {
		t.Errorf("after a restart GetUserByEmail = %v, %v", u, err)
	}
	if d, err := documents.Doc("mine/ana").Get(ctx); err != nil || d.Data()["n"] != int64(1) {
		t.Errorf("after a restart the document is %v, %v", d, err)
	}
	if id, err := accounts.VerifyIDToken(ctx, token); err != nil || id.UID != "ana" {
		t.Errorf("after a restart VerifyIDToken = %v, %v: the keys must be kept", id, err)
	}
	if code, answer := p.Request(t, http.MethodPost, "/securetoken.googleapis.com/v1/token?key=k", "",
		map[string]any{"grant_type": "refresh_token", "refresh_token": text(t, signedIn, "refreshToken")}); code != 200 {
		t.Errorf("after a restart the session's refresh answers %d %v", code, answer)
	}
	p.Stop(t)

	if out, err := harness.Command(t, dir, "credentials", "revoke", "backend", "--project", harness.RealProject).CombinedOutput(); err != nil {
		t.Fatalf("credentials revoke: %v\n%s", err, out)
	}
	p = harness.Serve(t, dir, true)
	accounts, documents = p.Admin(t, key)
	if _, err := accounts.GetUser(ctx, "ana"); err == nil {
		t.Error("a revoked key still reads accounts")
	}
	if _, err := documents.Doc("mine/ana").Get(ctx); err == nil {
		t.Error("a revoked key still reads documents")
	}
}
