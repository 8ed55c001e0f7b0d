package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"clave/server/app"
)

// TestASiteThatCannotBeServed expects a development server to start if its site cannot be served, because most tests
// need no site.
func TestASiteThatCannotBeServed(t *testing.T) {
	for name, hosting := range map[string]string{
		"several sites":   `[{"target": "a", "public": "pa"}, {"target": "b", "public": "pb"}]`,
		"a web framework": `{"source": ".", "frameworksBackend": {}}`,
		"i18n":            `{"public": "pa", "i18n": {"root": "/local"}}`,
	} {
		var notices bytes.Buffer
		a := startWith(t, app.Options{Notices: &notices}, map[string]string{"firebase.json": `{"hosting": ` + hosting + `}`})
		if !strings.Contains(notices.String(), "No site: firebase.json: hosting") || a.Hosting != "" {
			t.Errorf("%s: wrote %q and gave the site %q; want a word about it and none", name, &notices, a.Hosting)
		}
		if !strings.Contains(notices.String(), "hosting: ") {
			t.Errorf("%s: wrote %q", name, &notices)
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
