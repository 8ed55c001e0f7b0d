package e2e

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPopupAndRedirect signs in with a made-up account of a provider by the web SDK's signInWithPopup and signInWithRedirect.
func TestPopupAndRedirect(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is too slow for -short")
	}
	frontend, err := filepath.Abs("../../frontend")
	if err != nil {
		t.Fatal(err)
	}
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	for _, name := range []string{filepath.Join(frontend, "node_modules", "playwright-core"), chromium} {
		if _, err := os.Stat(name); err != nil {
			t.Skipf("%s is missing: make test installs it", name)
		}
	}
	addresses := start(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("web", "popup.mjs"), frontend, "http://"+addresses.Auth)
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("web/popup.mjs: %v\n%s", err, out)
	}
}

// TestSignInPagesAreSafe asks for the handler with a provider that is markup.
func TestSignInPagesAreSafe(t *testing.T) {
	addresses := start(t, nil)
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
