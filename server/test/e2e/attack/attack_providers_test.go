package attack

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/openid"
)

// attackedApp is the id of the app of these attacks.
const attackedApp = "1:123456789:web:abcdef"

// doors is a production server with TLS, two providers of OpenID Connect and App Check, which it enforces.
type doors struct {
	*attacked
	acme, other *openid.Server
	// app is an App Check token, which each request has unless it says otherwise.
	app string
}

// TestAttacksOnProviders attacks sign-ins at identity providers, and App Check, of a production server.
func TestAttacksOnProviders(t *testing.T) {
	harness.Alone(t, "tokens are made with the keys in the data folder")
	dir := harness.ProductionFolder(t)
	d := &doors{attacked: &attacked{key: harness.CreateKey(t, dir, "backend")}, acme: openid.New(t), other: openid.New(t)}
	d.Production = harness.Serve(t, dir, true, "--app-check", "firestore=enforce,auth=enforce")
	d.Client.Timeout = harness.WaitLimit
	keys, err := token.OpenKeys(token.KeyOptions{Dir: filepath.Join(dir, ".clave", "keys"), AppCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	d.tokens = token.New(token.Options{Keys: keys})
	d.app = d.mintApp(t, harness.RealProject, "an id of 16 bytes or more")
	d.configure(t, "oidc.acme", d.acme.URL)
	d.configure(t, "oidc.other", d.other.URL)
	wait := d.slowProviders(t)
	t.Run("responses", d.responses)
	t.Run("credentials", d.credentials)
	t.Run("redirects", d.redirects)
	t.Run("broken providers", d.brokenProviders)
	t.Run("app check", d.appCheck)
	wait()
}

// mintApp returns an App Check token by the server's own key.
func (d *doors) mintApp(t *testing.T, project, id string) string {
	t.Helper()
	raw, err := d.tokens.MintAppCheck(project, attackedApp, id, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// configure stores a provider.
func (d *doors) configure(t *testing.T, id, issuer string) {
	t.Helper()
	d.admin(t, http.MethodPost, harness.ToolkitPath("v2/projects/"+harness.RealProject+"/oauthIdpConfigs?oauthIdpConfigId="+id), harness.Object{
		"enabled": true, "clientId": d.acme.ClientID, "clientSecret": d.acme.ClientSecret, "issuer": issuer, "responseType": harness.Object{"code": true},
	}, nil)
}

// call makes a call of the Identity Toolkit as the app.
func (d *doors) call(t *testing.T, method string, body any) (int, string) {
	t.Helper()
	return d.send(t, http.MethodPost, harness.ToolkitPath(method+"?key=k"), body, map[string]string{"X-Firebase-AppCheck": d.app})
}

// page is the address to which providers redirect.
func (d *doors) page() string { return d.URL + "/__/auth/handler" }

// begin begins a sign-in, and returns the session and the provider's response after its page.
func (d *doors) begin(t *testing.T, id string) (session string, response *url.URL) {
	t.Helper()
	code, text := d.call(t, "accounts:createAuthUri", harness.Object{"providerId": id, "continueUri": d.page()})
	var begun struct{ AuthURI, SessionID string }
	if err := json.Unmarshal([]byte(text), &begun); err != nil || code != http.StatusOK {
		t.Fatalf("createAuthUri: %d %s", code, text)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, begun.AuthURI, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if response, err = res.Location(); err != nil || !strings.HasPrefix(response.String(), d.page()) {
		t.Fatalf("the provider redirects to %v, %v", response, err)
	}
	return begun.SessionID, response
}

// signIn presents a response or a credential.
func (d *doors) signIn(t *testing.T, uri, session, body string) (int, string) {
	t.Helper()
	return d.call(t, "accounts:signInWithIdp", harness.Object{"requestUri": uri, "sessionId": session, "postBody": body, "returnSecureToken": true, "returnIdpCredential": true})
}

// refuses reports a sign-in that was not refused with a code.
func refuses(t *testing.T, name, want string, code int, text string) {
	t.Helper()
	if code != http.StatusBadRequest || !strings.Contains(text, want) || strings.Contains(text, "idToken") {
		t.Errorf("%s: %d %.300s, want %s", name, code, text, want)
	}
}

// with returns an address with another value of a parameter.
func with(uri *url.URL, name, value string) string {
	changed, q := *uri, uri.Query()
	q.Set(name, value)
	changed.RawQuery = q.Encode()
	return changed.String()
}

// responses presents changed, foreign and repeated responses of providers.
func (d *doors) responses(t *testing.T) {
	session, uri := d.begin(t, "oidc.acme")
	_, others := d.begin(t, "oidc.other")
	strange, _ := d.begin(t, "oidc.acme")
	const invalid = "INVALID_IDP_RESPONSE"
	for _, tt := range []struct{ name, uri, session, body, want string }{
		{"a forged state", with(uri, "state", "forged"), session, "", invalid},
		{"the sign-in of another browser", uri.String(), strange, "", invalid},
		{"without a session", uri.String(), "", "", invalid},
		{"the state in two places", uri.String(), strange, "state=" + uri.Query().Get("state"), invalid},
	} {
		code, text := d.signIn(t, tt.uri, tt.session, tt.body)
		refuses(t, tt.name, tt.want, code, text)
	}
	if code, text := d.signIn(t, uri.String(), session, ""); code != http.StatusOK || !strings.Contains(text, "idToken") {
		t.Fatalf("the sign-in after attacks on it: %d %s: the attacks are invalid", code, text)
	}
	code, text := d.signIn(t, uri.String(), session, "")
	refuses(t, "a response for the second time", invalid, code, text)

	again, next := d.begin(t, "oidc.acme")
	code, text = d.signIn(t, with(next, "code", uri.Query().Get("code")), again, "")
	refuses(t, "the code of another sign-in", invalid, code, text)
	again, next = d.begin(t, "oidc.acme")
	code, text = d.signIn(t, with(next, "code", others.Query().Get("code")), again, "")
	refuses(t, "the code of another provider", invalid, code, text)
	again, next = d.begin(t, "oidc.acme")
	code, text = d.signIn(t, with(next, "iss", d.other.URL), again, "")
	refuses(t, "the issuer of another provider", invalid, code, text)
	again, next = d.begin(t, "oidc.acme")
	code, text = d.signIn(t, next.String(), again, "providerId=oidc.other&state="+next.Query().Get("state")+"&code="+next.Query().Get("code"))
	refuses(t, "the response under the name of another provider", invalid, code, text)
	again, next = d.begin(t, "oidc.acme")
	code, text = d.signIn(t, strings.Replace(next.String(), "/__/auth/handler", "/elsewhere", 1), again, "")
	refuses(t, "a response to another page", invalid, code, text)
}

// credentials presents forged ID tokens.
func (d *doors) credentials(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	now := clock.System().Now()
	claims := func(changes harness.Object) map[string]any {
		all := map[string]any{"iss": d.acme.URL, "aud": d.acme.ClientID, "sub": "boss", "email": "boss@example.com", "email_verified": true, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
		for name, value := range changes {
			all[name] = value
		}
		return all
	}
	form := func(raw string) string { return url.Values{"providerId": {"oidc.acme"}, "id_token": {raw}}.Encode() }
	good := form(d.acme.Sign(claims(harness.Object{"sub": "worker", "email": "worker@example.com"})))
	if code, text := d.signIn(t, "http://localhost", "", good); code != http.StatusOK || !strings.Contains(text, "idToken") {
		t.Fatalf("a good ID token: %d %s: the attacks are invalid", code, text)
	}
	parts := strings.Split(d.acme.Sign(claims(nil)), ".")
	encode := base64.RawURLEncoding.EncodeToString
	for name, raw := range map[string]string{
		"alg none":             encode([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		"no signature":         parts[0] + "." + parts[1] + ".",
		"a foreign key":        openid.Sign(key, "1", claims(nil)),
		"of another provider":  d.other.Sign(claims(harness.Object{"iss": d.other.URL})),
		"of another issuer":    d.acme.Sign(claims(harness.Object{"iss": "https://evil.example"})),
		"for another audience": d.acme.Sign(claims(harness.Object{"aud": "another-client"})),
		"expired":              d.acme.Sign(claims(harness.Object{"exp": now.Add(-time.Hour).Unix()})),
		"of the future":        d.acme.Sign(claims(harness.Object{"iat": now.Add(time.Hour).Unix()})),
		"with large claims":    d.acme.Sign(claims(harness.Object{"groups": strings.Repeat("g", 40<<10)})),
		"only JSON":            `{"sub":"boss","email":"boss@example.com","email_verified":true}`,
	} {
		code, text := d.signIn(t, "http://localhost", "", form(raw))
		refuses(t, "an ID token "+name, "INVALID_IDP_RESPONSE", code, text)
	}

	d.plainCredentials(t)

	// Whoever may state any address at a provider does not become the user who has it here.
	if code, text := d.call(t, "accounts:signUp", harness.Object{"email": "victim@example.com", "password": "secreta1"}); code != http.StatusOK {
		t.Fatalf("the victim signs up: %d %s", code, text)
	}
	thief := form(d.acme.Sign(claims(harness.Object{"sub": "thief", "email": "victim@example.com", "email_verified": false})))
	code, text := d.signIn(t, "http://localhost", "", thief)
	var conflict struct {
		NeedConfirmation      bool
		PendingToken          string
		IDToken, RefreshToken string
	}
	if err := json.Unmarshal([]byte(text), &conflict); err != nil || code != http.StatusOK || !conflict.NeedConfirmation || conflict.PendingToken == "" || conflict.IDToken+conflict.RefreshToken != "" {
		t.Errorf("an address that the provider does not prove: %d %s, want needConfirmation without a session", code, text)
	}
	code, text = d.call(t, "accounts:signInWithIdp", harness.Object{"requestUri": "http://localhost", "pendingToken": conflict.PendingToken, "returnSecureToken": true})
	if !strings.Contains(text, "needConfirmation") || strings.Contains(text, "refreshToken") {
		t.Errorf("the pending token without the victim's session: %d %s", code, text)
	}
}

// plainCredentials presents access tokens of a provider of OAuth 2 that has no ID tokens.
func (d *doors) plainCredentials(t *testing.T) {
	d.admin(t, http.MethodPost, harness.ToolkitPath("v2/projects/"+harness.RealProject+"/defaultSupportedIdpConfigs?idpId=oauth.acme"), harness.Object{
		"enabled": true, "clientId": d.acme.ClientID, "clientSecret": d.acme.ClientSecret, "oauthConfig": d.acme.OAuth(),
	}, nil)
	session, uri := d.begin(t, "oauth.acme")
	code, text := d.signIn(t, uri.String(), session, "")
	var signed struct{ OAuthAccessToken string }
	if err := json.Unmarshal([]byte(text), &signed); err != nil || code != http.StatusOK || signed.OAuthAccessToken == "" {
		t.Fatalf("a sign-in at a provider of OAuth 2: %d %s", code, text)
	}
	form := func(access string) string {
		return url.Values{"providerId": {"oauth.acme"}, "access_token": {access}}.Encode()
	}
	if code, text := d.signIn(t, "http://localhost", "", form(signed.OAuthAccessToken)); code != http.StatusOK || !strings.Contains(text, "idToken") {
		t.Fatalf("a good access token: %d %s: the attacks are invalid", code, text)
	}
	for name, access := range map[string]string{
		"an access token of another app": "access-of-another-app",
		"an ID token as an access token": d.acme.IDToken(nil),
	} {
		code, text := d.signIn(t, "http://localhost", "", form(access))
		refuses(t, name, "INVALID_IDP_RESPONSE", code, text)
	}
}

// redirects asks for sign-ins that would lead to other sites.
func (d *doors) redirects(t *testing.T) {
	// Browsers read a backslash as a slash, and drop tabs.
	for _, evil := range []string{
		"https://evil.example/", "//evil.example/", "https://127.0.0.1@evil.example/", "https://evil.example\\@127.0.0.1/", "https://127.0.0.1.evil.example/",
		"javascript:alert(1)//127.0.0.1", "https://127.0.0.1\t.evil.example/", "data:text/html,127.0.0.1",
	} {
		code, text := d.call(t, "accounts:createAuthUri", harness.Object{"providerId": "oidc.acme", "continueUri": evil})
		if code != http.StatusBadRequest || !strings.Contains(text, "UNAUTHORIZED_DOMAIN") && !strings.Contains(text, "INVALID_CONTINUE_URI") {
			t.Errorf("createAuthUri with the continueUri %q: %d %s", evil, code, text)
		}
		query := url.Values{"apiKey": {"k"}, "providerId": {"oidc.acme"}, "authType": {"signInViaRedirect"}, "redirectUrl": {evil}}
		for _, page := range []string{"/__/auth/handler?", "/emulator/auth/handler?"} {
			if code, text := d.send(t, http.MethodGet, page+query.Encode(), nil, nil); code != http.StatusForbidden || strings.Contains(text, "evil.example") {
				t.Errorf("%s with the redirectUrl %q: %d %.200s, want 403", page, evil, code, text)
			}
		}
	}
	query := url.Values{"apiKey": {"k"}, "providerId": {"oidc.acme"}, "authType": {"signInViaRedirect"}, "redirectUrl": {d.URL + "/"}}
	if code, text := d.send(t, http.MethodGet, "/__/auth/handler?"+query.Encode(), nil, nil); code != http.StatusOK {
		t.Errorf("the page of an authorized domain: %d %.200s: the attacks are invalid", code, text)
	}
}

// brokenProviders begins sign-ins at providers that answer what they should not.
func (d *doors) brokenProviders(t *testing.T) {
	answers := map[string]func(http.ResponseWriter, *http.Request) bool{
		"html": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<h1>Bad gateway</h1>"))
			return true
		},
		"large": func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(`{"issuer":"` + strings.Repeat("x", 4<<20) + `"}`)) // The server hangs up before the end.
			return true
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, d.acme.URL+r.URL.Path, http.StatusFound)
			return true
		},
	}
	for name, breaks := range answers {
		broken := openid.New(t)
		broken.Break = breaks
		d.configure(t, "oidc."+name, broken.URL)
	}
	d.configure(t, "oidc.down", "http://127.0.0.1:1")
	for _, name := range []string{"html", "large", "elsewhere", "down"} {
		code, text := d.call(t, "accounts:createAuthUri", harness.Object{"providerId": "oidc." + name, "continueUri": d.page()})
		refuses(t, "a sign-in at a provider: "+name, "INVALID_IDP_RESPONSE : Error connecting to the given credential's issuer.", code, text)
	}
	if session, uri := d.begin(t, "oidc.acme"); session != "" {
		if code, text := d.signIn(t, uri.String(), session, ""); code != http.StatusOK {
			t.Errorf("a sign-in at a provider that works: %d %s", code, text)
		}
	}
}

// appCheck presents forged, foreign and used App Check tokens.
func (d *doors) appCheck(t *testing.T) {
	parts := strings.Split(d.app, ".")
	encode := base64.RawURLEncoding.EncodeToString
	id, err := d.tokens.MintID(harness.RealProject, "u", map[string]any{"auth_time": clock.System().Now().Unix()})
	if err != nil {
		t.Fatal(err)
	}
	document := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/open/none"
	lookup := harness.ToolkitPath("accounts:createAuthUri?key=k")
	body := harness.Object{"identifier": "ana@example.org", "continueUri": d.URL}
	send := func(raw string) (read, call int) {
		header := map[string]string{"X-Firebase-AppCheck": raw}
		read, _ = d.send(t, http.MethodGet, document, nil, header)
		call, _ = d.send(t, http.MethodPost, lookup, body, header)
		return read, call
	}
	if read, call := send(d.app); read != http.StatusNotFound || call != http.StatusOK {
		t.Fatalf("with a good token: %d and %d: the attacks are invalid", read, call)
	}
	for name, raw := range map[string]string{
		"none":                    "",
		"of another project":      d.mintApp(t, "another-project", "an id of 16 bytes or more"),
		"with alg none":           encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
		"without its signature":   parts[0] + "." + parts[1] + ".",
		"with another key's name": encode([]byte(`{"alg":"RS256","typ":"JWT","kid":"../../dev/null"}`)) + "." + parts[1] + "." + parts[2],
		"that is an ID token":     id,
		"twice":                   d.app + "." + d.app,
		"that is too long":        strings.Repeat("x", 9<<10),
	} {
		if read, call := send(raw); read != http.StatusForbidden || call != http.StatusUnauthorized {
			t.Errorf("a token %s: a read answers %d and a call of Authentication %d, want 403 and 401", name, read, call)
		}
	}
	// A token is used once where the app's server asks for it.
	once := d.mintApp(t, harness.RealProject, "the id of a token that is used once")
	consume := "/firebaseappcheck.googleapis.com/v1beta/projects/" + harness.RealProject + ":verifyAppCheckToken"
	for i, want := range []bool{false, true, true} {
		answer := d.admin(t, http.MethodPost, consume, harness.Object{"app_check_token": once}, nil)
		if already, _ := answer["alreadyConsumed"].(bool); already != want {
			t.Errorf("use %d of a token: %v, want alreadyConsumed %v", i+1, answer, want)
		}
	}
	if code, text := d.send(t, http.MethodPost, consume+"?key=k", harness.Object{"app_check_token": once}, nil); code == http.StatusOK {
		t.Errorf("a client consumes a token: %d %s", code, text)
	}
}
