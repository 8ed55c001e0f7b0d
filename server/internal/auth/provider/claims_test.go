package provider_test

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/authapp"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/token"
	"clave/server/internal/httpx/httpjson"
)

// TestLargeClaims signs in with large claims, whose tokens are accepted, and with larger ones than the maximum. Claims
// of google.com are not copied. Integers stay as they are in the tokens that are renewed.
func TestLargeClaims(t *testing.T) {
	f := open(t, same)
	for _, c := range []struct {
		name, id string
		size     int
		want     string
	}{
		{"less than the maximum", "oidc.acme", 29 << 10, ""},
		{"more", "oidc.acme", 32 << 10, "INVALID_IDP_RESPONSE : The claims of the id_token are longer than 32768 bytes."},
		{"much more", "oidc.acme", 512 << 10, "INVALID_IDP_RESPONSE : The claims of the id_token are longer than 32768 bytes."},
		{"much more, not copied", "google.com", 512 << 10, ""},
	} {
		body := url.Values{"providerId": {c.id}, "id_token": {f.issuer.IDToken(map[string]any{
			"groups": strings.Repeat("g", c.size), "name": strings.Repeat("n", 257), "picture": "https://" + strings.Repeat("p", 2048), "n": 9007199254740993,
			"sub": c.id, "email": "ann@gmail.com",
		})}}.Encode()
		got, err := f.present("http://localhost", body, "")
		if c.want != "" {
			if err == nil || apierror.Text(err) != c.want {
				t.Errorf("%s: %+v, %v; want %s", c.name, got, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.DisplayName != "" || got.PhotoURL != "" {
			t.Errorf("%s: the name has %d bytes and the picture %d, want none that is too long for a profile", c.name, len(got.DisplayName), len(got.PhotoURL))
		}
		if found, err := f.Lookup(t.Context(), client, &service.LookupRequest{IDToken: &got.IDToken}); err != nil || len(found.Users) != 1 {
			t.Errorf("%s: an ID token of %d bytes: %+v, %v", c.name, len(got.IDToken), found, err)
		}
		grant := "refresh_token"
		again, err := f.Refresh(t.Context(), client, &service.RefreshRequest{GrantType: &grant, RefreshToken: &got.RefreshToken})
		if err != nil {
			t.Errorf("%s: renewing the token: %v", c.name, err)
			continue
		}
		inner := claimsOf(t, again.IDToken)["firebase"].(map[string]any)
		attributes, _ := inner["sign_in_attributes"].(map[string]any)
		if c.id == "oidc.acme" && attributes["n"] != int64(9007199254740993) {
			t.Errorf("%s: the renewed token has the claim %v (%T), want the integer 9007199254740993", c.name, attributes["n"], attributes["n"])
		}
	}
}

// functions records the events of blocking functions and answers them.
type functions struct {
	t      *testing.T
	events []map[string]any
	status int
	answer string
}

// Post implements blocking.Caller.
func (c *functions) Post(_ context.Context, _ string, body []byte) (status int, answer []byte, err error) {
	var sent struct{ Data struct{ JWT string } }
	if err := json.Unmarshal(body, &sent); err != nil {
		c.t.Error(err)
	}
	event, err := token.Unverified(sent.Data.JWT)
	if err != nil {
		c.t.Error(err)
	}
	c.events = append(c.events, event)
	return c.status, []byte(c.answer), nil
}

// TestSAMLWithFunctionsAndFactors signs in at a SAML provider in a project with blocking functions and second factors:
// the functions receive the attributes, refuse and add claims, and the attributes are in the token after the factor.
func TestSAMLWithFunctionsAndFactors(t *testing.T) {
	called := &functions{t: t, status: 403, answer: `{"error":{"message":"no","status":"PERMISSION_DENIED"}}`}
	f := openSAMLWith(t, func(o *service.Options) { o.Blocking = called })
	settings := map[string]any{
		"mfa": map[string]any{"state": "ENABLED", "providerConfigs": []any{map[string]any{"state": "ENABLED", "totpProviderConfig": map[string]any{}}}},
		"blockingFunctions": map[string]any{"triggers": map[string]any{
			"beforeCreate": map[string]any{"functionUri": "https://f.example/c"}, "beforeSignIn": map[string]any{"functionUri": "https://f.example/s"},
		}},
	}
	if _, err := f.UpdateConfig(t.Context(), admin, &service.ConfigRequest{Body: settings}); err != nil {
		t.Fatal(err)
	}
	respond := func() (*service.IdpResponse, error) {
		s := f.beginSAML(client, "saml.corp")
		return f.presentSAML(client, s, f.reply(s).response())
	}
	if got, err := respond(); err == nil || !strings.HasPrefix(apierror.Text(err), "BLOCKING_FUNCTION_ERROR_RESPONSE") || len(called.events) != 1 {
		t.Errorf("a function that refuses: %+v, %v after %d events", got, err, len(called.events))
	}
	called.events, called.status, called.answer = nil, 200, `{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"level":3}}}`
	made, err := respond()
	if err != nil || !made.IsNewUser {
		t.Fatalf("the first sign-in: %+v, %v; the refused one must not have left an account", made, err)
	}
	f.wantSAMLEvents(called, "", "beforeCreate", "beforeSignIn")

	enrolled, err := f.StartEnrollment(t.Context(), client, &service.MFARequest{IDToken: &made.IDToken, TOTPEnrollmentInfo: &service.TOTPInfo{}})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(enrolled.TOTPSessionInfo.SharedSecretKey)
	if err != nil {
		t.Fatal(err)
	}
	code := func() string { return authapp.Code(secret, f.clock.Now().Unix()/30) }
	info := &service.TOTPInfo{SessionInfo: enrolled.TOTPSessionInfo.SessionInfo, VerificationCode: code()}
	if _, err := f.FinalizeEnrollment(t.Context(), client, &service.MFARequest{IDToken: &made.IDToken, TOTPVerificationInfo: info}); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Minute)
	called.events = nil
	half, err := respond()
	if err != nil || half.IDToken != "" || half.RefreshToken != "" || half.MFAPendingCredential == "" || len(half.MFAInfo) != 1 || len(called.events) != 0 {
		t.Fatalf("a sign-in of a user with a factor: %+v, %v after %d events; want no token and no event", half, err, len(called.events))
	}
	whole, err := f.FinalizeFactor(t.Context(), client, &service.MFARequest{
		MFAPendingCredential: &half.MFAPendingCredential, MFAEnrollmentID: &half.MFAInfo[0].MFAEnrollmentID, TOTPVerificationInfo: &service.TOTPInfo{VerificationCode: code()},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.wantSAMLEvents(called, "totp", "beforeSignIn")
	claims := claimsOf(t, whole.IDToken)
	inner, _ := claims["firebase"].(map[string]any)
	if inner["sign_in_provider"] != "saml.corp" || inner["sign_in_second_factor"] != "totp" || !reflect.DeepEqual(inner["sign_in_attributes"], attributesOfAnn) || claims["level"] != int64(3) {
		t.Errorf("the claims after the factor are %v", claims)
	}
}

// attributesOfAnn are the attributes of the valid responses of the tests.
var attributesOfAnn = map[string]any{"groups": []any{"a", "b"}, "role": "editor"}

// wantSAMLEvents compares the events that functions received: they have the attributes, and the second factor if one
// was presented.
func (f *fixture) wantSAMLEvents(called *functions, factor string, want ...string) {
	f.t.Helper()
	var got []string
	for _, event := range called.events {
		name, _ := event["event_type"].(string)
		got = append(got, name)
		if event["sign_in_method"] != "saml.corp" || !reflect.DeepEqual(event["sign_in_attributes"], attributesOfAnn) {
			f.t.Errorf("the event %s has the method %v and the attributes %v", name, event["sign_in_method"], event["sign_in_attributes"])
		}
		if second, _ := event["sign_in_second_factor"].(string); second != factor {
			f.t.Errorf("the event %s has the second factor %q, want %q", name, second, factor)
		}
	}
	if !reflect.DeepEqual(got, want) {
		f.t.Errorf("the events are %q, want %q", got, want)
	}
}

// TestForwardedCredentials signs in in a project whose blocking functions receive tokens of providers: those of the
// settings, and no others. A refresh token is one of a client that has asked the provider for it.
func TestForwardedCredentials(t *testing.T) {
	called := &functions{t: t, status: 200, answer: "{}"}
	f := openService(t, same, func(o *service.Options) { o.Blocking = called })
	for _, c := range []struct {
		forward map[string]any
		offline bool
		want    []string
	}{
		{map[string]any{}, true, nil},
		{map[string]any{"idToken": true}, true, []string{"oauth_id_token"}},
		{map[string]any{"accessToken": true, "idToken": true}, false, []string{"oauth_access_token", "oauth_expires_in", "oauth_id_token"}},
		{map[string]any{"refreshToken": true}, false, nil},
		{map[string]any{"refreshToken": true}, true, []string{"oauth_refresh_token"}},
	} {
		called.events = nil
		functions := map[string]any{"triggers": map[string]any{"beforeSignIn": map[string]any{"functionUri": "https://f.example/s"}}, "forwardInboundCredentials": c.forward}
		if _, err := f.UpdateConfig(t.Context(), admin, &service.ConfigRequest{Body: map[string]any{"blockingFunctions": functions}}); err != nil {
			t.Fatal(err)
		}
		res, err := f.presentOffline("oidc.acme", c.offline, true)
		if err != nil || len(called.events) != 1 {
			t.Fatalf("%v: %+v, %v, %d events", c.forward, res, err, len(called.events))
		}
		tokens := map[string]any{
			"oauth_access_token": res.OAuthAccessToken, "oauth_id_token": res.OAuthIDToken, "oauth_refresh_token": res.OAuthRefreshToken, "oauth_expires_in": int64(res.OAuthExpireIn),
		}
		var got []string
		for _, name := range slices.Sorted(maps.Keys(tokens)) {
			sent, ok := called.events[0][name]
			if ok && (sent != tokens[name] || sent == "") {
				t.Errorf("%v: %s is %v, want %v, that of the sign-in", c.forward, name, sent, tokens[name])
			} else if ok {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, offline %v: the function received %q, want %q", c.forward, c.offline, got, c.want)
		}
	}
}

// presentOffline signs in by a code. offline asks the provider for a refresh token, and returned this server to return
// it.
func (f *fixture) presentOffline(id string, offline, returned bool) (*service.IdpResponse, error) {
	parameters := map[string]any{}
	if offline {
		parameters["access_type"] = "offline"
	}
	session, uri := f.beginWith(id, parameters)
	at, secure := uri.String(), true
	return f.SignInWithIdp(f.t.Context(), client, &service.IdpRequest{RequestURI: &at, SessionID: &session, ReturnSecureToken: &secure, ReturnRefreshToken: &returned})
}

// TestRefreshTokensOfProviders signs in with and without returnRefreshToken: only a client that asks the provider and
// this server receives a refresh token. The access token has its lifetime.
func TestRefreshTokensOfProviders(t *testing.T) {
	f := open(t, same)
	for _, id := range []string{"oidc.acme", "google.com"} {
		for _, c := range []struct{ offline, returned bool }{{true, true}, {true, false}, {false, true}} {
			got, err := f.presentOffline(id, c.offline, c.returned)
			if err != nil || got.OAuthExpireIn != 3600 || (got.OAuthRefreshToken != "") != (c.offline && c.returned) {
				t.Errorf("%s, offline %v, returnRefreshToken %v: %+v, %v", id, c.offline, c.returned, got, err)
			}
		}
	}
	f.issuer.Break = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		rec := httptest.NewRecorder()
		f.issuer.Token(rec, r)
		var answer map[string]any
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
			t.Error(err)
		}
		answer["refresh_token"], answer["expires_in"] = strings.Repeat("r", 8<<10+1), -5
		httpjson.Write(w, http.StatusOK, answer)
		return true
	}
	if got, err := f.presentOffline("oidc.acme", true, true); err != nil || got.OAuthRefreshToken != "" || got.OAuthExpireIn != 0 {
		t.Errorf("an answer with values that are not used: %+v, %v", got, err)
	}
}

// TestInvalidCertificates stores SAML providers with certificates that cannot be read.
func TestInvalidCertificates(t *testing.T) {
	f := openSAML(t)
	list := func(texts ...string) map[string]any {
		body := samlConfigOf("")
		var all []any
		for _, one := range texts {
			all = append(all, map[string]any{"x509Certificate": one})
		}
		body["idpConfig"].(map[string]any)["idpCertificates"] = all
		return body
	}
	good := theSigner().pem
	for name, body := range map[string]map[string]any{
		"no PEM": list("C1"), "none": list(""), "one of two": list(good, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
		"two in one": list(good + good), "another kind": list(strings.ReplaceAll(good, "CERTIFICATE", "PUBLIC KEY")), "cut off": list(good[:len(good)/2]),
		"too many": list(strings.Split(strings.Repeat(good+";", 11), ";")[:11]...),
	} {
		_, err := f.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.new", Body: body})
		if err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_CONFIG : idpConfig.idpCertificates") {
			t.Errorf("%s: creating: %v, want INVALID_CONFIG", name, err)
		}
		_, err = f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.corp", Body: body, Mask: []string{"idpConfig.idpCertificates"}})
		if err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_CONFIG : idpConfig.idpCertificates") {
			t.Errorf("%s: changing: %v, want INVALID_CONFIG", name, err)
		}
	}
	s := f.beginSAML(client, "saml.corp")
	if _, err := f.presentSAML(client, s, f.reply(s).response()); err != nil {
		t.Errorf("after the refused changes: %v", err)
	}
	if _, err := f.CreateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.new", Body: list(good, another().pem)}); err != nil {
		t.Errorf("two certificates: %v", err)
	}
}
