package service

import (
	"context"
	"encoding/json"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/optional"
	"clave/server/internal/auth/service/session"
)

// IdpRequest signs in with the credential of an identity provider.
type IdpRequest struct {
	RequestURI          *string `json:"requestUri"`
	PostBody            *string `json:"postBody"`
	ReturnRefreshToken  *bool   `json:"returnRefreshToken"`
	ReturnIdpCredential *bool   `json:"returnIdpCredential"`
	ReturnSecureToken   *bool   `json:"returnSecureToken"`
	AutoCreate          *bool   `json:"autoCreate"`
	IDToken             *string `json:"idToken"`
	PendingToken        *string `json:"pendingToken"`
	PendingIDToken      *string `json:"pendingIdToken"`
	SessionID           *string `json:"sessionId"`
	TenantID            *string `json:"tenantId"`
}

// IdpResponse is the response to an IdpRequest.
type IdpResponse struct {
	Kind             string `json:"kind"`
	FederatedID      string `json:"federatedId,omitempty"`
	ProviderID       string `json:"providerId,omitempty"`
	LocalID          string `json:"localId,omitempty"`
	Email            string `json:"email,omitempty"`
	EmailVerified    bool   `json:"emailVerified"`
	DisplayName      string `json:"displayName,omitempty"`
	FullName         string `json:"fullName,omitempty"`
	FirstName        string `json:"firstName,omitempty"`
	LastName         string `json:"lastName,omitempty"`
	ScreenName       string `json:"screenName,omitempty"`
	PhotoURL         string `json:"photoUrl,omitempty"`
	RawUserInfo      string `json:"rawUserInfo,omitempty"`
	OAuthIDToken     string `json:"oauthIdToken,omitempty"`
	OAuthAccessToken string `json:"oauthAccessToken,omitempty"`
	OAuthExpireIn    int    `json:"oauthExpireIn,omitempty"`
	// OAuthRefreshToken is the provider's, for requests with returnRefreshToken.
	OAuthRefreshToken string   `json:"oauthRefreshToken,omitempty"`
	IsNewUser         bool     `json:"isNewUser,omitempty"`
	NeedConfirmation  bool     `json:"needConfirmation,omitempty"`
	VerifiedProvider  []string `json:"verifiedProvider,omitempty"`
	ErrorMessage      string   `json:"errorMessage,omitempty"`
	EmailRecycled     bool     `json:"emailRecycled,omitempty"`
	Nonce             string   `json:"nonce,omitempty"`
	TenantID          string   `json:"tenantId,omitempty"`
	// PendingToken stands for the provider's credential in one further request.
	PendingToken string `json:"pendingToken,omitempty"`
	Tokens
	Pending
}

// IdentityProviders verify the credentials of identity providers.
type IdentityProviders interface {
	// Verify returns what the provider of a credential asserts about the user who signs in. The configuration of the
	// provider is that of the scope's project or tenant. It returns an error unless the credential is the provider's own,
	// was issued for this scope and is still valid, and an error that the API names if the client is to know the reason.
	// Which accounts exist, and whether the user may sign in, is for the caller to decide. It may be called concurrently.
	Verify(ctx context.Context, scope account.Scope, c idp.Credential) (*idp.Assertion, error)
	// Begin begins a sign-in at a provider, whose response Verify accepts once, with the session id that Begin returns.
	// The caller has checked the address to which the provider redirects. It may be called concurrently.
	Begin(ctx context.Context, scope account.Scope, start idp.Start) (*idp.Started, error)
}

// AssertionKeeper is implemented by IdentityProviders that accept pending tokens.
type AssertionKeeper interface {
	// Keep stores an assertion and returns a token. Verify accepts the token instead of the provider's credential, in the
	// same scope and once. Without a token the assertion cannot be kept.
	Keep(ctx context.Context, scope account.Scope, a *idp.Assertion) (token string, err error)
}

// keep adds a pending token to a response, with which the client repeats the request after a conflict is solved, such
// as to link the provider to the account that has the same address. A client that has requested the credential of a
// SAML provider always receives one: no other credential of SAML can be presented again.
func (s *Service) keep(ctx context.Context, in *idpSignIn, res *IdpResponse) error {
	keeper, ok := s.o.Providers.(AssertionKeeper)
	again := res.IDToken != "" && in.assertion.Attributes != nil && optional.Bool(in.request.ReturnIdpCredential, false)
	if !ok || !res.NeedConfirmation && res.ErrorMessage == "" && !again {
		return nil
	}
	var err error
	res.PendingToken, err = keeper.Keep(ctx, in.scope(), in.assertion)
	return err
}

// SignInWithIdp signs in with a credential of an identity provider, which Options.Providers verify. Without them it
// refuses every credential.
//
// The account is found in this order: the signed-in user's, if the request has an ID token (then the provider is
// linked); the account to which the provider's user id is linked; the account with the same address, if linking to it
// is safe (idpWithoutUser); a new one.
func (s *Service) SignInWithIdp(ctx context.Context, c Call, r *IdpRequest) (*IdpResponse, error) {
	cs, err := s.userSettings(ctx, c, r.IDToken)
	if err != nil {
		return nil, err
	}
	if s.o.Providers == nil {
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
	}
	if optional.String(r.RequestURI) == "" {
		return nil, apierror.New("MISSING_REQUEST_URI")
	}
	if err := s.limits.Take(cs.client(), limits.SignIn); err != nil {
		return nil, err
	}
	a, err := s.o.Providers.Verify(ctx, cs.scope(), idp.Credential{
		RequestURI: *r.RequestURI, PostBody: optional.String(r.PostBody), PendingToken: optional.String(r.PendingToken), SessionID: optional.String(r.SessionID),
	})
	if err != nil {
		return nil, err
	}
	owner, err := s.accounts.ByProvider(cs.scope(), a.Provider.ProviderID, a.Provider.RawID)
	if err != nil {
		return nil, err
	}
	in := &idpSignIn{callSettings: cs, request: r, assertion: a, response: idpResponse(a)}
	in.response.TenantID = cs.Tenant
	if optional.Bool(r.ReturnRefreshToken, false) {
		in.response.OAuthRefreshToken = a.RefreshToken
	}
	var res *IdpResponse
	if r.IDToken != nil {
		res, err = s.linkIdp(ctx, in, owner)
	} else {
		a.Names = owner == nil
		res, err = s.idpWithoutUser(ctx, in, owner)
	}
	if err != nil {
		return nil, err
	}
	return res, s.keep(ctx, in, res)
}

// idpSignIn is a sign-in with an identity provider that has asserted who the user is.
type idpSignIn struct {
	*callSettings
	request   *IdpRequest
	assertion *idp.Assertion
	response  *IdpResponse
}

// refuse returns an error by its name. Clients that requested the provider's credential receive it with the error.
func (in *idpSignIn) refuse(code string) (*IdpResponse, error) {
	if optional.Bool(in.request.ReturnIdpCredential, false) {
		in.response.ErrorMessage = code
		return in.response, nil
	}
	return nil, apierror.New("%s", code)
}

// session returns the session that begins.
func (in *idpSignIn) session() session.Session {
	ses := session.Session{Provider: in.assertion.Provider.ProviderID}
	switch {
	case in.assertion.Attributes != nil:
		ses.ProviderClaims = in.assertion.Attributes
	case strings.HasPrefix(ses.Provider, "oidc."), strings.HasPrefix(ses.Provider, "saml."):
		ses.ProviderClaims = in.assertion.Claims
	}
	return ses
}

// linkIdp links the provider to the user of the request's ID token. owner is the user to whom it is linked already, or
// nil.
func (s *Service) linkIdp(ctx context.Context, in *idpSignIn, owner *account.User) (*IdpResponse, error) {
	u, _, err := s.userOf(&in.Call, *in.request.IDToken)
	if err != nil {
		return nil, err
	}
	if owner != nil { // applies to the user of the token too, as in the official emulator
		return in.refuse("FEDERATED_USER_ID_ALREADY_LINKED")
	}
	email := in.assertion.Provider.Email
	other, err := s.accounts.ByEmail(in.scope(), email)
	if err != nil {
		return nil, err
	}
	if other != nil && other.UID != u.UID && email != "" && in.uniqueEmail() {
		return in.refuse("EMAIL_EXISTS")
	}
	return s.finishIdp(ctx, in, u)
}

// idpWithoutUser signs in without an ID token: as u, which the provider is linked to, as the user with the same
// address, or as a new one.
func (s *Service) idpWithoutUser(ctx context.Context, in *idpSignIn, u *account.User) (*IdpResponse, error) {
	a, res := in.assertion, in.response
	if u == nil && a.Provider.Email != "" && in.uniqueEmail() {
		same, err := s.accounts.ByEmail(in.scope(), a.Provider.Email)
		if err != nil {
			return nil, err
		}
		// Another account has the address, and the provider does not confirm that the user owns it. Linking would give that
		// account to anyone who registers its address with a provider. Instead the client receives the account's providers,
		// so that the user can sign in with one of them and then link. The exception is an account without a verified
		// address, a password and a provider: it is linked.
		if same != nil && !a.Verified && (same.EmailVerified || same.Password != nil || len(same.Providers) > 0) {
			res.NeedConfirmation, res.LocalID = true, same.UID
			for _, p := range same.Providers {
				res.VerifiedProvider = append(res.VerifiedProvider, p.ProviderID)
			}
			return res, nil
		}
		u = same
		res.EmailRecycled = same != nil && same.Provider(a.Provider.ProviderID) != nil
	}
	if u == nil {
		if !optional.Bool(in.request.AutoCreate, true) {
			return in.refuse("USER_NOT_FOUND")
		}
		if in.signUpOff() {
			return nil, apierror.New("ADMIN_ONLY_OPERATION")
		}
		u = s.newUser(in.Project, newUID())
		res.IsNewUser = true
		a.Fill(u, !in.uniqueEmail())
	}
	return s.finishIdp(ctx, in, u)
}

// finishIdp links the provider to the user and signs in.
func (s *Service) finishIdp(ctx context.Context, in *idpSignIn, u *account.User) (*IdpResponse, error) {
	a, res := in.assertion, in.response
	res.LocalID = u.UID
	takesOver := func(u *account.User) bool {
		return a.Names && a.Verified && u.Email == a.Provider.Email && !res.IsNewUser
	}
	out, err := s.complete(ctx, &attempt{
		callSettings: in.callSettings, user: u, isNew: res.IsNewUser, session: in.session(), assertion: a,
		prepare: func(u *account.User) {
			if takesOver(u) {
				u.HandOver(s.now(in.Project))
			}
		},
		edit: func(_ *account.Change, u *account.User) error {
			if takesOver(u) {
				u.HandOver(s.now(in.Project))
				if s.o.AsEmulator && u.Email != "" {
					u.DisplayName, u.PhotoURL, u.ScreenName = nil, nil, "" // replaced by the provider's, which may be empty
				}
			}
			if !res.IsNewUser { // A new account is filled already, and beforeCreate may have changed it since.
				a.Fill(u, !in.uniqueEmail())
			}
			res.EmailVerified = u.EmailVerified
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	res.Tokens, res.Pending = out.Tokens, out.Pending
	return res, nil
}

// idpResponse returns an assertion in the form of the client's response.
func idpResponse(a *idp.Assertion) *IdpResponse {
	raw, err := json.Marshal(a.Profile())
	if err != nil {
		raw = nil // decoded from JSON
	}
	p := a.Provider
	res := &IdpResponse{
		Kind: "identitytoolkit#VerifyAssertionResponse", ProviderID: p.ProviderID, FederatedID: p.RawID, Email: a.Address, EmailVerified: a.Verified,
		DisplayName: p.DisplayName, FullName: p.DisplayName, PhotoURL: p.PhotoURL, ScreenName: p.ScreenName, RawUserInfo: string(raw),
		OAuthIDToken: a.IDToken, OAuthAccessToken: a.AccessToken, OAuthExpireIn: a.ExpiresIn, Nonce: a.Nonce,
	}
	if p.ProviderID == "google.com" {
		res.FederatedID = "https://accounts.google.com/" + p.RawID
	}
	res.FirstName, _ = a.Claims["given_name"].(string)
	res.LastName, _ = a.Claims["family_name"].(string)
	return res
}
