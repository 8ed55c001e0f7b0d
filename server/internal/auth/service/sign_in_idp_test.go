package service_test

import (
	"context"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
)

// onlyProvider is an identity provider that has issued one credential.
type onlyProvider struct {
	scope     account.Scope
	issued    idp.Credential
	assertion idp.Assertion
}

// Verify implements service.IdentityProviders.
func (p *onlyProvider) Verify(_ context.Context, scope account.Scope, c idp.Credential) (*idp.Assertion, error) {
	if scope != p.scope || c != p.issued {
		return nil, apierror.New("INVALID_IDP_RESPONSE : The credential is not the provider's.")
	}
	a := p.assertion
	return &a, nil
}

// Begin implements service.IdentityProviders.
func (p *onlyProvider) Begin(context.Context, account.Scope, idp.Start) (*idp.Started, error) {
	return &idp.Started{AuthURI: "https://acme.example/authorize", SessionID: p.issued.SessionID}, nil
}

// TestProvidersVerifyCredentials signs in to a production server with a provider. The server takes the user and the
// tokens from what the provider asserts, not from the request, and refuses what the provider refuses.
func TestProvidersVerifyCredentials(t *testing.T) {
	provider := &onlyProvider{
		scope:  account.Scope{Project: project},
		issued: idp.Credential{RequestURI: "https://app.example/handler?code=1", PostBody: "providerId=oidc.acme", PendingToken: "earlier", SessionID: "session"},
		assertion: idp.Assertion{
			Provider: account.Provider{ProviderID: "oidc.acme", RawID: "7", Email: "ann@example.com"}, Verified: true, Address: "ann@example.com",
			Claims: map[string]any{"sub": "7"}, IDToken: "the provider's",
		},
	}
	f := open(t, func(o *service.Options) { o.Emulator, o.EmulatorSettings, o.Providers = false, false, provider })
	request := func() *service.IdpRequest {
		c := provider.issued
		return &service.IdpRequest{RequestURI: &c.RequestURI, PostBody: &c.PostBody, PendingToken: &c.PendingToken, SessionID: &c.SessionID}
	}
	first, err := f.SignInWithIdp(t.Context(), client, request())
	if err != nil || !first.IsNewUser || !first.EmailVerified || first.Email != "ann@example.com" || first.OAuthIDToken != "the provider's" || first.OAuthAccessToken != "" || first.IDToken == "" {
		t.Fatalf("a new user's sign-in: %+v, %v", first, err)
	}
	again, err := f.SignInWithIdp(t.Context(), client, request())
	if err != nil || again.IsNewUser || again.LocalID != first.LocalID {
		t.Errorf("the user's next sign-in: %+v, %v; want the account %s", again, err, first.LocalID)
	}
	forged := request()
	body := "providerId=oidc.acme&id_token={\"sub\":\"7\"}"
	forged.PostBody = &body
	_, err = f.SignInWithIdp(t.Context(), client, forged)
	wantError(t, "a credential that the provider has not issued", err, "INVALID_IDP_RESPONSE : The credential is not the provider's.")
	f = open(t, func(o *service.Options) { o.Emulator, o.EmulatorSettings = false, false })
	_, err = f.SignInWithIdp(t.Context(), client, request())
	wantError(t, "a server without providers", err, "OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
}
