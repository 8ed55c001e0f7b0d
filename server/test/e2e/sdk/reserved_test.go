package sdk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"clave/server/internal/app"

	"clave/server/test/e2e/harness"
)

// reservedPage is a page that loads Firebase Hosting's reserved scripts; %s follows init.js.
const reservedPage = `<!doctype html><title>page</title>
<script src="/__/firebase/12.19.0/firebase-app-compat.js"></script>
<script src="/__/firebase/12.19.0/firebase-auth-compat.js"></script>
<script src="/__/firebase/12.19.0/firebase-firestore-compat.js"></script>
<script src="/__/firebase/init.js%s"></script>`

// notes are rules under which each account may write its own note.
const notes = "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /notes/{u} { allow read, write: if request.auth.uid == u; } } }\n"

// TestReservedURLs requests a web app's configuration from a development server, and connects a page to the emulators
// with it.
func TestReservedURLs(t *testing.T) {
	a := harness.StartWith(t, app.Options{}, map[string]string{
		"firebase.json":   `{"firestore": {"rules": "firestore.rules"}, "hosting": {"public": ".", "rewrites": [{"source": "**", "destination": "/index.html"}]}}`,
		"firestore.rules": notes, "index.html": fmt.Sprintf(reservedPage, "?useEmulator=true"),
	})
	var got map[string]string
	code, text := harness.Plain(t, http.MethodGet, "http://"+a.Hosting+"/__/firebase/init.json", "")
	if err := json.Unmarshal([]byte(text), &got); err != nil || code != 200 || got["projectId"] != harness.Project || got["authDomain"] != harness.Project+".firebaseapp.com" || got["apiKey"] == "" {
		t.Errorf("init.json: %d %s", code, text)
	}
	if code, text := harness.Plain(t, http.MethodGet, "http://"+a.Hosting+"/__/firebase/other", ""); code != 404 {
		t.Errorf("a reserved path that is nothing: %d %s", code, text)
	}
	harness.InBrowser(t, "reserved.mjs", "http://"+a.Hosting+"/")
}

// TestReservedURLsInProduction connects a page to its own server by init.js, under a content security policy that
// allows no other origin.
func TestReservedURLsInProduction(t *testing.T) {
	dir := harness.ProductionFolder(t)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}, "hosting": {"public": "site", "headers": [
		{"source": "**", "headers": [{"key": "Content-Security-Policy", "value": "default-src 'self'"}]}]}}`)
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), notes)
	harness.WriteFile(t, filepath.Join(dir, "site", "index.html"), fmt.Sprintf(reservedPage, "?useEmulator=true"))
	p := harness.Serve(t, dir, true)
	harness.InBrowser(t, "reserved.mjs", p.URL+"/")
	p.Stop(t)
}
