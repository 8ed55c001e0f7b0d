package idp

import (
	"encoding/json"
	"slices"

	"clave/server/internal/auth/account"
)

// Assertion is an identity provider's assertion about a user.
type Assertion struct {
	// Provider is the provider's account of the user. Verified is set if the provider confirms that its address is the
	// user's.
	Provider account.Provider
	Verified bool
	// Address is the address as the provider wrote it.
	Address string
	// Source is the digest of what identifies the provider, and this server at it. The ids of its users are those of one
	// source: an administrator may configure another issuer under the same name.
	Source string
	// Claims are those of the provider's token.
	Claims map[string]any
	// Attributes are those of a SAML response beside the user's id; nil without a SAML response.
	Attributes map[string]any
	// IDToken, AccessToken and Nonce are those of the provider's response. The client receives them.
	IDToken, AccessToken, Nonce string
	// RefreshToken is the provider's for the access token, if it gave one for a code. The client receives it on request.
	RefreshToken string
	// ExpiresIn is the time for which the access token is valid from the sign-in on, in seconds; 0 means unknown.
	ExpiresIn int
	// Names is set when a user without name or picture takes over those of the provider: at a sign-in, not at linking.
	Names bool
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
