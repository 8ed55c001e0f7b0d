package accountkey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
