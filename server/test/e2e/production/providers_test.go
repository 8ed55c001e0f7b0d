package production

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestProvidersOfARunningServer adds a provider by the command while a server runs. The server has it at once, shows no
// secret, and has none in its files.
func TestProvidersOfARunningServer(t *testing.T) {
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	p := harness.Serve(t, dir, false)
	harness.WriteFile(t, filepath.Join(dir, "acme.secret"), "hunter2-of-acme")
	providers := func(args ...string) string {
		t.Helper()
		args = append([]string{"providers"}, append(args, "--project", harness.RealProject)...)
		out, err := harness.Command(t, dir, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("clave %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	providers("add", "oidc.acme", "--client-id", "c", "--issuer", "https://acme.example", "--client-secret-file", "acme.secret")
	accounts, _ := p.Admin(t, key)
	got, err := accounts.OIDCProviderConfig(t.Context(), "oidc.acme")
	if err != nil || !got.Enabled || got.ClientID != "c" || got.ClientSecret != "" || !got.CodeResponseType {
		t.Errorf("the server has %+v, %v", got, err)
	}
	if text := providers("list"); !strings.Contains(text, "oidc.acme") || !strings.Contains(text, "clientSecret") {
		t.Errorf("list printed %s", text)
	}
	if data := filepath.Join(dir, ".clave"); os.Getenv(harness.NodesVariable) == "" {
		err := filepath.WalkDir(data, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), "hunter2") {
				t.Errorf("%s has the secret", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	providers("remove", "oidc.acme")
	if _, err := accounts.OIDCProviderConfig(t.Context(), "oidc.acme"); err == nil {
		t.Error("the provider is still there")
	}
	p.Stop(t)
}
