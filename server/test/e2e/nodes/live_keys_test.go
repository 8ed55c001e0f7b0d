package nodes

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2/google"
	"google.golang.org/grpc/codes"

	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// TestKeysOfARunningServer creates, lists and revokes keys of service accounts while the server runs. A key works from
// its creation; its revocation refuses its tokens and ends its open streams, and no others.
func TestKeysOfARunningServer(t *testing.T) {
	harness.Alone(t, "clave credentials works on a data folder")
	dir := harness.ProductionFolder(t)
	kept := harness.CreateKey(t, dir, "backend")
	p := harness.Serve(t, dir, false)
	lost := harness.CreateKey(t, dir, "reporting")
	testRevocation(t, p, kept, lost, func(words ...string) string { return keysCommand(t, dir, words...) })
}

// TestKeysOfRunningNodes does the same with nodes on PostgreSQL, at the follower.
func TestKeysOfRunningNodes(t *testing.T) {
	store := pgtest.New(t).Database()
	leader := newServingNode(t, store, "open")
	leader.await("Clave ready")
	follower := newServingNode(t, store, "open")
	follower.await("Follower: ")
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{}`)
	t.Setenv("CLAVE_STORE", store)
	kept, lost := harness.CreateKey(t, dir, "backend"), harness.CreateKey(t, dir, "reporting")
	testRevocation(t, follower.Production, kept, lost, func(words ...string) string { return keysCommand(t, dir, words...) })
}

// keysCommand runs `clave credentials`, which must succeed, and returns its output.
func keysCommand(t *testing.T, dir string, words ...string) string {
	t.Helper()
	out, err := harness.Command(t, dir, append(append([]string{"credentials"}, words...), "--project", harness.RealProject)...).CombinedOutput()
	if err != nil {
		t.Fatalf("clave credentials %v: %v\n%s", words, err, out)
	}
	return string(out)
}

// bearerOf returns an Authorization header by a service account's key for a service of Google's.
func bearerOf(t *testing.T, key []byte, service string) string {
	t.Helper()
	source, err := google.JWTAccessTokenSourceFromJSON(key, "https://"+service+".googleapis.com/")
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + token.AccessToken
}

// testRevocation revokes one of two keys and checks the effect on both.
func testRevocation(t *testing.T, p *harness.Production, kept, lost []byte, keys func(words ...string) string) {
	t.Helper()
	bearer := func(key []byte) string { return bearerOf(t, key, "firestore") }
	read := func(authorization string) int {
		code, _ := p.Request(t, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents/secret/x", authorization, nil)
		return code
	}
	if all := keys("list"); !strings.Contains(all, "backend@") || !strings.Contains(all, "reporting@") {
		t.Errorf("the list of keys lacks one:\n%s", all)
	}
	for name, key := range map[string][]byte{"first": kept, "second": lost} {
		if code := read(bearer(key)); code != http.StatusNotFound {
			t.Errorf("a read with the %s key: %d, want 404", name, code)
		}
	}
	ended := p.Listen(t, "x", strings.TrimPrefix(bearer(lost), "Bearer "))
	going := p.Listen(t, "x", strings.TrimPrefix(bearer(kept), "Bearer "))
	if out := keys("revoke", "reporting"); !strings.Contains(out, "Revoked key") {
		t.Errorf("revoke printed %q", out)
	}
	if code := read(bearer(lost)); code != http.StatusUnauthorized {
		t.Errorf("a read with the revoked key: %d, want 401", code)
	}
	select {
	case code := <-ended:
		if code != codes.Unauthenticated {
			t.Errorf("the stream of the revoked key ended with %v, want UNAUTHENTICATED", code)
		}
	case <-time.After(30 * time.Second):
		t.Error("the stream of the revoked key continues")
	}
	if code := read(bearer(kept)); code != http.StatusNotFound {
		t.Errorf("a read with the other key: %d, want 404", code)
	}
	select {
	case code := <-going:
		t.Errorf("a stream of the other key ended with %v", code)
	default:
	}
	if all := keys("list"); strings.Contains(all, "reporting@") {
		t.Errorf("the list has the revoked key:\n%s", all)
	}
}
