package sdk

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestPopupAndRedirect signs in with a fake provider's account through the web SDK's signInWithPopup and
// signInWithRedirect.
func TestPopupAndRedirect(t *testing.T) {
	harness.InBrowser(t, "popup.mjs", "http://"+harness.Start(t, nil).Auth)
}

// TestPopupsInEngines signs in by popup and by redirect in three engines, at a site that the development server serves:
// for a redirect, WebKit requires one origin, with the port.
func TestPopupsInEngines(t *testing.T) {
	for _, engine := range harness.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			engine.Need(t)
			dir := t.TempDir()
			config, own := filepath.Join(dir, "firebase.json"), ""
			if err := os.Mkdir(filepath.Join(dir, "site"), 0o700); err != nil {
				t.Fatal(err)
			}
			harness.WriteFile(t, config, `{"hosting": {"public": "site"}}`)
			a := harness.Start(t, nil, "--config", config)
			if _, port, err := net.SplitHostPort(a.Hosting); err == nil { // of several nodes, none has a site here
				own = "http://localhost:" + port
			}
			harness.InBrowser(t, "popups.mjs", "start", engine.Name, "http://"+a.Auth, own, dir)
		})
	}
}

// TestSignInPagesAreSafe requests the handler with HTML markup as the provider, at Auth's port and at the site's, which
// has none of the emulator's other routes.
func TestSignInPagesAreSafe(t *testing.T) {
	a := harness.Start(t, map[string]string{"firebase.json": `{"hosting": {"public": "."}}`})
	for _, tt := range []struct {
		path string
		want int
	}{
		{"handler?apiKey=k&providerId=%3Cscript%3Ealert(1)%3C/script%3E", 200}, {"handler?apiKey=k", 400}, {"handler", 400},
		{"iframe?apiKey=k&appName=a", 200}, {"popups.js", 200}, {"other", 404},
	} {
		for _, at := range []string{a.Auth, a.Hosting} {
			if at == "" {
				continue // Several nodes have no site here.
			}
			code, page := harness.Plain(t, http.MethodGet, "http://"+at+"/emulator/auth/"+tt.path, "")
			if code != tt.want || strings.Contains(page, "<script>alert") {
				t.Errorf("%s at %s: %d, %s; want %d and the provider as text", tt.path, at, code, page, tt.want)
			}
		}
	}
	if a.Hosting == "" {
		return
	}
	for _, path := range []string{"/emulator/v1/projects/" + harness.Project + "/oobCodes", "/emulator/action?mode=resetPassword&oobCode=c"} {
		if code, text := harness.Plain(t, http.MethodGet, "http://"+a.Hosting+path, ""); code != http.StatusNotFound {
			t.Errorf("the site has %s: %d %s", path, code, text)
		}
	}
}
