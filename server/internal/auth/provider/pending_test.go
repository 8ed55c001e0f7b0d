package provider_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
)

// presentPending presents a pending token, as SDKs do, with the ID token of a user or without.
func (f *fixture) presentPending(c service.Call, token string, user *string) (*service.IdpResponse, error) {
	uri, yes := "http://localhost", true
	r := &service.IdpRequest{RequestURI: &uri, PendingToken: &token, ReturnSecureToken: &yes, ReturnIdpCredential: &yes, IDToken: user}
	if c.Tenant != "" {
		r.TenantID = &c.Tenant
	}
	return f.SignInWithIdp(f.t.Context(), c, r)
}

// TestPendingTokens solves conflicts with an account that has the same address: the user signs in by password and links
// the provider with the pending token of the conflict, which is valid once, in its tenant, and for an hour.
func TestPendingTokens(t *testing.T) {
	f := openSAML(t)
	f.configureSAML(admin, "saml.some", func() map[string]any {
		body := samlConfigOf(theSigner().pem)
		body["emailDomains"] = []any{"other.example"}
		return body
	}())
	email, password := "ann@corp.example", "secreta1"
	ann, err := f.SignUp(t.Context(), client, &service.SignUpRequest{Email: &email, Password: &password})
	if err != nil {
		t.Fatal(err)
	}
	f.issuer.User = func() map[string]any {
		return map[string]any{"sub": "9007199254740993", "email": email, "email_verified": false, "number": 9007199254740993}
	}
	conflict := map[string]func() (*service.IdpResponse, error){
		"saml.some": func() (*service.IdpResponse, error) {
			s := f.beginSAML(client, "saml.some")
			return f.presentSAML(client, s, f.reply(s).response())
		},
		"oidc.acme": func() (*service.IdpResponse, error) {
			session, uri := f.begin("oidc.acme")
			return f.present(uri.String(), "", session)
		},
	}
	pending := func(id string) string {
		t.Helper()
		got, err := conflict[id]()
		if err != nil || !got.NeedConfirmation || got.PendingToken == "" || got.IDToken != "" {
			t.Fatalf("%s: %+v, %v; want a conflict", id, got, err)
		}
		return got.PendingToken
	}
	refused := func(name string, want string, c service.Call, token string) {
		t.Helper()
		if got, err := f.presentPending(c, token, &ann.IDToken); err == nil || !strings.HasPrefix(apierror.Text(err), want) {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, want)
		}
	}
	for id := range conflict {
		token := pending(id)
		got, err := f.presentPending(client, token, &ann.IDToken)
		if err != nil || got.LocalID != ann.LocalID || got.ErrorMessage != "" || got.ProviderID != id {
			t.Errorf("linking %s: %+v, %v", id, got, err)
			continue
		}
		refused("the token of "+id+" again", "INVALID_PENDING_TOKEN", client, token)
		inner, _ := claimsOf(t, got.IDToken)["firebase"].(map[string]any)
		if attributes, _ := inner["sign_in_attributes"].(map[string]any); id == "saml.some" && attributes["role"] != "editor" || id == "oidc.acme" && !strings.Contains(got.RawUserInfo, "9007199254740993") {
			t.Errorf("linking %s lost what the provider asserted: %v, %s", id, attributes, got.RawUserInfo)
		}
		if again, err := conflict[id](); err != nil || again.LocalID != ann.LocalID || again.NeedConfirmation {
			t.Errorf("signing in with %s, which is linked: %+v, %v", id, again, err)
		}
	}
	refused("a token that was made up", "INVALID_PENDING_TOKEN", client, "made up")

	// A response of SAML that succeeds has a token too, because SDKs have no other credential to sign in again with.
	s := f.beginSAML(client, "saml.some")
	got, err := f.presentSAML(client, s, f.reply(s).response())
	if err != nil || got.PendingToken == "" {
		t.Fatalf("%+v, %v; want a pending token", got, err)
	}
	if again, err := f.presentPending(client, got.PendingToken, nil); err != nil || again.LocalID != ann.LocalID || again.IDToken == "" {
		t.Errorf("signing in with the token: %+v, %v", again, err)
	}
	refused("the token again", "INVALID_PENDING_TOKEN", client, got.PendingToken)

	fresh := func() string {
		t.Helper()
		s := f.beginSAML(client, "saml.some")
		got, err := f.presentSAML(client, s, f.reply(s).response())
		if err != nil {
			t.Fatal(err)
		}
		return got.PendingToken
	}
	tenant, err := f.CreateTenant(t.Context(), admin, &service.TenantRequest{Body: map[string]any{"displayName": "other"}})
	if err != nil {
		t.Fatal(err)
	}
	other := client
	other.Tenant = tenant.TenantID
	if got, err := f.presentPending(other, fresh(), nil); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_PENDING_TOKEN") {
		t.Errorf("in another tenant: %+v, %v", got, err)
	}
	uri, body, token := "http://localhost", url.Values{"providerId": {"google.com"}}.Encode(), fresh()
	if got, err := f.SignInWithIdp(t.Context(), client, &service.IdpRequest{RequestURI: &uri, PostBody: &body, PendingToken: &token}); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_PENDING_TOKEN") {
		t.Errorf("with another provider's id: %+v, %v", got, err)
	}
	token = fresh()
	if _, err := f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.some", Body: map[string]any{"enabled": false}, Mask: []string{"enabled"}}); err != nil {
		t.Fatal(err)
	}
	refused("of a provider that is disabled now", "OPERATION_NOT_ALLOWED", client, token)
	if _, err := f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: idp.SAML, ID: "saml.some", Body: map[string]any{"enabled": true}, Mask: []string{"enabled"}}); err != nil {
		t.Fatal(err)
	}
	token = fresh()
	f.clock.Advance(time.Hour + time.Second)
	if got, err := f.presentPending(client, token, nil); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_PENDING_TOKEN") {
		t.Errorf("after an hour: %+v, %v", got, err)
	}
	f.clock.Advance(time.Hour)
	if err := f.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	left := 0
	err = f.accounts.Items(t.Context(), account.Scope{Project: project}, idp.PendingItem, func(string, func(any) error) error {
		left++
		return nil
	})
	if err != nil || left != 0 {
		t.Errorf("%d pending credentials are left after the sweep, %v; want none", left, err)
	}
}

// TestPendingTokensOfChangedProviders presents pending tokens after an administrator has changed the provider: what it
// proves is judged by the present configuration, and ids of another issuer are those of other users.
func TestPendingTokensOfChangedProviders(t *testing.T) {
	f := openSAML(t)
	change := func(kind, id, mask string, body map[string]any) {
		t.Helper()
		if _, err := f.UpdateIdpConfig(t.Context(), admin, &service.IdpConfigRequest{Kind: kind, ID: id, Body: body, Mask: []string{mask}}); err != nil {
			t.Fatal(err)
		}
	}
	pending := func(name string) string {
		t.Helper()
		s := f.beginSAML(client, "saml.corp")
		r := f.reply(s)
		r.NameID = name
		got, err := f.presentSAML(client, s, r.response())
		if err != nil || got.PendingToken == "" {
			t.Fatalf("%+v, %v; want a pending token", got, err)
		}
		return got.PendingToken
	}
	// The provider's user exists; the owner of the same address signs up by password afterwards.
	email, password := "bea@corp.example", "secreta1"
	before, limited := pending(email), pending(email)
	found, err := f.accounts.ByEmail(account.Scope{Project: project}, email)
	if err != nil || found == nil {
		t.Fatalf("%+v, %v", found, err)
	}
	if _, err := f.Delete(t.Context(), admin, &service.DeleteRequest{LocalID: &found.UID}); err != nil {
		t.Fatal(err)
	}
	bea, err := f.SignUp(t.Context(), client, &service.SignUpRequest{Email: &email, Password: &password})
	if err != nil {
		t.Fatal(err)
	}
	change(idp.SAML, "saml.corp", "emailDomains", map[string]any{"emailDomains": []any{"other.example"}})
	if got, err := f.presentPending(client, limited, nil); err != nil || !got.NeedConfirmation || got.IDToken != "" || got.EmailVerified {
		t.Errorf("with an address that the provider does not prove any more: %+v, %v; want a conflict", got, err)
	}
	change(idp.SAML, "saml.corp", "emailDomains", map[string]any{"emailDomains": []any{}})
	if got, err := f.presentPending(client, before, nil); err != nil || got.LocalID != bea.LocalID || got.IDToken == "" {
		t.Errorf("with an address that the provider proves: %+v, %v", got, err)
	}

	token := pending("cid@corp.example")
	change(idp.SAML, "saml.corp", "idpConfig.idpEntityId", map[string]any{"idpConfig": map[string]any{"idpEntityId": "https://another.example"}})
	if got, err := f.presentPending(client, token, nil); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_PENDING_TOKEN") {
		t.Errorf("of another SAML provider with the same name: %+v, %v", got, err)
	}

	f.issuer.User = func() map[string]any {
		return map[string]any{"sub": "7", "email": email, "email_verified": false}
	}
	session, uri := f.begin("oidc.acme")
	conflict, err := f.present(uri.String(), "", session)
	if err != nil || conflict.PendingToken == "" {
		t.Fatalf("%+v, %v; want a conflict", conflict, err)
	}
	change(idp.OIDC, "oidc.acme", "issuer", map[string]any{"issuer": "https://another.example"})
	if got, err := f.presentPending(client, conflict.PendingToken, &bea.IDToken); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_PENDING_TOKEN") {
		t.Errorf("of another issuer with the same name: %+v, %v", got, err)
	}
}
