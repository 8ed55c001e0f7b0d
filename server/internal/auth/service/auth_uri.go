package service

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// AuthURIRequest queries the sign-in methods of an address, or the URL at which to sign in with a provider.
type AuthURIRequest struct {
	Identifier  *string `json:"identifier"`
	ContinueURI *string `json:"continueUri"`
	ProviderID  *string `json:"providerId"`
	SessionID   *string `json:"sessionId"`
	TenantID    *string `json:"tenantId"`
	// OAuthScope lists the scopes beside those that identify the user, separated by blanks or commas. CustomParameter has
	// further parameters of the provider's page.
	OAuthScope      *string        `json:"oauthScope"`
	CustomParameter map[string]any `json:"customParameter"`
}

// AuthURIResponse lists the sign-in methods of an address. With protection from e-mail enumeration it contains almost
// nothing.
type AuthURIResponse struct {
	Kind          string   `json:"kind"`
	Registered    *bool    `json:"registered,omitempty"`
	AllProviders  []string `json:"allProviders,omitzero"`
	SigninMethods []string `json:"signinMethods,omitzero"`
	SessionID     string   `json:"sessionId"`
	// AuthURI is the address of the provider's page; empty without a provider.
	AuthURI    string `json:"authUri,omitempty"`
	ProviderID string `json:"providerId,omitempty"`
}

// beginIdp begins a sign-in at a provider, which redirects to the request's address.
func (s *Service) beginIdp(ctx context.Context, cs *callSettings, r *AuthURIRequest) (*AuthURIResponse, error) {
	if s.o.Providers == nil {
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
	}
	start := idp.Start{ProviderID: *r.ProviderID, ContinueURI: optional.String(r.ContinueURI), SessionID: optional.String(r.SessionID), Parameters: make(map[string]string)}
	if !s.o.Emulator {
		if start.ContinueURI == "" {
			return nil, apierror.New("MISSING_CONTINUE_URI")
		}
		if u, err := url.Parse(start.ContinueURI); err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return nil, apierror.New("INVALID_CONTINUE_URI")
		}
		// The provider sends its response there: another site must not receive it.
		if !s.links.MayContinue(cs.project.AuthorizedDomains, start.ContinueURI) {
			return nil, apierror.New("UNAUTHORIZED_DOMAIN : Domain not allowlisted by project")
		}
		if err := s.limits.Take(cs.client(), limits.SignIn); err != nil {
			return nil, err
		}
	}
	start.Scopes = strings.FieldsFunc(optional.String(r.OAuthScope), func(c rune) bool { return c == ' ' || c == ',' })
	for name, value := range r.CustomParameter {
		if text, ok := value.(string); ok {
			start.Parameters[name] = text
		}
	}
	if hint := optional.String(r.Identifier); hint != "" && start.Parameters["login_hint"] == "" {
		start.Parameters["login_hint"] = hint
	}
	begun, err := s.o.Providers.Begin(ctx, cs.scope(), start)
	if err != nil {
		return nil, err
	}
	return &AuthURIResponse{Kind: "identitytoolkit#CreateAuthUriResponse", SessionID: begun.SessionID, AuthURI: begun.AuthURI, ProviderID: start.ProviderID}, nil
}

// CreateAuthURI returns the sign-in methods of an address or, for a request with a provider, begins a sign-in.
func (s *Service) CreateAuthURI(ctx context.Context, c Call, r *AuthURIRequest) (*AuthURIResponse, error) {
	cs, err := s.settings(ctx, c)
	if err != nil {
		return nil, err
	}
	if optional.String(r.ProviderID) != "" {
		return s.beginIdp(ctx, cs, r)
	}
	if optional.String(r.Identifier) == "" {
		return nil, apierror.New("MISSING_IDENTIFIER")
	}
	if optional.String(r.ContinueURI) == "" {
		return nil, apierror.New("MISSING_CONTINUE_URI")
	}
	email, ok := field.Email(*r.Identifier)
	if !ok {
		return nil, apierror.New("INVALID_IDENTIFIER")
	}
	if u, err := url.Parse(*r.ContinueURI); err != nil || u.Scheme == "" {
		return nil, apierror.New("INVALID_CONTINUE_URI")
	}
	res := &AuthURIResponse{Kind: "identitytoolkit#CreateAuthUriResponse", SessionID: optional.String(r.SessionID)}
	if res.SessionID == "" {
		res.SessionID = randid.New(27)
	}
	// With protection from e-mail enumeration the answer is the same for every address.
	if cs.privacy() {
		return res, nil
	}
	if err := s.limits.Take(c.client(), limits.SignIn); err != nil {
		return nil, err
	}
	u, err := s.byAnyEmail(ctx, c, email, !cs.uniqueEmail())
	if err != nil {
		return nil, err
	}
	registered := u != nil
	res.Registered, res.AllProviders, res.SigninMethods = &registered, []string{}, []string{}
	if u == nil {
		return res, nil
	}
	if cs.uniqueEmail() {
		for _, p := range u.Providers {
			res.AllProviders = append(res.AllProviders, p.ProviderID)
			res.SigninMethods = append(res.SigninMethods, p.ProviderID)
		}
	}
	if u.Password != nil || u.EmailLink {
		res.AllProviders = append(res.AllProviders, "password")
	}
	if u.Password != nil {
		res.SigninMethods = append(res.SigninMethods, "password")
	}
	if u.EmailLink {
		res.SigninMethods = append(res.SigninMethods, "emailLink")
	}
	return res, nil
}

// byAnyEmail returns the account with an address, its own or that of a linked provider, or nil. With own it returns
// only accounts that have an address of their own. Finding providers' addresses takes a scan of all accounts, so only
// `clave start` finds them: clients without credentials must not be able to start a scan on a production server.
func (s *Service) byAnyEmail(ctx context.Context, c Call, email string, own bool) (found *account.User, err error) {
	found, err = s.accounts.ByEmail(c.scope(), email)
	if err != nil || found != nil || !s.o.Emulator {
		return found, err
	}
	err = s.accounts.List(ctx, c.scope(), "", func(u *account.User) bool {
		has := func(p account.Provider) bool { return strings.EqualFold(p.Email, email) }
		if slices.ContainsFunc(u.Providers, has) && (!own || u.Email != "") {
			found = u
		}
		return found == nil
	})
	return found, err
}

// RevokeTokenRequest revokes a provider's token.
type RevokeTokenRequest struct {
	ProviderID *string `json:"providerId"`
	IDToken    *string `json:"idToken"`
	Token      *string `json:"token"`
	// TokenType is ACCESS_TOKEN or REFRESH_TOKEN.
	TokenType *string `json:"tokenType"`
	TenantID  *string `json:"tenantId"`
}

// TokenRevoker is implemented by IdentityProviders that can revoke tokens.
type TokenRevoker interface {
	// Revoke revokes a token of a provider that has been issued to the project; hint is access_token or refresh_token.
	Revoke(ctx context.Context, scope account.Scope, provider, token, hint string) error
}

// tokenHints has the types of tokens that can be revoked, by their names in the API, with those of RFC 7009.
var tokenHints = map[string]string{"ACCESS_TOKEN": "access_token", "REFRESH_TOKEN": "refresh_token"}

// RevokeToken revokes a token of Apple, as its guidelines require when a user deletes an account. Other providers have
// none that can be revoked. The official emulator answers that it is not implemented.
func (s *Service) RevokeToken(ctx context.Context, c Call, r *RevokeTokenRequest) (*struct{}, error) {
	if s.o.AsEmulator {
		return nil, fault.E(fault.Unimplemented, "identitytoolkit.accounts.revokeToken is not implemented in the Auth Emulator.")
	}
	revoker, ok := s.o.Providers.(TokenRevoker)
	if !ok || optional.String(r.ProviderID) != "apple.com" {
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
	}
	hint := tokenHints[optional.String(r.TokenType)]
	if hint == "" {
		return nil, fault.E(fault.Unimplemented, "Only tokens of the types ACCESS_TOKEN and REFRESH_TOKEN can be revoked, not %.32q.", optional.String(r.TokenType))
	}
	if optional.String(r.Token) == "" {
		return nil, apierror.New("MISSING_REQ_FIELD : token")
	}
	if optional.String(r.IDToken) == "" {
		return nil, apierror.New("MISSING_ID_TOKEN")
	}
	cs, err := s.userSettings(ctx, c, r.IDToken)
	if err != nil {
		return nil, err
	}
	u, _, err := s.userOf(&cs.Call, *r.IDToken)
	if err != nil {
		return nil, err
	}
	if u.Provider("apple.com") == nil {
		return nil, apierror.New("NO_SUCH_PROVIDER")
	}
	if err := s.limits.Take(cs.client(), limits.SignIn); err != nil {
		return nil, err
	}
	return &struct{}{}, revoker.Revoke(ctx, cs.scope(), "apple.com", *r.Token, hint)
}

// RecaptchaConfig returns the state of reCAPTCHA, which is off.
func (s *Service) RecaptchaConfig(context.Context, Call, *PublicRequest) (*RecaptchaState, error) {
	return &RecaptchaState{Enforcement: []any{}}, nil
}

// RecaptchaState is the state that clients fetch before they protect calls with reCAPTCHA.
type RecaptchaState struct {
	Key         string `json:"recaptchaKey"`
	Enforcement []any  `json:"recaptchaEnforcementState"`
}
