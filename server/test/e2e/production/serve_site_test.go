package production

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/openid"
)

// builtSite copies the built site into a folder and changes its project, as a build with VITE_FIREBASE_PROJECT_ID does.
// The page of sign-ins offers a provider, as a build with VITE_ACCESO_GOOGLE does.
func builtSite(t *testing.T, dist, dir, provider string) {
	t.Helper()
	made := 0
	err := filepath.WalkDir(dist, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(dist, name)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rest)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		made += bytes.Count(file, []byte("demo-fundacion"))
		if rest == "LogIn.html" {
			file = bytes.Replace(file, []byte("</title>"), []byte(`</title><meta name="acceso-google" content="`+provider+`" />`), 1)
		}
		return os.WriteFile(target, bytes.ReplaceAll(file, []byte("demo-fundacion"), []byte(harness.RealProject)), 0o600)
	})
	if err != nil || made == 0 {
		t.Fatalf("copy %s: %v; %d times the demo project", dist, err, made)
	}
}

// TestServeTheSite drives the foundation's site in Chromium. A production server with TLS serves it, with the back
// office behind it. A provider signs in a stranger, and then the administrator who signed up with a password.
func TestServeTheSite(t *testing.T) {
	harness.Browser(t)
	frontend := harness.Frontend(t, "dist/index.html")
	harness.ShareStore(t)
	dir := t.TempDir()
	for from, to := range map[string]string{"firebase.json": "firebase.json", "firestore.rules": "firestore.rules", "firestore.indexes.json": "firestore.indexes.json"} {
		file, err := os.ReadFile(filepath.Join(frontend, "..", from))
		if err != nil {
			t.Fatal(err)
		}
		harness.WriteFile(t, filepath.Join(dir, to), string(file))
	}
	const provider = "oidc.acme"
	builtSite(t, filepath.Join(frontend, "dist"), filepath.Join(dir, "frontend", "dist"), provider)
	key := harness.CreateKey(t, dir, "auditor")
	issuer := openid.New(t)
	issuer.User = func() map[string]any {
		if issuer.Reads("/authorize") > 1 {
			return map[string]any{"sub": "u-2", "email": "ana@example.org", "email_verified": true}
		}
		return map[string]any{"sub": "u-1", "email": "otra@example.org", "email_verified": true}
	}
	p := serveWithBackOffice(t, dir, true)
	accounts, _ := p.Admin(t, key)
	config := (&auth.OIDCProviderConfigToCreate{}).ID(provider).Enabled(true).ClientID(issuer.ClientID).ClientSecret(issuer.ClientSecret).Issuer(issuer.URL).CodeResponseType(true)
	if _, err := accounts.CreateOIDCProviderConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	harness.InBrowser(t, "serve.mjs", p.URL, signupCode)
	p.Stop(t)
}
