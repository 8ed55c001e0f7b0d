package accountkey

import (
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// TestRead refuses files that are not keys, without showing what they have.
func TestRead(t *testing.T) {
	for name, text := range map[string]string{
		"other JSON": `{"type":"authorized_user","refresh_token":"hidden"}`, "text": "hidden",
		"a key of another kind": `{"type":"service_account","project_id":"p","client_email":"a@p","private_key":"hidden"}`,
	} {
		file := filepath.Join(t.TempDir(), "key.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (&Key{tokenURI: "https://oauth2.googleapis.com/token"}).Origin(); err == nil {
		t.Error("a key of Google has an origin")
	}
	if _, err := (&Key{tokenURI: "http://data.example.org:4001" + TokenPath}).Origin(); err == nil {
		t.Error("a key whose tokens come in the clear has an origin")
	}
	for uri, ok := range map[string]bool{
		"https://oauth2.googleapis.com/token": true, "http://127.0.0.1:8080" + TokenPath: true, "http://data.example.org/token": false, "ftp://data.example.org": false, "": false,
	} {
		if err := (&Key{tokenURI: uri}).CheckTokens(); (err == nil) != ok {
			t.Errorf("tokens from %q: %v", uri, err)
		}
	}
}

// TestTokensOfABusyServer expects that a failure of the token endpoint that may end is not taken for a refusal.
func TestTokensOfABusyServer(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]fault.Code{503: fault.Unavailable, 429: fault.Unavailable, 401: fault.Unauthenticated, 200: fault.Unauthenticated} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error_description": "none"}`))
		}))
		client := s.Client()
		_, err := NewTokens(&Key{Email: "a@p", tokenURI: s.URL, private: private}, client, clock.System()).Get(t.Context())
		if !fault.Is(err, want) {
			t.Errorf("a response with %d: %v, want %v", status, err, want)
		}
		s.Close()
	}
}
