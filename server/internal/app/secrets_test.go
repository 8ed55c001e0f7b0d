package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/secret/secrettest"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/idp"
)

// TestProviderSecretsAtRest stores a provider on a production server with a key file. Its secret is in no file of the
// data folder or a copy of it. The next start needs the key, and says so.
func TestProviderSecretsAtRest(t *testing.T) {
	dir := t.TempDir()
	data, keys := filepath.Join(dir, "data"), filepath.Join(dir, "keys")
	write := func(names ...string) {
		lines := ""
		for _, name := range names {
			lines += secrettest.Line(name) + "\n"
		}
		if err := os.WriteFile(keys, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	serve := func(more ...string) (*App, error) {
		flags := append([]string{"--project", "wiring", "--public-url", "https://wiring.example", "--trust-proxy", "--data", data}, more...)
		c, o := wiringConfig(t, config.ModeServe, flags)
		return New(t.Context(), c, o)
	}
	write("first")
	a, err := serve("--secret-key-file", keys)
	if err != nil {
		t.Fatal(err)
	}
	admin := service.Call{Project: "wiring", Admin: true}
	_, err = a.observed.state.Service.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{
		Kind: idp.Default, ID: "google.com", Body: map[string]any{"enabled": true, "clientId": "c", "clientSecret": "hunter2-hunter2"},
	})
	copied := filepath.Join(dir, "copy")
	if err == nil {
		err = a.observed.state.store.Checkpoint(t.Context(), copied)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := a.components.Close(); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{data, copied} {
		if n := countFiles(t, root, "hunter2"); n == 0 {
			t.Errorf("%s has no files", root)
		}
	}
	write("second", "first")
	for _, c := range []struct {
		name, want string
		flags      []string
		keys       []string
	}{
		{"no key", "google.com", nil, []string{"first"}},
		{"another key", "google.com", []string{"--secret-key-file", keys}, []string{"other"}},
		{"no file", "cannot be read", []string{"--secret-key-file", filepath.Join(dir, "none")}, []string{"first"}},
		{"a new key before the old one", "", []string{"--secret-key-file", keys}, []string{"second", "first"}},
		{"the new key alone", "", []string{"--secret-key-file", keys}, []string{"second"}},
	} {
		write(c.keys...)
		b, err := serve(c.flags...)
		if err == nil {
			err = b.components.Close()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("a start with %s: %v, want %q", c.name, err, c.want)
		}
	}
}

// countFiles returns the number of files below a folder, and fails if one contains a text.
func countFiles(t *testing.T, root, text string) (n int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		n++
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			t.Errorf("%s contains the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
