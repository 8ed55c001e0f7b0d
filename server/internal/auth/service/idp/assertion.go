// Package idp reads the credentials of identity providers and checks the configurations of providers. It verifies no
// signatures.
package idp

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/token"
)

// Assertion is an identity provider's assertion about a user.
type Assertion struct {
	// Provider is the provider's account of the user. Verified is set if the provider confirms that its address is the
	// user's.
	Provider account.Provider
	Verified bool
	// Address is the address as the provider wrote it.
	Address string
	// Claims are those of the provider's token.
	Claims map[string]any
	// Attributes are those of a SAML response beside the user's id; nil without a SAML response.
	Attributes map[string]any
	// Given holds the fields of the request.
	Given url.Values
	// Names is set when a user without name or picture takes over those of the provider: at a sign-in, not at linking.
	Names bool
}

// Read reads the credential of a request from its body or a pending token, and from the URL to which the provider
// redirected.
func Read(requestURI, postBody, pendingToken string) (*Assertion, error) {
	given, err := url.ParseQuery(postBody)
	if err != nil {
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid postBody.")
	}
	if pendingToken != "" && len(given) == 0 {
		if given, err = url.ParseQuery(pendingToken); err != nil {
			return nil, apierror.New("INVALID_PENDING_TOKEN")
		}
	}
	// Redirect flows return the credential in the address: in its query or its fragment. Fields of the body have
	// precedence.
	if uri, err := url.Parse(requestURI); err == nil && uri.Scheme != "" {
		fragment, err := url.ParseQuery(uri.Fragment)
		for _, more := range []url.Values{uri.Query(), fragment} {
			for k, v := range more {
				if given.Get(k) == "" && err == nil {
					given[k] = v
				}
			}
		}
	} else {
		return nil, apierror.New("INVALID_REQUEST_URI")
	}
	id := given.Get("providerId")
	if id == "" {
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: %s", redirect(requestURI, given))
	}
	claims, err := readClaims(given, id)
	if err != nil {
		return nil, err
	}
	return newAssertion(given, id, claims)
}

// redirect returns the URL to which a provider would have redirected the client, for messages.
func redirect(requestURI string, given url.Values) string {
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

// readClaims reads the credential's claims: a JWT whose signature is not checked, or plain JSON.
func readClaims(given url.Values, id string) (claims map[string]any, err error) {
	for _, name := range []string{"id_token", "access_token"} {
		raw := given.Get(name)
		if raw == "" {
			continue
		}
		claims, err := token.Unverified(raw)
		if err != nil {
			return nil, apierror.New("INVALID_IDP_RESPONSE : Unable to parse %s: %s ((Clave only accepts strict JSON or JWTs as fake %ss under clave start.))", name, raw, name)
		}
		return claims, nil
	}
	if given.Get("SAMLResponse") != "" {
		return map[string]any{}, nil // the string itself is the user's id
	}
	return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: providerId=%s", id)
}

// readSAML adds a SAML response in JSON to an assertion: the user's address and attributes.
func (a *Assertion) readSAML(response string) error {
	saml, err := token.DecodeClaims([]byte(response))
	if err != nil {
		return apierror.New("INVALID_IDP_RESPONSE : Unable to parse SAMLResponse as JSON.")
	}
	assertion, ok := saml["assertion"].(map[string]any)
	if !ok {
		return apierror.New("INVALID_IDP_RESPONSE ((Missing assertion in SAMLResponse.))")
	}
	subject, ok := assertion["subject"].(map[string]any)
	if !ok {
		return apierror.New("INVALID_IDP_RESPONSE ((Missing assertion.subject in SAMLResponse.))")
	}
	name, _ := subject["nameId"].(string)
	if name == "" {
		return apierror.New("INVALID_IDP_RESPONSE ((Missing assertion.subject.nameId in SAMLResponse.))")
	}
	if a.Provider.RawID == "" {
		a.Provider.RawID = name
	}
	if email, ok := field.Email(name); ok {
		a.Provider.Email, a.Address = email, name
	}
	a.Attributes = map[string]any{}
	if attributes, ok := assertion["attributeStatements"].(map[string]any); ok {
		a.Attributes = attributes
	}
	return nil
}

// newAssertion creates an assertion of claims.
func newAssertion(given url.Values, id string, claims map[string]any) (*Assertion, error) {
	word := func(names ...string) string {
		for _, name := range names {
			if s, ok := claims[name].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	a := &Assertion{Claims: claims, Given: given, Provider: account.Provider{
		ProviderID: id, RawID: word("sub"), DisplayName: word("name", "display_name", "displayName"), PhotoURL: word("picture", "photo_url", "photoUrl"), ScreenName: word("screen_name"),
	}}
	if response := given.Get("SAMLResponse"); response != "" {
		if err := a.readSAML(response); err != nil {
			return nil, err
		}
	}
	if a.Provider.RawID == "" {
		return nil, apierror.New("INVALID_IDP_RESPONSE : Invalid Idp Response: id_token missing required fields. ((Missing \"sub\" field. This field is required and must be a unique identifier.))")
	}
	if !field.ValidProvider(a.Provider.ProviderID, a.Provider.RawID) {
		return nil, apierror.New("INVALID_IDP_RESPONSE : The ids of the provider and of its user must not have NUL.")
	}
	if email := word("email"); email != "" && a.Provider.Email == "" {
		clean, ok := field.Email(email)
		if !ok {
			return nil, apierror.New("INVALID_EMAIL")
		}
		a.Provider.Email, a.Address = clean, clean
	}
	// Some providers send the claim as a string. Addresses of SAML responses count as verified.
	claimed := claims["email_verified"]
	a.Verified = a.Provider.Email != "" && (claimed == true || claimed == "true" || strings.HasPrefix(id, "saml."))
	return a, nil
}

// Fill links the provider to the user and takes over its profile where the user has none. duplicates is set if several
// users may have one address: the user then gets none.
func (a *Assertion) Fill(u *account.User, duplicates bool) {
	u.Providers = slices.DeleteFunc(u.Providers, func(p account.Provider) bool { return p.ProviderID == a.Provider.ProviderID })
	u.Providers = append(u.Providers, a.Provider)
	if u.Email == "" && !duplicates {
		u.Email = a.Provider.Email
	}
	if u.Email == a.Provider.Email && a.Verified {
		u.EmailVerified = true
	}
	if a.Names && u.DisplayName == nil {
		u.DisplayName = optional(a.Provider.DisplayName)
	}
	if a.Names && u.PhotoURL == nil {
		u.PhotoURL = optional(a.Provider.PhotoURL)
	}
	if a.Names && u.ScreenName == "" {
		u.ScreenName = a.Provider.ScreenName
	}
}

// optional returns a pointer to a string, or nil for an empty one.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Event returns the part of the credential that blocking functions receive.
func (a *Assertion) Event() map[string]any {
	raw, err := json.Marshal(a.Claims)
	if err != nil {
		return nil // decoded from JSON
	}
	return map[string]any{"raw_user_info": string(raw), "sign_in_method": a.Provider.ProviderID}
}

// Profile returns the assertion in the provider's own format, from which SDKs derive a user's additional information.
func (a *Assertion) Profile() map[string]any {
	if a.Attributes != nil {
		return a.Attributes
	}
	if a.Provider.ProviderID != "google.com" {
		return a.Claims
	}
	scopes := "openid https://www.googleapis.com/auth/userinfo.profile"
	if a.Provider.Email != "" {
		scopes += " https://www.googleapis.com/auth/userinfo.email"
	}
	out := map[string]any{
		"granted_scopes": scopes,
		"id":             a.Provider.RawID, "verified_email": a.Verified, "locale": "en",
	}
	for _, name := range []string{"name", "given_name", "family_name", "email", "picture"} {
		if v, ok := a.Claims[name]; ok {
			out[name] = v
		}
	}
	return out
}
