package identity

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"clave/server/account"
	"clave/server/identity/contact"
	"clave/server/token"
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
	Kind             string   `json:"kind"`
	FederatedID      string   `json:"federatedId,omitempty"`
	ProviderID       string   `json:"providerId,omitempty"`
	LocalID          string   `json:"localId,omitempty"`
	Email            string   `json:"email,omitempty"`
	EmailVerified    bool     `json:"emailVerified"`
	DisplayName      string   `json:"displayName,omitempty"`
	FullName         string   `json:"fullName,omitempty"`
	FirstName        string   `json:"firstName,omitempty"`
	LastName         string   `json:"lastName,omitempty"`
	ScreenName       string   `json:"screenName,omitempty"`
	PhotoURL         string   `json:"photoUrl,omitempty"`
	RawUserInfo      string   `json:"rawUserInfo,omitempty"`
	OAuthIDToken     string   `json:"oauthIdToken,omitempty"`
	OAuthAccessToken string   `json:"oauthAccessToken,omitempty"`
	OAuthExpireIn    int      `json:"oauthExpireIn,omitempty"`
	IsNewUser        bool     `json:"isNewUser,omitempty"`
	NeedConfirmation bool     `json:"needConfirmation,omitempty"`
	VerifiedProvider []string `json:"verifiedProvider,omitempty"`
	ErrorMessage     string   `json:"errorMessage,omitempty"`
	EmailRecycled    bool     `json:"emailRecycled,omitempty"`
	Nonce            string   `json:"nonce,omitempty"`
	TenantID         string   `json:"tenantId,omitempty"`
	Tokens
	Pending
}

// assertion is an identity provider's assertion about a user.
type assertion struct {
	provider account.Provider
	verified bool
	// shown is the address as the provider wrote it.
	shown  string
	claims map[string]any
	// attributes are those of a SAML response beside the user's id; nil without a SAML response.
	attributes map[string]any
	given      url.Values
	// names is set when a user without name or picture takes over those of the provider: at a sign-in, not at linking.
	names bool
}

// SignInWithIdp signs in with a credential of an identity provider. It works only under `clave start`, which accepts
// the credential without verification, as the official emulator does: Clave has no secrets of providers to verify it
// with.
//
// The account is found in this order: the signed-in user's, if the request has an ID token (then the provider is linked); the account
// to which the provider's user id is linked; the account with the same address, if linking to it is safe (idpWithoutUser); a new one.
func (s *Service) SignInWithIdp(ctx context.Context, c Call, r *IdpRequest) (*IdpResponse, error) {
	cfg, tenant, err := s.settings(ctx, &c)
	if err != nil {
		return nil, err
	}
	if !s.o.Emulator {
		return nil, apiError("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
	}
	if stringOf(r.RequestURI) == "" {
		return nil, apiError("MISSING_REQUEST_URI")
	}
	a, err := readAssertion(r)
	if err != nil {
		return nil, err
	}
	res := a.response()
	owner, err := s.accounts.ByProvider(c.scope(), a.provider.ProviderID, a.provider.RawID)
	if err != nil {
		return nil, err
	}
	ses := session{Provider: a.provider.ProviderID}
	switch {
	case a.attributes != nil:
		ses.ProviderClaims = a.attributes
	case strings.HasPrefix(ses.Provider, "oidc."), strings.HasPrefix(ses.Provider, "saml."):
		ses.ProviderClaims = a.claims
	}
	res.TenantID = c.Tenant
	if r.IDToken != nil {
		u, _, err := s.userOf(&c, *r.IDToken)
		if err != nil {
			return nil, err
		}
		if owner != nil { // applies to the user of the token too, as in the official emulator
			return refuse(r, res, "FEDERATED_USER_ID_ALREADY_LINKED")
		}
		if other, err := s.accounts.ByEmail(c.scope(), a.provider.Email); err != nil {
			return nil, err
		} else if other != nil && other.UID != u.UID && a.provider.Email != "" && !cfg.SignIn.AllowDuplicateEmails {
			return refuse(r, res, "EMAIL_EXISTS")
		}
		return res, s.finishIdp(ctx, c, cfg, tenant, u, a, ses, res)
	}
	a.names = owner == nil
	return s.idpWithoutUser(ctx, c, cfg, tenant, owner, a, ses, r, res)
}

// refuse returns an error by its name. Clients that requested the provider's credential receive it with the error.
func refuse(r *IdpRequest, res *IdpResponse, code string) (*IdpResponse, error) {
	if boolOr(r.ReturnIdpCredential, false) {
		res.ErrorMessage = code
		return res, nil
	}
	return nil, apiError("%s", code)
}

// idpWithoutUser signs in without an ID token: as u, which the provider is linked to, as the user with the same address, or as a new one.
func (s *Service) idpWithoutUser(ctx context.Context, c Call, cfg *Config, tenant *Tenant, u *account.User, a *assertion, ses session, r *IdpRequest, res *IdpResponse) (*IdpResponse, error) {
	if u == nil && a.provider.Email != "" && !cfg.SignIn.AllowDuplicateEmails {
		same, err := s.accounts.ByEmail(c.scope(), a.provider.Email)
		if err != nil {
			return nil, err
		}
		// Another account has the address, and the provider does not confirm that the user owns it. Linking would give that
		// account to anyone who registers its address with a provider. Instead the client receives the account's providers,
		// so that the user can sign in with one of them and then link. The exception is an account without a verified
		// address, a password and a provider: it is linked.
		if same != nil && !a.verified && (same.EmailVerified || same.Password != nil || len(same.Providers) > 0) {
			res.NeedConfirmation, res.LocalID = true, same.UID
			for _, p := range same.Providers {
				res.VerifiedProvider = append(res.VerifiedProvider, p.ProviderID)
			}
			return res, nil
		}
		u = same
		res.EmailRecycled = same != nil && same.Provider(a.provider.ProviderID) != nil
	}
	if u == nil {
		if !boolOr(r.AutoCreate, true) {
			return refuse(r, res, "USER_NOT_FOUND")
		}
		if s.signUpOff(cfg, tenant) {
			return nil, apiError("ADMIN_ONLY_OPERATION")
		}
		u = s.newUser(newUID())
		res.IsNewUser = true
		a.fill(u, cfg)
	}
	return res, s.finishIdp(ctx, c, cfg, tenant, u, a, ses, res)
}

// finishIdp links the provider to the user and signs in.
func (s *Service) finishIdp(ctx context.Context, c Call, cfg *Config, tenant *Tenant, u *account.User, a *assertion, ses session, res *IdpResponse) error {
	res.LocalID = u.UID
	takesOver := func(u *account.User) bool { return a.names && a.verified && u.Email == a.provider.Email }
	out, err := s.complete(ctx, &attempt{
		call: c, cfg: cfg, tenant: tenant, user: u, isNew: res.IsNewUser, session: ses, event: a.event(),
		prepare: func(u *account.User) {
			if takesOver(u) {
				s.handOver(u)
			}
		},
		edit: func(_ *account.Change, u *account.User) error {
			if takesOver(u) {
				s.handOver(u)
				if s.o.AsEmulator && u.Email != "" && !res.IsNewUser {
					u.DisplayName, u.PhotoURL, u.ScreenName = nil, nil, "" // replaced by the provider's, which may be empty
				}
			}
			a.fill(u, cfg)
			res.EmailVerified = u.EmailVerified
			return nil
		},
	})
	if err != nil {
		return err
	}
	res.Tokens, res.Pending = out.Tokens, out.Pending
	return nil
}

// handOver prepares an account for the user who has just proved ownership of its address, by a code or by a provider's assertion. Until
// then an attacker may have created the account with that address (account pre-hijacking): all credentials by which the attacker could
// sign in are removed, second factors that would keep the owner out are removed, and all sessions end. Links that move the account to
// another address end, too: see ended.
func (s *Service) handOver(u *account.User) {
	if u.EmailVerified || u.Email == "" {
		return
	}
	u.Password, u.PasswordUpdated, u.Providers, u.Phone, u.Passkeys, u.Factors, u.SignedInFrom = nil, 0, nil, "", nil, nil, nil
	u.HandedOver = s.now()
	s.revoke(u)
}

// fill links the provider to the user and takes over its profile where the user has none.
func (a *assertion) fill(u *account.User, cfg *Config) {
	u.Providers = slices.DeleteFunc(u.Providers, func(p account.Provider) bool { return p.ProviderID == a.provider.ProviderID })
	u.Providers = append(u.Providers, a.provider)
	if u.Email == "" && !cfg.SignIn.AllowDuplicateEmails {
		u.Email = a.provider.Email
	}
	if u.Email == a.provider.Email && a.verified {
		u.EmailVerified = true
	}
	if a.names && u.DisplayName == nil {
		u.DisplayName = nonEmpty(a.provider.DisplayName)
	}
	if a.names && u.PhotoURL == nil {
		u.PhotoURL = nonEmpty(a.provider.PhotoURL)
	}
	if a.names && u.ScreenName == "" {
		u.ScreenName = a.provider.ScreenName
	}
}

// event returns the part of the credential that blocking functions receive.
func (a *assertion) event() map[string]any {
	raw, err := json.Marshal(a.claims)
	if err != nil {
		return nil // decoded from JSON
	}
	return map[string]any{"raw_user_info": string(raw), "sign_in_method": a.provider.ProviderID}
}

// readAssertion reads the credential of a request.
func readAssertion(r *IdpRequest) (*assertion, error) {
	given, err := url.ParseQuery(stringOf(r.PostBody))
	if err != nil {
		return nil, apiError("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid postBody.")
	}
	if p := stringOf(r.PendingToken); p != "" && len(given) == 0 {
		if given, err = url.ParseQuery(p); err != nil {
			return nil, apiError("INVALID_PENDING_TOKEN")
		}
	}
	// Redirect flows return the credential in the address: in its query or its fragment. Fields of the body have precedence.
	if uri, err := url.Parse(*r.RequestURI); err == nil && uri.Scheme != "" {
		fragment, err := url.ParseQuery(uri.Fragment)
		for _, more := range []url.Values{uri.Query(), fragment} {
			for k, v := range more {
				if given.Get(k) == "" && err == nil {
					given[k] = v
				}
			}
		}
	} else {
		return nil, apiError("INVALID_REQUEST_URI")
	}
	id := given.Get("providerId")
	if id == "" {
		return nil, apiError("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: %s", shown(stringOf(r.RequestURI), given))
	}
	claims, err := idpClaims(given, id)
	if err != nil {
		return nil, err
	}
	return assert(given, id, claims)
}

// shown returns the URL to which a provider would have redirected the client, for messages.
func shown(requestURI string, given url.Values) string {
	uri, err := url.Parse(requestURI)
	if err != nil {
		return given.Encode()
	}
	if uri.Path == "" {
		uri.Path = "/"
	}
	uri.RawQuery = given.Encode()
	return uri.String()
}

// idpClaims reads the credential's claims: a JWT whose signature is not checked, or plain JSON.
func idpClaims(given url.Values, id string) (claims map[string]any, err error) {
	for _, name := range []string{"id_token", "access_token"} {
		raw := given.Get(name)
		if raw == "" {
			continue
		}
		claims, err := token.Unverified(raw)
		if err != nil {
			return nil, apiError("INVALID_IDP_RESPONSE : Unable to parse %s: %s ((Clave only accepts strict JSON or JWTs as fake %ss under clave start.))", name, raw, name)
		}
		return claims, nil
	}
	if given.Get("SAMLResponse") != "" {
		return map[string]any{}, nil // the string itself is the user's id
	}
	return nil, apiError("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: providerId=%s", id)
}

// readSAML adds a SAML response in JSON to an assertion: the user's address and attributes.
func (a *assertion) readSAML(response string) error {
	saml, err := token.DecodeClaims([]byte(response))
	if err != nil {
		return apiError("INVALID_IDP_RESPONSE : Unable to parse SAMLResponse as JSON.")
	}
	assertion, ok := saml["assertion"].(map[string]any)
	if !ok {
		return apiError("INVALID_IDP_RESPONSE ((Missing assertion in SAMLResponse.))")
	}
	subject, ok := assertion["subject"].(map[string]any)
	if !ok {
		return apiError("INVALID_IDP_RESPONSE ((Missing assertion.subject in SAMLResponse.))")
	}
	name, _ := subject["nameId"].(string)
	if name == "" {
		return apiError("INVALID_IDP_RESPONSE ((Missing assertion.subject.nameId in SAMLResponse.))")
	}
	if a.provider.RawID == "" {
		a.provider.RawID = name
	}
	if email, ok := contact.Email(name); ok {
		a.provider.Email, a.shown = email, name
	}
	a.attributes = map[string]any{}
	if attributes, ok := assertion["attributeStatements"].(map[string]any); ok {
		a.attributes = attributes
	}
	return nil
}

// assert creates an assertion of claims.
func assert(given url.Values, id string, claims map[string]any) (*assertion, error) {
	word := func(names ...string) string {
		for _, name := range names {
			if s, ok := claims[name].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	a := &assertion{claims: claims, given: given, provider: account.Provider{
		ProviderID: id, RawID: word("sub"), DisplayName: word("name", "display_name", "displayName"), PhotoURL: word("picture", "photo_url", "photoUrl"), ScreenName: word("screen_name"),
	}}
	if response := given.Get("SAMLResponse"); response != "" {
		if err := a.readSAML(response); err != nil {
			return nil, err
		}
	}
	if a.provider.RawID == "" {
		return nil, apiError("INVALID_IDP_RESPONSE : Invalid Idp Response: id_token missing required fields. ((Missing \"sub\" field. This field is required and must be a unique identifier.))")
	}
	if email := word("email"); email != "" && a.provider.Email == "" {
		clean, ok := contact.Email(email)
		if !ok {
			return nil, apiError("INVALID_EMAIL")
		}
		a.provider.Email, a.shown = clean, clean
	}
	// Some providers send the claim as a string. Addresses of SAML responses count as verified.
	claimed := claims["email_verified"]
	a.verified = a.provider.Email != "" && (claimed == true || claimed == "true" || strings.HasPrefix(id, "saml."))
	return a, nil
}

// response returns the assertion in the form of the client's response.
func (a *assertion) response() *IdpResponse {
	raw, err := json.Marshal(a.profile())
	if err != nil {
		raw = nil // decoded from JSON
	}
	p := a.provider
	res := &IdpResponse{
		Kind: "identitytoolkit#VerifyAssertionResponse", ProviderID: p.ProviderID, FederatedID: p.RawID, Email: a.shown, EmailVerified: a.verified,
		DisplayName: p.DisplayName, FullName: p.DisplayName, PhotoURL: p.PhotoURL, ScreenName: p.ScreenName, RawUserInfo: string(raw),
		OAuthIDToken: a.given.Get("id_token"), OAuthAccessToken: a.given.Get("access_token"), Nonce: a.given.Get("nonce"),
	}
	if p.ProviderID == "google.com" {
		res.FederatedID = "https://accounts.google.com/" + p.RawID
	}
	if res.OAuthAccessToken == "" {
		// The official emulator's value: a page may query the provider with it and requires one.
		res.OAuthAccessToken = "FirebaseAuthEmulatorFakeAccessToken_" + p.ProviderID
	}
	res.FirstName, _ = a.claims["given_name"].(string)
	res.LastName, _ = a.claims["family_name"].(string)
	return res
}

// profile returns the assertion in the provider's own format, from which SDKs derive a user's additional information.
func (a *assertion) profile() map[string]any {
	if a.attributes != nil {
		return a.attributes
	}
	if a.provider.ProviderID != "google.com" {
		return a.claims
	}
	scopes := "openid https://www.googleapis.com/auth/userinfo.profile"
	if a.provider.Email != "" {
		scopes += " https://www.googleapis.com/auth/userinfo.email"
	}
	out := map[string]any{
		"granted_scopes": scopes,
		"id":             a.provider.RawID, "verified_email": a.verified, "locale": "en",
	}
	for _, name := range []string{"name", "given_name", "family_name", "email", "picture"} {
		if v, ok := a.claims[name]; ok {
			out[name] = v
		}
	}
	return out
}
