package idp_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/fault"
)

// form returns an encoded body of pairs of names and values.
func form(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// where is the address to which the providers of the tests redirect.
const where = "http://localhost"

// verify returns what the fake providers assert by a request.
func verify(t *testing.T, requestURI, body, pending string) (*idp.Assertion, error) {
	t.Helper()
	return idp.Fakes{}.Verify(t.Context(), account.Scope{Project: "p"}, idp.Credential{RequestURI: requestURI, PostBody: body, PendingToken: pending})
}

func TestFakes(t *testing.T) {
	const ann = `{"sub":"7","email":"Ann@Example.com","email_verified":"true","name":"Ann"}`
	const saml = `{"assertion":{"subject":{"nameId":"Ann@Example.com"},"attributeStatements":{"role":"editor"}}}`
	for _, c := range []struct {
		name, uri, body, pending string
		raw, email, shown        string
		verified                 bool
	}{
		{"ID token in the body", where, form("providerId", "google.com", "id_token", ann), "", "7", "ann@example.com", "ann@example.com", true},
		{"pending token", where, "", form("providerId", "google.com", "id_token", ann), "7", "ann@example.com", "ann@example.com", true},
		{"fragment of the address", where + "#" + form("providerId", "google.com", "access_token", ann), "", "", "7", "ann@example.com", "ann@example.com", true},
		{"address not confirmed", where, form("providerId", "facebook.com", "id_token", `{"sub":"7","email":"ann@example.com"}`), "", "7", "ann@example.com", "ann@example.com", false},
		{"no address", where, form("providerId", "github.com", "id_token", `{"sub":"7"}`), "", "7", "", "", false},
		{"SAML", where, form("providerId", "saml.x", "SAMLResponse", saml), "", "Ann@Example.com", "ann@example.com", "Ann@Example.com", true},
	} {
		a, err := verify(t, c.uri, c.body, c.pending)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p := a.Provider; p.RawID != c.raw || p.Email != c.email || a.Address != c.shown || a.Verified != c.verified {
			t.Errorf("%s: user %q, address %q (%q), verified %t; want %q, %q (%q), %t", c.name, p.RawID, p.Email, a.Address, a.Verified, c.raw, c.email, c.shown, c.verified)
		}
	}
}

func TestFakesRefuse(t *testing.T) {
	for _, c := range []struct{ name, uri, body, want string }{
		{"no address", "nowhere", form("providerId", "google.com"), "INVALID_REQUEST_URI"},
		{"no provider", where, form("id_token", `{"sub":"7"}`), "INVALID_CREDENTIAL_OR_PROVIDER_ID"},
		{"no credential", where, form("providerId", "google.com"), "INVALID_CREDENTIAL_OR_PROVIDER_ID"},
		{"no JSON", where, form("providerId", "google.com", "id_token", "x"), "INVALID_IDP_RESPONSE"},
		{"a user with NUL", where, form("providerId", "google.com", "id_token", `{"sub":"7\u0000x"}`), "INVALID_IDP_RESPONSE"},
		{"a provider with NUL", where, form("providerId", "google.com\x00x", "id_token", `{"sub":"7"}`), "INVALID_IDP_RESPONSE"},
		{"no user", where, form("providerId", "google.com", "id_token", "{}"), "INVALID_IDP_RESPONSE"},
		{"invalid address", where, form("providerId", "google.com", "id_token", `{"sub":"7","email":"ann"}`), "INVALID_EMAIL"},
		{"SAML without a subject", where, form("providerId", "saml.x", "SAMLResponse", `{"assertion":{}}`), "INVALID_IDP_RESPONSE"},
	} {
		if _, err := verify(t, c.uri, c.body, ""); err == nil || !strings.HasPrefix(fault.FromError(err).Message, c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestFill(t *testing.T) {
	read := func() *idp.Assertion {
		a, err := verify(t, where, form("providerId", "google.com", "id_token", `{"sub":"7","email":"ann@example.com","email_verified":true,"name":"Ann"}`), "")
		if err != nil {
			t.Fatal(err)
		}
		a.Names = true
		return a
	}
	other := "Another name"
	u := account.User{DisplayName: &other, Providers: []account.Provider{{ProviderID: "google.com", RawID: "6"}, {ProviderID: "github.com", RawID: "1"}}}
	read().Fill(&u, false)
	if u.Email != "ann@example.com" || !u.EmailVerified || *u.DisplayName != other || len(u.Providers) != 2 || u.Provider("google.com").RawID != "7" {
		t.Errorf("Fill: %+v; want the address, the own name, and 7 instead of 6", u)
	}
	u = account.User{}
	read().Fill(&u, true)
	if u.Email != "" || u.DisplayName == nil || *u.DisplayName != "Ann" {
		t.Errorf("Fill where addresses are not unique: %+v; want no address, the provider's name", u)
	}
}

func TestCheckConfig(t *testing.T) {
	saml := func(certificates ...any) map[string]any {
		return map[string]any{
			"idpConfig": map[string]any{"idpEntityId": "x", "ssoUrl": "https://x", "idpCertificates": certificates}, "spConfig": map[string]any{"spEntityId": "y"},
		}
	}
	const oauth = "oauth"
	oauthConfig := func(more map[string]any) map[string]any {
		of := map[string]any{"authorizationUrl": "https://x.example/a?b=c", "tokenUrl": "https://x.example/t", "userInfoUrl": "https://x.example/u", "scopes": []any{"a"}}
		maps.Copy(of, more)
		return map[string]any{"clientId": "c", "clientSecret": "s", "oauthConfig": of}
	}
	for _, c := range []struct {
		name, kind string
		config     map[string]any
		want       string
	}{
		{"OIDC", idp.OIDC, map[string]any{"clientId": "x", "issuer": "https://x"}, ""},
		{"OIDC without an issuer", idp.OIDC, map[string]any{"clientId": "x"}, "MISSING_ISSUER"},
		{"codes without a secret", idp.OIDC, map[string]any{"clientId": "x", "issuer": "https://x", "responseType": map[string]any{"code": true}}, "MISSING_OAUTH_CLIENT_SECRET"},
		{"SAML", idp.SAML, saml("c"), ""},
		{"SAML without certificates", idp.SAML, saml(), "MISSING_CONFIG"},
		{"OAuth 2", oauth, oauthConfig(nil), ""},
		{"OAuth 2 without a client", oauth, map[string]any{"clientSecret": "s"}, "MISSING_OAUTH_CLIENT_ID"},
		{"OAuth 2 without a secret", oauth, map[string]any{"clientId": "c"}, "MISSING_OAUTH_CLIENT_SECRET"},
		{"OAuth 2 without addresses", oauth, map[string]any{"clientId": "c", "clientSecret": "s"}, "MISSING_CONFIG : oauthConfig.authorizationUrl"},
		{"OAuth 2 without encryption", oauth, oauthConfig(map[string]any{"introspectionUrl": "http://x.example"}), "INVALID_CONFIG : oauthConfig.introspectionUrl"},
		{"OAuth 2 with a script", oauth, oauthConfig(map[string]any{"authorizationUrl": "javascript:alert(1)"}), "INVALID_CONFIG : oauthConfig.authorizationUrl"},
		{"OAuth 2 with a fragment", oauth, oauthConfig(map[string]any{"tokenUrl": "https://x.example/#a"}), "INVALID_CONFIG : oauthConfig.tokenUrl"},
		{"OAuth 2 with two scopes in one", oauth, oauthConfig(map[string]any{"scopes": []any{"a b"}}), "INVALID_CONFIG : oauthConfig.scopes"},
		{"OAuth 2 with many scopes", oauth, oauthConfig(map[string]any{"scopes": slices.Repeat([]any{"a"}, 51)}), "INVALID_CONFIG : oauthConfig.scopes"},
		{"OAuth 2 with an unknown field", oauth, oauthConfig(map[string]any{"userInfoMembers": map[string]any{"verified": "v"}}), `INVALID_CONFIG : oauthConfig: unknown field "verified"`},
		{"OAuth 2 with a number", oauth, oauthConfig(map[string]any{"tokenUrl": 1}), "INVALID_CONFIG : oauthConfig"},
	} {
		id := "x"
		if c.kind == oauth {
			c.kind, id = idp.Default, "oauth.x"
		}
		err := idp.CheckConfig(c.kind, id, c.config)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(fault.FromError(err).Message, c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for id, want := range map[string]bool{"oidc.x": true, "oidc.": false, "saml.x": false, "": false, "oidc." + strings.Repeat("x", 124): false} {
		if got := idp.ValidID(idp.OIDC, id); got != want {
			t.Errorf("ValidID(%q) = %t, want %t", id, got, want)
		}
	}
	for id, want := range map[string]bool{"oauth.x": true, "oauth.": false, "google.com": true} {
		if got := idp.ValidID(idp.Default, id); got != want {
			t.Errorf("ValidID(%q) = %t, want %t", id, got, want)
		}
	}
}
