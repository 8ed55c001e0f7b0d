package sdk

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestPopupAndRedirect signs in with a fake provider's account through the web SDK's signInWithPopup and
// signInWithRedirect.
func TestPopupAndRedirect(t *testing.T) {
	harness.InBrowser(t, "popup.mjs", "http://"+harness.Start(t, nil).Auth)
}

// TestSignInPagesAreSafe requests the handler with HTML markup as the provider.
func TestSignInPagesAreSafe(t *testing.T) {
	addresses := harness.Start(t, nil)
	for _, tt := range []struct {
		path string
		want int
	}{
		{"/emulator/auth/handler?apiKey=k&providerId=%3Cscript%3Ealert(1)%3C/script%3E", 200}, {"/emulator/auth/handler?apiKey=k", 400},
		{"/emulator/auth/handler", 400}, {"/emulator/auth/iframe?apiKey=k&appName=a", 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addresses.Auth+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.want || strings.Contains(string(page), "<script>alert") {
			t.Errorf("%s: %d, %v, %s; want %d and the provider as text", tt.path, resp.StatusCode, err, page, tt.want)
		}
	}
}
