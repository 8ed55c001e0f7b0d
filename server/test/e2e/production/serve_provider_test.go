package production

import (
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/openid"
)

// TestServeSignsInAtAProvider signs in at a provider of OpenID Connect with the web SDK in Chromium, against a
// production server.
func TestServeSignsInAtAProvider(t *testing.T) {
	harness.Browser(t)
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	issuer := openid.New(t)
	p := harness.Serve(t, dir, false)
	accounts, _ := p.Admin(t, key)
	acme := (&auth.OIDCProviderConfigToCreate{}).ID("oidc.acme").Enabled(true).ClientID(issuer.ClientID).ClientSecret(issuer.ClientSecret).Issuer(issuer.URL).CodeResponseType(true)
	if _, err := accounts.CreateOIDCProviderConfig(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	// The page and the server are on one site, which is not the public URL's.
	harness.InBrowser(t, "provider.mjs", strings.Replace(p.URL, "127.0.0.1", "localhost", 1), issuer.URL)
}
