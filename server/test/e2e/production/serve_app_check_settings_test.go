package production

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/oauth2/google"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// accessOf returns the Authorization header of a service account.
func accessOf(t *testing.T, key []byte) string {
	t.Helper()
	source, err := google.JWTAccessTokenSourceFromJSON(key, "https://identitytoolkit.googleapis.com/")
	if err != nil {
		t.Fatal(err)
	}
	made, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + made.AccessToken
}

// TestAppCheckSettings turns App Check off and on, and registers a debug token, by the App Check API while the server
// runs. Only owners may do it.
func TestAppCheckSettings(t *testing.T) {
	harness.Parallel(t)
	dir := harness.ProductionFolder(t)
	owner, looker := accessOf(t, harness.CreateKey(t, dir, "backend")), filepath.Join(dir, "looker.json")
	if out, err := harness.Command(t, dir, "credentials", "create", "looker", "--role", "viewer", "--project", harness.RealProject, "--public-url", "https://data.example.org", "--out", looker).CombinedOutput(); err != nil {
		t.Fatalf("credentials create: %v\n%s", err, out)
	}
	key, err := os.ReadFile(looker)
	if err != nil {
		t.Fatal(err)
	}
	viewer := accessOf(t, key)
	p := harness.Serve(t, dir, false, enforced...)
	const api = "/firebaseappcheck.googleapis.com/v1/projects/" + harness.RealProject
	read := func() int {
		code, _ := p.Request(t, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents/open/none", "", nil)
		return code
	}
	if code := read(); code != http.StatusForbidden {
		t.Fatalf("a read without a token = %d, want 403", code)
	}
	firestore := api + "/services/firestore.googleapis.com?updateMask=enforcementMode"
	turn := func(mode string, want int) {
		t.Helper()
		code, answer := p.Request(t, http.MethodPatch, firestore, owner, harness.Object{"enforcementMode": mode})
		if code != http.StatusOK || answer["enforcementMode"] != mode || answer["updateTime"] == nil {
			t.Fatalf("the mode %s: %d %v", mode, code, answer)
		}
		wait.Until(t, "a read without a token has another answer", func() bool { return read() == want })
	}
	turn("UNENFORCED", http.StatusNotFound)
	turn("ENFORCED", http.StatusForbidden)
	for authorization, want := range map[string]int{viewer: http.StatusForbidden, "Bearer owner": http.StatusUnauthorized, "": http.StatusForbidden} {
		if code, answer := p.Request(t, http.MethodPatch, firestore, authorization, harness.Object{"enforcementMode": "OFF"}); code != want {
			t.Errorf("%.20q turns App Check off: %d %v, want %d", authorization, code, answer, want)
		}
		if code, answer := p.Request(t, http.MethodGet, api+"/services", authorization, nil); code != want {
			t.Errorf("%.20q lists the services: %d %v, want %d", authorization, code, answer, want)
		}
	}
	if code, answer := p.Request(t, http.MethodPatch, api+"/services/firebasestorage.googleapis.com", owner, harness.Object{"enforcementMode": "ENFORCED"}); code != http.StatusNotImplemented {
		t.Errorf("a service that is not protected: %d %v, want 501", code, answer)
	}
	if code, answer := p.Request(t, http.MethodGet, api+"/services", owner, nil); code != http.StatusOK || len(answer["services"].([]any)) != 2 {
		t.Errorf("the services: %d %v", code, answer)
	}

	const secret = "123e4567-e89b-42d3-a456-426614174000"
	exchange := func() int {
		code, _ := p.Request(t, http.MethodPost, api+"/apps/"+checkedApp+":exchangeDebugToken?key=k", "", harness.Object{"debugToken": secret})
		return code
	}
	tokens := api + "/apps/" + checkedApp + "/debugTokens"
	if code, answer := p.Request(t, http.MethodPost, tokens, viewer, harness.Object{"displayName": "ci", "token": secret}); code != http.StatusForbidden {
		t.Errorf("a viewer registers a debug token: %d %v", code, answer)
	}
	code, made := p.Request(t, http.MethodPost, tokens, owner, harness.Object{"displayName": "ci", "token": secret})
	name, _ := made["name"].(string)
	if code != http.StatusOK || made["token"] != nil || !strings.Contains(name, "/debugTokens/") || exchange() != http.StatusOK {
		t.Fatalf("a debug token: %d %v; its exchange answers %d", code, made, exchange())
	}
	if code, answer := p.Request(t, http.MethodPatch, "/firebaseappcheck.googleapis.com/v1/"+name+"?updateMask=displayName", owner, harness.Object{"displayName": "laptop"}); code != http.StatusOK || answer["displayName"] != "laptop" {
		t.Errorf("renaming it: %d %v", code, answer)
	}
	if code, answer := p.Request(t, http.MethodGet, tokens, owner, nil); code != http.StatusOK || len(answer["debugTokens"].([]any)) != 1 {
		t.Errorf("the debug tokens: %d %v", code, answer)
	}
	if code, answer := p.Request(t, http.MethodDelete, "/firebaseappcheck.googleapis.com/v1/"+name, owner, nil); code != http.StatusOK || exchange() != http.StatusForbidden {
		t.Errorf("removing it: %d %v; its exchange answers %d", code, answer, exchange())
	}
	p.Stop(t)
}
