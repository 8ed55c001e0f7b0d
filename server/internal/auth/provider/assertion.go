package provider

import (
	"encoding/json"
	"fmt"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/idp"
)

// longestClaims is the maximum size of claims or attributes that become part of ID tokens, as JSON, in bytes. A token
// has at most 64 KiB (package token), in base64 and with the user's other claims.
const longestClaims = 32 << 10

// tooLarge reports whether claims are too large to become part of ID tokens.
func tooLarge(claims map[string]any) bool {
	text, err := json.Marshal(claims)
	return err != nil || len(text) > longestClaims
}

// assertion returns what the verified claims of a provider of OpenID Connect assert.
func assertion(cfg *config, claims map[string]any) (*idp.Assertion, error) {
	if strings.HasPrefix(cfg.id, "oidc.") && tooLarge(claims) { // Those of other providers are not copied.
		return nil, invalid(fmt.Sprintf("The claims of the id_token are longer than %d bytes.", longestClaims))
	}
	text := func(name string) string {
		s, _ := claims[name].(string)
		return s
	}
	return assert(cfg, &idp.Profile{ID: text("sub"), Email: text("email"), Name: text("name"), Picture: text("picture")}, claims, "")
}

// assert returns what a provider asserts about a user, with the claims and the access token that show it. An invalid
// e-mail address counts as none, and so does a name or a picture's address that is too long for a profile.
func assert(cfg *config, u *idp.Profile, claims map[string]any, access string) (*idp.Assertion, error) {
	const longest = 512
	if u.ID == "" || len(u.ID) > longest || !field.ValidProvider(cfg.id, u.ID) {
		return nil, invalid("The provider states no valid id of the user.")
	}
	name, picture := u.Name, u.Picture
	if field.CheckProfile(&name, nil) != nil {
		name = ""
	}
	if field.CheckProfile(nil, &picture) != nil {
		picture = ""
	}
	a := &idp.Assertion{
		Source: cfg.source(), Claims: claims, AccessToken: access,
		Provider: account.Provider{ProviderID: cfg.id, RawID: u.ID, DisplayName: name, PhotoURL: picture},
	}
	if email, ok := field.Email(u.Email); ok {
		a.Provider.Email, a.Address = email, u.Email
		a.Verified = proves(cfg, email, claims)
	}
	return a, nil
}

// proves reports whether a provider proves that an address is the user's now. An address that is proven takes over the
// account that has it, so the claim alone does not suffice for providers that let users state any address or keep one
// that the user may have lost since:
//   - Google has authority over its own addresses and over those of the domains that it hosts.
//   - Microsoft, GitHub and Facebook never prove an address. At Microsoft, administrators of any tenant may set it.
//   - For others, the operator has chosen the issuer, whose claim counts.
func proves(cfg *config, email string, claims map[string]any) bool {
	claimed := idp.ClaimsTrue(claims["email_verified"])
	if idp.IsOAuth(cfg.id) {
		claimed = cfg.OAuth.Proves(claims)
	}
	switch cfg.id {
	case google:
		domain, _ := claims["hd"].(string)
		return claimed && (domain != "" || strings.HasSuffix(email, "@gmail.com") || strings.HasSuffix(email, "@googlemail.com"))
	case microsoft, github, facebook:
		return false
	default:
		return claimed
	}
}
