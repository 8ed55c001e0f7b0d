package production

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/test/e2e/harness"
)

// enforced are the flags that enforce App Check for both products.
var enforced = []string{"--app-check", "firestore=enforce,auth=enforce"}

// checkedApp is the id of the tests' app.
const checkedApp = "1:123456789:web:abcdef"

// TestAppCheckWithTheNodeAdminSDK issues, verifies and uses App Check tokens with firebase-admin.
func TestAppCheckWithTheNodeAdminSDK(t *testing.T) {
	for _, sdk := range harness.SdksOf {
		t.Run(sdk.Name, func(t *testing.T) {
			harness.Parallel(t)
			project := harness.AdminProject(t, sdk.Folder)
			dir := harness.ProductionFolder(t)
			p := harness.Serve(t, dir, true, enforced...)
			harness.CreateKeyFor(t, dir, "backend", p.URL)
			p.RunAdmin(t, project, "appcheck.mjs", filepath.Join(dir, "backend.json"))
			p.Stop(t)
		})
	}
}

// debugTokenOf registers a debug token by the command, while a server runs.
func debugTokenOf(t *testing.T, dir string) string {
	t.Helper()
	out, err := harness.Command(t, dir, "appcheck", "add", checkedApp, "--name", "a test", "--project", harness.RealProject).Output()
	if err != nil {
		t.Fatalf("clave appcheck add: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestAppCheckWithTheWebSDK uses the web SDK's providers in Chromium.
func TestAppCheckWithTheWebSDK(t *testing.T) {
	harness.Browser(t)
	dir := harness.ProductionFolder(t)
	p := harness.Serve(t, dir, false, enforced...)
	secret := debugTokenOf(t, dir)
	harness.InBrowser(t, "appcheck.mjs", strings.Replace(p.URL, "127.0.0.1", "localhost", 1), secret)
}

// TestAppCheckIsEnforced exchanges a debug token and calls Firestore over gRPC with it and without it, until the
// command has removed the token.
func TestAppCheckIsEnforced(t *testing.T) {
	harness.Parallel(t)
	dir := harness.ProductionFolder(t)
	p := harness.Serve(t, dir, false, enforced...)
	secret := debugTokenOf(t, dir)
	exchange := func(query string) (int, string) {
		t.Helper()
		answer, err := p.Client.Post(p.URL+"/firebaseappcheck.googleapis.com/v1/projects/"+harness.RealProject+"/apps/"+checkedApp+":exchangeDebugToken"+query, "application/json", strings.NewReader(`{"debug_token": "`+secret+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	if code, text := exchange(""); code != http.StatusForbidden || !strings.Contains(text, "valid API key") {
		t.Errorf("an exchange without an API key = %d %s", code, text)
	}
	code, text := exchange("?key=k")
	_, rest, _ := strings.Cut(text, `"token":"`)
	token, _, _ := strings.Cut(rest, `"`)
	if code != http.StatusOK || strings.Count(token, ".") != 2 || !strings.Contains(text, `"ttl":"3600s"`) {
		t.Fatalf("the exchange = %d %s", code, text)
	}
	conn, err := grpc.NewClient(strings.TrimPrefix(p.URL, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const database = "projects/" + harness.RealProject + "/databases/(default)"
	for header, want := range map[string]codes.Code{token: codes.NotFound, token + "x": codes.PermissionDenied, "": codes.PermissionDenied, strings.Repeat("x", 7<<10): codes.PermissionDenied} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "google-cloud-resource-prefix", database)
		if header != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "x-firebase-appcheck", header)
		}
		err := conn.Invoke(ctx, "/google.firestore.v1.Firestore/GetDocument", &pb.GetDocumentRequest{Name: database + "/documents/open/nothing"}, new(pb.Document))
		if status.Code(err) != want {
			t.Errorf("a call with the token %.20q = %v, want %v", header, err, want)
		}
	}
	list, err := harness.Command(t, dir, "appcheck", "list", "--project", harness.RealProject).Output()
	fields := strings.Fields(string(list))
	if err != nil || len(fields) < 8 || fields[4] != checkedApp || strings.Contains(string(list), secret) {
		t.Fatalf("clave appcheck list = %v\n%s", err, list)
	}
	if out, err := harness.Command(t, dir, "appcheck", "remove", checkedApp, fields[5], "--project", harness.RealProject).CombinedOutput(); err != nil {
		t.Fatalf("clave appcheck remove: %v\n%s", err, out)
	}
	if code, text := exchange("?key=k"); code != http.StatusForbidden || !strings.Contains(text, "App attestation failed.") {
		t.Errorf("the exchange of a removed debug token = %d %s", code, text)
	}
	p.Stop(t)
}
