package provider_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/provider"
	"clave/server/internal/auth/secret/secrettest"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/store/pebble/pebbletest"
	"clave/server/test/kit/openid"
)

// The project of the tests, the address to which providers redirect, and the callers.
const (
	project  = "p"
	redirect = "https://app.example/__/auth/handler"
)

var (
	client = service.Call{Project: project, Address: "192.0.2.1"}
	admin  = service.Call{Project: project, Admin: true}
)

// fixture is a production server with a provider.
type fixture struct {
	*service.Service
	t        *testing.T
	clock    *clocktest.Manual
	issuer   *openid.Server
	accounts *account.Store
	// attacked is the provider at which TestAttacks begins sign-ins.
	attacked string
}

// limit is the time limit of a provider's answers in the tests that exceed it.
const limit = 100 * time.Millisecond

// open starts a server and a provider, oidc.acme, which is also configured as google.com.
func open(t *testing.T, change func(*provider.Options)) *fixture {
	t.Helper()
	return openService(t, change, func(*service.Options) {})
}

// openService starts a server with further options, and the provider.
func openService(t *testing.T, change func(*provider.Options), more func(*service.Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clocktest.NewManual(time.Now()), issuer: openid.New(t)}
	f.issuer.Now = f.clock.Now
	f.accounts = account.New(pebbletest.Open(t))
	o := provider.Options{Accounts: f.accounts, Clock: f.clock, Secrets: secrettest.Keys(t, "key"), Issuers: map[string]string{"google.com": f.issuer.URL}}
	change(&o)
	providers := provider.New(o)
	t.Cleanup(func() { _ = providers.Close() })
	all := service.Options{
		Accounts: f.accounts, Tokens: token.New(token.Options{Clock: f.clock, Unsigned: true}), Clock: f.clock, Project: project, HashMemCost: 4,
		PublicURL: "https://app.example", Providers: providers, Secrets: o.Secrets,
	}
	more(&all)
	f.Service = service.New(all)
	f.configure(idp.OIDC, "oidc.acme", map[string]any{"issuer": f.issuer.URL, "responseType": map[string]any{"code": true}})
	f.configure(idp.Default, "google.com", nil)
	return f
}

// same leaves the options as they are.
func same(*provider.Options) {}

// configure stores the configuration of a provider.
func (f *fixture) configure(kind, id string, more map[string]any) {
	f.t.Helper()
	body := map[string]any{"enabled": true, "clientId": f.issuer.ClientID, "clientSecret": f.issuer.ClientSecret, "additionalClientIds": []any{"android"}}
	for name, value := range more {
		body[name] = value
	}
	if _, err := f.CreateIdpConfig(f.t.Context(), admin, &service.IdpConfigRequest{Kind: kind, ID: id, Body: body}); err != nil {
		f.t.Fatal(err)
	}
}

// begin begins a sign-in and follows the provider's page. It returns the address to which the provider redirects.
func (f *fixture) begin(id string) (session string, uri *url.URL) {
	f.t.Helper()
	return f.beginWith(id, map[string]any{})
}

// beginWith is begin, with further parameters of the provider's page.
func (f *fixture) beginWith(id string, parameters map[string]any) (session string, uri *url.URL) {
	f.t.Helper()
	back, scope := redirect, "calendar"
	maps.Copy(parameters, map[string]any{"prompt": "login", "state": "forged", "redirect_uri": "https://evil.example"})
	begun, err := f.CreateAuthURI(f.t.Context(), client, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &back, OAuthScope: &scope, CustomParameter: parameters})
	if err != nil {
		f.t.Fatal(err)
	}
	if q, err := url.Parse(begun.AuthURI); err != nil || !strings.HasSuffix(q.Query().Get("scope"), " calendar") || q.Query().Get("prompt") != "login" || len(q.Query()["state"]) != 1 {
		f.t.Fatalf("the provider's page is %s, %v", begun.AuthURI, err)
	}
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, begun.AuthURI, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		f.t.Fatal(err)
	}
	_ = res.Body.Close()
	uri, err = res.Location()
	if err != nil || !strings.HasPrefix(uri.String(), redirect) {
		f.t.Fatalf("the provider redirects to %s, %v", uri, err)
	}
	return begun.SessionID, uri
}

// present presents a credential.
func (f *fixture) present(uri, body, session string) (*service.IdpResponse, error) {
	secure, credential := true, true
	return f.SignInWithIdp(f.t.Context(), client, &service.IdpRequest{RequestURI: &uri, PostBody: &body, SessionID: &session, ReturnSecureToken: &secure, ReturnIdpCredential: &credential})
}

// TestCode signs in by a code, with the address in the ID token and apart from it, and again after the provider has
// replaced its key in the middle.
func TestCode(t *testing.T) {
	f := open(t, same)
	session, uri := f.begin("oidc.acme")
	first, err := f.present(uri.String(), "", session)
	if err != nil || !first.IsNewUser || first.IDToken == "" || first.RefreshToken == "" || first.Email != "ann@example.com" || !first.EmailVerified || first.DisplayName != "Ann" || first.OAuthAccessToken == "" {
		t.Fatalf("the first sign-in: %+v, %v", first, err)
	}
	f.issuer.ClaimsApart = true
	session, uri = f.begin("oidc.acme")
	f.issuer.Rotate()
	again, err := f.present(uri.String(), "", session)
	if err != nil || again.IsNewUser || again.LocalID != first.LocalID || again.Email != "ann@example.com" {
		t.Errorf("the second sign-in: %+v, %v", again, err)
	}
	// The credential of the response signs in again, as SDKs do after a conflict.
	body := url.Values{"providerId": {"oidc.acme"}, "id_token": {again.OAuthIDToken}, "nonce": {again.Nonce}}.Encode()
	if same, err := f.present("http://localhost", body, ""); err != nil || same.LocalID != first.LocalID {
		t.Errorf("the response's credential: %+v, %v", same, err)
	}
	if n := f.issuer.Reads("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the provider was discovered %d times, want once a day", n)
	}
	if n := f.issuer.Reads("/keys"); n != 2 {
		t.Errorf("the keys were read %d times, want once for each key", n)
	}
}

// TestImplicit signs in with a provider that answers with an ID token in the fragment.
func TestImplicit(t *testing.T) {
	f := open(t, same)
	f.configure(idp.OIDC, "oidc.implicit", map[string]any{"issuer": f.issuer.URL, "clientSecret": nil, "responseType": map[string]any{"idToken": true}})
	session, uri := f.begin("oidc.implicit")
	if got, err := f.present(uri.String(), "", session); err != nil || got.Email != "ann@example.com" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestNative signs in with ID tokens that apps got from the provider themselves.
func TestNative(t *testing.T) {
	f := open(t, same)
	for _, audience := range []string{"clave", "android"} {
		body := url.Values{"providerId": {"google.com"}, "id_token": {f.issuer.IDToken(map[string]any{"aud": audience})}}.Encode()
		got, err := f.present("http://localhost", body, "")
		if err != nil || got.FederatedID != "https://accounts.google.com/u-1" {
			t.Errorf("an app's token for %s: %+v, %v", audience, got, err)
		}
		if got != nil && got.EmailVerified {
			t.Errorf("an address that Google has no authority over counts as proven")
		}
	}
}

// attack is a forged credential: what presents it, and the start of the error that refuses it. With plain it is also
// one for a provider of OAuth 2 without ID tokens.
type attack struct {
	name    string
	present func(*fixture) (*service.IdpResponse, error)
	want    string
	plain   bool
}

// native returns an attack with a form.
func native(name, want string, form func(*fixture) url.Values) attack {
	return attack{name, func(f *fixture) (*service.IdpResponse, error) {
		return f.present("http://localhost", form(f).Encode(), "")
	}, want, false}
}

// idToken returns an attack with an ID token that has some claims.
func idToken(name string, claims func(*fixture) map[string]any) attack {
	return native(name, "INVALID_IDP_RESPONSE", func(f *fixture) url.Values {
		return url.Values{"providerId": {"oidc.acme"}, "id_token": {f.issuer.IDToken(claims(f))}}
	})
}

// response returns an attack with a provider's response, which change changes.
func response(name, want string, change func(f *fixture, uri *url.URL, session *string) (body string)) attack {
	return attack{name, func(f *fixture) (*service.IdpResponse, error) {
		session, uri := f.begin(f.attacked)
		body := change(f, uri, &session)
		return f.present(uri.String(), body, session)
	}, want, true}
}

// tokenResponse is response, for providers that have ID tokens.
func tokenResponse(name, want string, change func(f *fixture, uri *url.URL, session *string) (body string)) attack {
	a := response(name, want, change)
	a.plain = false
	return a
}

// setQuery changes a parameter of an address.
func setQuery(uri *url.URL, name, value string) {
	q := uri.Query()
	q.Set(name, value)
	uri.RawQuery = q.Encode()
}

// attacks are credentials that must be refused.
var attacks = []attack{
	idToken("another audience", func(*fixture) map[string]any { return map[string]any{"aud": "another-app"} }),
	idToken("several audiences", func(*fixture) map[string]any { return map[string]any{"aud": []string{"clave", "another-app"}} }),
	idToken("another issuer", func(*fixture) map[string]any { return map[string]any{"iss": "https://accounts.evil.example"} }),
	idToken("expired", func(f *fixture) map[string]any {
		return map[string]any{"exp": f.clock.Now().Add(-time.Minute).Unix()}
	}),
	idToken("not valid yet", func(f *fixture) map[string]any {
		return map[string]any{"nbf": f.clock.Now().Add(time.Hour).Unix()}
	}),
	idToken("of the future", func(f *fixture) map[string]any {
		return map[string]any{"iat": f.clock.Now().Add(time.Hour).Unix()}
	}),
	idToken("no subject", func(*fixture) map[string]any { return map[string]any{"sub": ""} }),
	idToken("a subject with NUL", func(*fixture) map[string]any { return map[string]any{"sub": "a\x00b"} }),
	native("another key", "INVALID_IDP_RESPONSE", func(f *fixture) url.Values {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			f.t.Fatal(err)
		}
		claims := map[string]any{"iss": f.issuer.URL, "aud": "clave", "sub": "u-1", "iat": f.clock.Now().Unix(), "exp": f.clock.Now().Add(time.Hour).Unix()}
		return url.Values{"providerId": {"oidc.acme"}, "id_token": {openid.Sign(key, "1", claims)}}
	}),
	native("alg none", "INVALID_IDP_RESPONSE", func(f *fixture) url.Values {
		parts := strings.Split(f.issuer.IDToken(nil), ".")
		return url.Values{"providerId": {"oidc.acme"}, "id_token": {base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."}}
	}),
	native("the emulator's JSON", "INVALID_IDP_RESPONSE", func(*fixture) url.Values {
		return url.Values{"providerId": {"oidc.acme"}, "id_token": {`{"sub":"u-1","email":"ann@example.com"}`}}
	}),
	native("a nonce that the request lacks", "MISSING_OR_INVALID_NONCE", func(f *fixture) url.Values {
		return url.Values{"providerId": {"oidc.acme"}, "id_token": {f.issuer.IDToken(map[string]any{"nonce": "n"})}}
	}),
	native("another nonce", "MISSING_OR_INVALID_NONCE", func(f *fixture) url.Values {
		return url.Values{"providerId": {"oidc.acme"}, "id_token": {f.issuer.IDToken(map[string]any{"nonce": "n"})}, "nonce": {"n"}}
	}),
	native("an access token alone", "INVALID_IDP_RESPONSE", func(*fixture) url.Values {
		return url.Values{"providerId": {"oidc.acme"}, "access_token": {"stolen"}}
	}),
	native("an ID token of another Google project", "INVALID_IDP_RESPONSE", func(f *fixture) url.Values {
		claims := map[string]any{"aud": "42-other.apps.googleusercontent.com", "azp": "clave"}
		return url.Values{"providerId": {"google.com"}, "id_token": {f.issuer.IDToken(claims)}}
	}),
	native("an access token that Google has not issued", "INVALID_IDP_RESPONSE", func(*fixture) url.Values {
		return url.Values{"providerId": {"google.com"}, "access_token": {"stolen"}}
	}),
	native("a provider without configuration", "OPERATION_NOT_ALLOWED", func(f *fixture) url.Values {
		return url.Values{"providerId": {"oidc.other"}, "id_token": {f.issuer.IDToken(nil)}}
	}),
	native("a provider that is not supported", "OPERATION_NOT_ALLOWED", func(f *fixture) url.Values {
		return url.Values{"providerId": {"twitter.com"}, "id_token": {f.issuer.IDToken(nil)}}
	}),
	native("no provider", "INVALID_CREDENTIAL_OR_PROVIDER_ID", func(f *fixture) url.Values {
		return url.Values{"id_token": {f.issuer.IDToken(nil)}}
	}),
	response("another session", "INVALID_IDP_RESPONSE", func(_ *fixture, _ *url.URL, session *string) string {
		*session = "another browser's"
		return ""
	}),
	response("no session", "INVALID_IDP_RESPONSE", func(_ *fixture, _ *url.URL, session *string) string {
		*session = ""
		return ""
	}),
	response("another state", "INVALID_IDP_RESPONSE", func(_ *fixture, uri *url.URL, _ *string) string {
		setQuery(uri, "state", "made up")
		return ""
	}),
	response("another code", "INVALID_IDP_RESPONSE", func(_ *fixture, uri *url.URL, _ *string) string {
		setQuery(uri, "code", "made up")
		return ""
	}),
	response("a code of another sign-in", "INVALID_IDP_RESPONSE", func(f *fixture, uri *url.URL, _ *string) string {
		_, other := f.begin(f.attacked) // PKCE binds a code to the sign-in.
		setQuery(uri, "code", other.Query().Get("code"))
		return ""
	}),
	tokenResponse("another issuer's response", "INVALID_IDP_RESPONSE", func(_ *fixture, uri *url.URL, _ *string) string {
		setQuery(uri, "iss", "https://accounts.evil.example")
		return ""
	}),
	response("an error", "INVALID_IDP_RESPONSE", func(_ *fixture, uri *url.URL, _ *string) string {
		setQuery(uri, "error", "server_error")
		return ""
	}),
	response("another address", "INVALID_IDP_RESPONSE", func(_ *fixture, uri *url.URL, _ *string) string {
		uri.Host = "evil.example"
		return ""
	}),
	response("another provider in the body", "INVALID_IDP_RESPONSE", func(*fixture, *url.URL, *string) string {
		return "providerId=google.com"
	}),
	response("a replayed state", "INVALID_IDP_RESPONSE", func(f *fixture, uri *url.URL, session *string) string {
		if _, err := f.present(uri.String(), "", *session); err != nil {
			f.t.Fatal(err)
		}
		return ""
	}),
	response("after ten minutes", "INVALID_IDP_RESPONSE", func(f *fixture, _ *url.URL, _ *string) string {
		f.clock.Advance(10*time.Minute + time.Second)
		return ""
	}),
	tokenResponse("another nonce in the ID token", "INVALID_IDP_RESPONSE", func(f *fixture, _ *url.URL, _ *string) string {
		f.issuer.Change = func(claims map[string]any) { claims["nonce"] = "another" }
		return ""
	}),
	tokenResponse("no nonce in the ID token", "INVALID_IDP_RESPONSE", func(f *fixture, _ *url.URL, _ *string) string {
		f.issuer.Change = func(claims map[string]any) { delete(claims, "nonce") }
		return ""
	}),
	tokenResponse("another access token", "INVALID_IDP_RESPONSE", func(f *fixture, _ *url.URL, _ *string) string {
		f.issuer.Change = func(claims map[string]any) { claims["at_hash"] = openid.Hash("another") }
		return ""
	}),
	tokenResponse("the ID token of another client of the project", "INVALID_IDP_RESPONSE", func(f *fixture, _ *url.URL, _ *string) string {
		f.issuer.Change = func(claims map[string]any) { claims["aud"] = "android" }
		return ""
	}),
	response("another tenant", "INVALID_IDP_RESPONSE", func(f *fixture, uri *url.URL, session *string) string {
		tenant, err := f.CreateTenant(f.t.Context(), admin, &service.TenantRequest{Body: map[string]any{"displayName": "other"}})
		if err != nil {
			f.t.Fatal(err)
		}
		in := client
		in.Tenant = tenant.TenantID
		address := uri.String()
		_, err = f.SignInWithIdp(f.t.Context(), in, &service.IdpRequest{RequestURI: &address, SessionID: session})
		if err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_IDP_RESPONSE") {
			f.t.Errorf("in another tenant: %v", err)
		}
		*session = ""
		return ""
	}),
}

// TestAttacks presents forged credentials. Each is refused with production's code.
func TestAttacks(t *testing.T) {
	f := open(t, same)
	f.configure(idp.Default, "oauth.acme", map[string]any{"oauthConfig": f.issuer.OAuth()})
	for _, id := range []string{"oidc.acme", "oauth.acme"} {
		for _, a := range attacks {
			if id == "oauth.acme" && !a.plain {
				continue
			}
			t.Run(id+": "+a.name, func(t *testing.T) {
				f.t, f.issuer.Change, f.attacked = t, nil, id
				if got, err := a.present(f); err == nil || !apierror.Is(err) || !strings.HasPrefix(apierror.Text(err), a.want) {
					t.Errorf("%+v, %v; want %s", got, err, a.want)
				}
			})
		}
	}
}

// TestClocksOfProviders presents ID tokens of providers whose clocks differ.
func TestClocksOfProviders(t *testing.T) {
	f := open(t, same)
	for _, c := range []struct {
		name  string
		ahead time.Duration
		valid bool
	}{
		{"at most five minutes ahead", 5 * time.Minute, true},
		{"more than five minutes ahead", 5*time.Minute + time.Second, false},
	} {
		token := f.issuer.IDToken(map[string]any{"iat": f.clock.Now().Add(c.ahead).Unix()})
		_, err := f.present("http://localhost", url.Values{"providerId": {"oidc.acme"}, "id_token": {token}}.Encode(), "")
		if c.valid && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.valid {
			wantInvalid(t, c.name, err)
		}
	}
}

// TestContinueURI begins sign-ins that would redirect to addresses that are not the project's.
func TestContinueURI(t *testing.T) {
	f := open(t, same)
	for _, c := range []struct{ uri, want string }{
		{"https://evil.example/__/auth/handler", "UNAUTHORIZED_DOMAIN"}, {"https://app.example.evil.example/", "UNAUTHORIZED_DOMAIN"},
		{"https://app.example@evil.example/", "INVALID_CONTINUE_URI"}, {"javascript:alert(1)", "INVALID_CONTINUE_URI"},
		{"https://app.example/?next=https://evil.example", "INVALID_CONTINUE_URI"}, {"", "MISSING_CONTINUE_URI"},
	} {
		id := "oidc.acme"
		_, err := f.CreateAuthURI(t.Context(), client, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &c.uri})
		if err == nil || !strings.HasPrefix(apierror.Text(err), c.want) {
			t.Errorf("%q: %v, want %s", c.uri, err, c.want)
		}
	}
}

// TestBrokenProviders signs in while the provider is down, slow, sends too much or no JSON. Each is refused in time,
// and no answer of the provider is in the error.
func TestBrokenProviders(t *testing.T) {
	for _, c := range []struct {
		name, path string
		answer     func(w http.ResponseWriter)
	}{
		{"HTML", "/token", func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>secret")) }},
		{"an error of the server", "/token", func(w http.ResponseWriter) { http.Error(w, "secret", http.StatusInternalServerError) }},
		{"a large answer", "/keys", func(w http.ResponseWriter) { _ = json.NewEncoder(w).Encode(strings.Repeat("secret", 1<<20)) }},
		{"a redirect", "/.well-known/openid-configuration", func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://evil.example")
			w.WriteHeader(http.StatusFound)
		}},
		{"silence", "/token", nil},
		{"an end", "/token", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, func(o *provider.Options) {
				if c.name == "silence" {
					o.TimeLimit = limit
				}
			})
			session, uri := f.begin("oidc.acme")
			f.issuer.Break = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path != c.path:
					return false
				case c.answer == nil:
					_ = r.ParseForm() // Only then the server sees that the client is gone.
					<-r.Context().Done()
				default:
					c.answer(w)
				}
				return true
			}
			f.clock.Advance(time.Minute)
			if c.path == "/.well-known/openid-configuration" {
				f.clock.Advance(24 * time.Hour) // The addresses are read again.
				body := url.Values{"providerId": {"oidc.acme"}, "id_token": {f.issuer.IDToken(nil)}}.Encode()
				_, err := f.present("http://localhost", body, "")
				wantConnecting(t, err)
				return
			}
			_, err := f.present(uri.String(), "", session)
			wantConnecting(t, err)
		})
	}
}

// wantConnecting fails unless an error is that for a provider that could not be used.
func wantConnecting(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_IDP_RESPONSE") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, want INVALID_IDP_RESPONSE without the provider's answer", err)
	}
}

// TestSweep removes sign-ins that were never completed.
func TestSweep(t *testing.T) {
	f := open(t, same)
	session, uri := f.begin("oidc.acme")
	f.clock.Advance(2 * time.Hour)
	if err := f.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.present(uri.String(), "", session); err == nil || !strings.Contains(apierror.Text(err), "unknown") {
		t.Errorf("%v, want an unknown state", err)
	}
}
