package production

import (
	"bufio"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
)

// TestServeSignsInWithSAML signs in at samlp, a SAML provider from npm, with the web SDK in Chromium, against a
// production server. The provider of the project is added by the command, that of a tenant by the Admin SDK.
func TestServeSignsInWithSAML(t *testing.T) {
	harness.Browser(t)
	modules := harness.ProviderModules(t)
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	certificate := writeCertificate(t, dir)
	page := startProvider(t, "samlp.mjs", modules, filepath.Join(dir, "idp.key"), filepath.Join(dir, "idp.cert"))[0]
	p := harness.Serve(t, dir, false)

	add := func(id string, more ...string) {
		t.Helper()
		args := append([]string{"providers", "add", id, "--project", harness.RealProject, "--idp-entity-id", page + "/metadata", "--sso-url", page + "/sso", "--certificate-file", "idp.cert", "--sp-entity-id", "clave-of-the-test"}, more...)
		out, err := harness.Command(t, dir, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "clave-of-the-test") {
			t.Fatalf("clave %v: %v\n%s", args, err, out)
		}
	}
	add("saml.corp")
	add("saml.some", "--email-domain", "other.example") // It does not prove the addresses of its users.
	accounts, _ := p.Admin(t, key)
	tenant, err := accounts.TenantManager.CreateTenant(t.Context(), (&auth.TenantToCreate{}).DisplayName("corp"))
	if err != nil {
		t.Fatal(err)
	}
	owner, err := accounts.TenantManager.AuthForTenant(tenant.ID)
	if err != nil {
		t.Fatal(err)
	}
	config := (&auth.SAMLProviderConfigToCreate{}).ID("saml.tenant").Enabled(true).IDPEntityID(page + "/metadata").SSOURL(page + "/sso").X509Certificates([]string{certificate}).
		RPEntityID("another-client").CallbackURL(strings.Replace(p.URL, "127.0.0.1", "localhost", 1) + "/__/auth/handler")
	if _, err := owner.CreateSAMLProviderConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	harness.InBrowser(t, "saml.mjs", strings.Replace(p.URL, "127.0.0.1", "localhost", 1), page, tenant.ID)
}

// writeCertificate creates a key and its certificate in a folder, as idp.key and idp.cert, and returns the certificate.
func writeCertificate(t *testing.T, dir string) string {
	t.Helper()
	const bits = 2048
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "idp"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	harness.WriteFile(t, filepath.Join(dir, "idp.cert"), certificate)
	harness.WriteFile(t, filepath.Join(dir, "idp.key"), string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	return certificate
}

// startProvider starts a script of web with providers from npm, and returns the words that it prints first, their
// origins. It ends with the test.
func startProvider(t *testing.T, script string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join("web", script)}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // The test's context, which is done before, has killed it.
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("web/%s did not start: %v\n%s", script, err, stderr.String())
	}
	return strings.Fields(line)
}
