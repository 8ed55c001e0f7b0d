package idp

import (
	"context"
	"net/url"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// Fakes are the identity providers of `clave start`. They accept every credential without verifying it, as the official
// emulator does: a page or a test makes up the user.
type Fakes struct{}

// Begin returns the official emulator's error: pages of the emulator sign in without createAuthUri.
func (Fakes) Begin(context.Context, account.Scope, Start) (*Started, error) {
	return nil, fault.E(fault.Unimplemented, "Sign-in with IDP is not yet supported.")
}

// Verify returns what a credential asserts. It reads the credential's fields from the body or the pending token, and
// from the URL to which a provider would have redirected.
func (Fakes) Verify(_ context.Context, _ account.Scope, c Credential) (*Assertion, error) {
	given, err := url.ParseQuery(c.PostBody)
	if err != nil {
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid postBody.")
	}
	if c.PendingToken != "" && len(given) == 0 {
		if given, err = url.ParseQuery(c.PendingToken); err != nil {
			return nil, apierror.New("INVALID_PENDING_TOKEN")
		}
	}
	// Redirect flows return the credential in the address: in its query or its fragment. Fields of the body have
	// precedence.
	if uri, err := url.Parse(c.RequestURI); err == nil && uri.Scheme != "" {
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
		return nil, apierror.New("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: %s", redirect(c.RequestURI, given))
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
	a := &Assertion{Claims: claims, IDToken: given.Get("id_token"), AccessToken: given.Get("access_token"), Nonce: given.Get("nonce"), Provider: account.Provider{
		ProviderID: id, RawID: word("sub"), DisplayName: word("name", "display_name", "displayName"), PhotoURL: word("picture", "photo_url", "photoUrl"), ScreenName: word("screen_name"),
	}}
	if a.AccessToken == "" {
		// The official emulator's value: a page may query the provider with it and requires one.
		a.AccessToken = "FirebaseAuthEmulatorFakeAccessToken_" + id
	}
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
