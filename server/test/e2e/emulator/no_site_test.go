package emulator

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app"

	"clave/server/test/e2e/harness"
)

// TestASiteThatCannotBeServed expects a development server to start if its site cannot be served, because most tests
// need no site.
func TestASiteThatCannotBeServed(t *testing.T) {
	for name, hosting := range map[string]string{
		"a web framework": `{"source": ".", "frameworksBackend": {}}`,
		"no object":       `17`,
	} {
		var notices bytes.Buffer
		a := harness.StartWith(t, app.Options{Notices: &notices}, map[string]string{"firebase.json": `{"hosting": ` + hosting + `}`})
		if !strings.Contains(notices.String(), "No site: firebase.json: hosting: ") || a.Hosting != "" {
			t.Errorf("%s: wrote %q and gave the site %q; want a word about it and none", name, &notices, a.Hosting)
		}
		res, err := http.Get("http://" + a.Firestore + "/v1/projects/p/databases/(default)/documents/c/x")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: Firestore answers %s, want 404", name, res.Status)
		}
	}
}

// TestSitesOfOtherProjects starts programs with several sites, one of which has rules that are not supported. Both
// modes serve the chosen site without these rules, and print where they are.
func TestSitesOfOtherProjects(t *testing.T) {
	dir, ports := t.TempDir(), harness.FreePorts(t, 4)
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), harness.ProductionRules)
	if err := os.MkdirAll(filepath.Join(dir, "docs", "es"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "app"), 0o700); err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, filepath.Join(dir, "app", "index.html"), "app")
	harness.WriteFile(t, filepath.Join(dir, "docs", "a.html"), "docs")
	harness.WriteFile(t, filepath.Join(dir, "docs", "es", "a.html"), "documentos")
	harness.WriteFile(t, filepath.Join(dir, ".firebaserc"), `{"targets": {"demo-sites": {"hosting": {"docs": ["docs-live"]}}, "`+harness.RealProject+`": {"hosting": {"docs": ["docs-live"]}}}}`)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(`{"firestore": {"rules": "firestore.rules"},
  "hosting": [
    {"target": "app", "public": "app"},
    {"target": "docs", "public": "docs", "cleanUrls": true, "appAssociation": "NONE", "predeploy": "false",
      "i18n": {"root": "/"},
      "redirects": [{"source": "/old/:rest*", "destination": "/:rest"}, {"source": "/{1..3}", "destination": "/a"}],
      "rewrites": [{"source": "/fn", "function": "f"}, {"source": "**/!(*.*)", "destination": "/a.html"}]}],
  "emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}}}`, ports[0], ports[1], ports[2], ports[3]))
	const place = `firebase.json:6:73: hosting[1].redirects[1]: source "/{1..3}": ranges in braces are not supported; the rule is skipped`

	p, output := startPrinted(t, dir, "--project", "demo-sites")
	if !strings.Contains(output, "firebase.json has 2 sites, of which Clave serves one: app. --only hosting:NAME chooses another: docs") {
		t.Errorf("it wrote %s, want a word about the other site", output)
	}
	if code, page := harness.Plain(t, http.MethodGet, fmt.Sprintf("http://localhost:%d/", ports[3]), ""); code != http.StatusOK || page != "app" {
		t.Errorf("the first site's page is %d %s", code, page)
	}
	p.End()

	pages := map[string]string{"/a": "200 docs", "/x/y": "200 docs", "/x.js": "404", "/old/a": "200 docs", "/fn": "501", "/2": "200 docs"}
	p, output = startPrinted(t, dir, "--project", "demo-sites", "--only", "firestore,auth,hosting:docs-live")
	if !strings.Contains(output, place) || strings.Contains(output, "2 sites") {
		t.Errorf("it wrote %s, want %q in it", output, place)
	}
	for path, want := range pages {
		code, page := harness.Plain(t, http.MethodGet, fmt.Sprintf("http://localhost:%d%s", ports[3], path), "")
		if got := fmt.Sprint(code, " ", page); !strings.HasPrefix(got, want) {
			t.Errorf("from start: GET %s: %s, want %s", path, got, want)
		}
	}
	p.End()

	address := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	p, output = harness.Printing(t, harness.ServeCommand(t, dir, nil, "--project", harness.RealProject, "--public-url", address, "--port", fmt.Sprint(ports[0]), "--only", "firestore,auth,hosting:docs"))
	if !strings.Contains(output, place) {
		t.Errorf("clave serve wrote %s, want %q in it", output, place)
	}
	for path, want := range pages {
		code, page := harness.Plain(t, http.MethodGet, address+path, "")
		if got := fmt.Sprint(code, " ", page); !strings.HasPrefix(got, want) {
			t.Errorf("from serve: GET %s: %s, want %s", path, got, want)
		}
	}
	p.End()
}
