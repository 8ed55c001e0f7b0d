package production

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/openid"
)

// serveWithAcme runs a production server with TLS that has a provider of OpenID Connect, oidc.acme, whose users refuse a
// sign-in with the parameter "refuse".
func serveWithAcme(t *testing.T) (*harness.Production, *openid.Server) {
	t.Helper()
	harness.Browser(t)
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	issuer := openid.New(t)
	issuer.Break = func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		if r.URL.Path != "/authorize" || q.Get("refuse") == "" {
			return false
		}
		back := url.Values{"state": {q.Get("state")}, "error": {"access_denied"}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
		return true
	}
	p := harness.Serve(t, dir, true)
	accounts, _ := p.Admin(t, key)
	acme := (&auth.OIDCProviderConfigToCreate{}).ID("oidc.acme").Enabled(true).ClientID(issuer.ClientID).ClientSecret(issuer.ClientSecret).Issuer(issuer.URL).CodeResponseType(true)
	if _, err := accounts.CreateOIDCProviderConfig(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	return p, issuer
}

// TestServeSignsInAtAProvider signs in at a provider of OpenID Connect with the web SDK in Chromium, against a
// production server.
func TestServeSignsInAtAProvider(t *testing.T) {
	p, issuer := serveWithAcme(t)
	// The page and the server are on one site, which is not the public URL's.
	harness.InBrowser(t, "provider.mjs", strings.Replace(p.URL, "127.0.0.1", "localhost", 1), issuer.URL, p.Dir)
}

// TestServeSignsInWithoutGoogle does the same in three engines that refuse storage to frames of other sites, without
// Google's script.
func TestServeSignsInWithoutGoogle(t *testing.T) {
	p, _ := serveWithAcme(t)
	for _, engine := range harness.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			engine.Need(t)
			harness.InBrowser(t, "popups.mjs", engine.Name, p.URL, p.Dir)
		})
	}
}
