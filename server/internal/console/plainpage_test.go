package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPlainPage writes a page with two commands and a character of HTML, and compares its policy with its style.
func TestPlainPage(t *testing.T) {
	w := httptest.NewRecorder()
	writePlainPage(w, http.StatusUnauthorized, "Open <one> with the link that clave console prints. make bin/clave builds it.")
	if got, want := w.Code, http.StatusUnauthorized; got != want {
		t.Errorf("status = %d, want %d", got, want)
	}
	for _, want := range []string{"Open &lt;one&gt;", "<code>clave console</code>", "<code>make bin/clave</code>", "<style>" + plainStyle + "</style>", `<link rel="icon" href="data:,">`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page %q lacks %q", w.Body, want)
		}
	}
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "style-src 'sha256-"+styleHash()+"'") {
		t.Errorf("policy = %q, without the hash of the style", got)
	}
}
