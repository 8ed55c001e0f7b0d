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

// serveWithAcme runs a production server that has a provider of OpenID Connect twice, as oidc.acme and oidc.other, and
// without its ID tokens as oauth.acme. Its page takes the user from login_hint, waits with the parameter "wait",
// and says with "refuse" that the user refused.
func serveWithAcme(t *testing.T, secure bool, flags ...string) (*harness.Production, *openid.Server) {
	t.Helper()
	harness.Browser(t)
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	issuer := openid.New(t)
	issuer.Hinted = func(hint string) map[string]any {
		if hint == "" {
			return nil
		}
		email, unverified := strings.CutPrefix(hint, "unverified:")
		return map[string]any{"sub": email, "email": email, "email_verified": !unverified, "name": "Bob Test", "picture": "http://bob.test/bob.png"}
	}
	issuer.Break = func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		switch {
		case r.URL.Path != "/authorize":
			return false
		case q.Has("wait"):
			_, _ = w.Write([]byte("The user thinks."))
			return true
		case q.Has("refuse"):
			back := url.Values{"state": {q.Get("state")}, "error": {"access_denied"}}
			http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
			return true
		}
		return false
	}
	p := harness.Serve(t, dir, secure, flags...)
	accounts, _ := p.Admin(t, key)
	for _, id := range []string{"oidc.acme", "oidc.other"} {
		configure(t, accounts, id, issuer.URL, issuer.ClientID, issuer.ClientSecret)
	}
	config := map[string]any{"enabled": true, "clientId": issuer.ClientID, "clientSecret": issuer.ClientSecret, "oauthConfig": issuer.OAuth()}
	if code, answer := p.Request(t, http.MethodPost, harness.ToolkitPath("v2/projects/"+harness.RealProject+"/defaultSupportedIdpConfigs?idpId=oauth.acme"), accessOf(t, key), config); code != http.StatusOK {
		t.Fatalf("oauth.acme: %d %v", code, answer)
	}
	return p, issuer
}

// configure stores a provider of OpenID Connect that answers with codes.
func configure(t *testing.T, accounts *auth.Client, id, issuer, client, secret string) {
	t.Helper()
	config := (&auth.OIDCProviderConfigToCreate{}).ID(id).Enabled(true).ClientID(client).ClientSecret(secret).Issuer(issuer).CodeResponseType(true)
	if _, err := accounts.CreateOIDCProviderConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

// TestServeSignsInAtAProvider signs in at a provider of OpenID Connect with the web SDK in Chromium, against a
// production server.
func TestServeSignsInAtAProvider(t *testing.T) {
	p, issuer := serveWithAcme(t, true)
	// The page and the server are on one site, which is not the public URL's.
	harness.InBrowser(t, "provider.mjs", strings.Replace(p.URL, "127.0.0.1", "localhost", 1), issuer.URL, p.Dir)
}

// TestServeSignsInAtProvidersFromNPM signs in at two programs that are providers of OpenID Connect, with their own
// pages: oidc-provider, which is certified, and oauth2-mock-server.
func TestServeSignsInAtProvidersFromNPM(t *testing.T) {
	harness.Browser(t)
	modules := harness.ProviderModules(t)
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	p := harness.Serve(t, dir, true)
	origin := strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	accounts, _ := p.Admin(t, key)
	for i, issuer := range startProvider(t, "oidc.mjs", modules, origin+"/emulator/auth/handler") {
		configure(t, accounts, []string{"oidc.real", "oidc.mock"}[i], issuer, "clave", "secret")
	}
	harness.InBrowser(t, "idps.mjs", origin, p.Dir)
}

// TestServeSignsInWithoutGoogle signs in at a provider in three engines that refuse storage to frames of other sites,
// without Google's script.
func TestServeSignsInWithoutGoogle(t *testing.T) {
	for _, engine := range harness.Engines {
		t.Run(engine.Name, func(t *testing.T) { signInWithoutGoogle(t, engine) })
	}
}

// TestServeSignsInAtNodes does the same in Chromium at three nodes behind a balancer.
func TestServeSignsInAtNodes(t *testing.T) {
	harness.Alone(t, "TestServeSignsInWithoutGoogle has several nodes then")
	t.Setenv(harness.NodesVariable, "yes")
	signInWithoutGoogle(t, harness.Engines[0])
}

// signInWithoutGoogle signs in at a server of its own, because a client's sign-ins are limited.
func signInWithoutGoogle(t *testing.T, engine harness.Engine) {
	t.Helper()
	engine.Need(t)
	p, _ := serveWithAcme(t, true)
	harness.InBrowser(t, "popups.mjs", "serve", engine.Name, p.URL, strings.Replace(p.URL, "127.0.0.1", "localhost", 1), p.Dir)
}

// TestServePassesTheFlowsOfTheSDK goes through the flows of the web SDK's own browser tests of popups and redirects,
// with the modular and the compat SDK.
func TestServePassesTheFlowsOfTheSDK(t *testing.T) {
	// Each of the browser's windows has an address of its own, because a client's sign-ins are limited.
	p, _ := serveWithAcme(t, false, "--trust-proxy")
	harness.InBrowser(t, "flows.mjs", strings.Replace(p.URL, "127.0.0.1", "localhost", 1))
}

// TestServeSignsInWithFirebaseUI signs in with firebaseui, by the buttons of its page.
func TestServeSignsInWithFirebaseUI(t *testing.T) {
	modules := harness.ProviderModules(t)
	p, _ := serveWithAcme(t, true)
	harness.InBrowser(t, "ui.mjs", modules, strings.Replace(p.URL, "127.0.0.1", "localhost", 1), p.Dir)
}
