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

// assertion returns what the verified claims of a provider assert. An invalid e-mail address counts as none, and so
// does a name or a picture's address that is too long for a profile.
func assertion(cfg *config, claims map[string]any) (*idp.Assertion, error) {
	text := func(name string) string {
		s, _ := claims[name].(string)
		return s
	}
	const longest = 512
	subject := text("sub")
	if subject == "" || len(subject) > longest || !field.ValidProvider(cfg.id, subject) {
		return nil, invalid("The id_token has no valid sub, the id of the user.")
	}
	if strings.HasPrefix(cfg.id, "oidc.") && tooLarge(claims) { // Those of other providers are not copied.
		return nil, invalid(fmt.Sprintf("The claims of the id_token are longer than %d bytes.", longestClaims))
	}
	name, picture := text("name"), text("picture")
	if field.CheckProfile(&name, nil) != nil {
		name = ""
	}
	if field.CheckProfile(nil, &picture) != nil {
		picture = ""
	}
	a := &idp.Assertion{Source: cfg.source(), Claims: claims, Provider: account.Provider{ProviderID: cfg.id, RawID: subject, DisplayName: name, PhotoURL: picture}}
	if email, ok := field.Email(text("email")); ok {
		a.Provider.Email, a.Address = email, text("email")
		a.Verified = proves(cfg.id, email, claims)
	}
	return a, nil
}

// proves reports whether a provider proves that an address is the user's now. An address that is proven takes over the
// account that has it, so the claim alone does not suffice for providers that let users state any address or keep one
// that the user may have lost since:
//   - Google has authority over its own addresses and over those of the domains that it hosts.
//   - Microsoft never proves an address: administrators of any tenant may set it.
//   - For others, the operator has chosen the issuer, whose claim counts.
func proves(provider, email string, claims map[string]any) bool {
	claimed := claims["email_verified"]
	if claimed != true && claimed != "true" { // Apple sends the claim as a string.
		return false
	}
	switch provider {
	case google:
		domain, _ := claims["hd"].(string)
		return domain != "" || strings.HasSuffix(email, "@gmail.com") || strings.HasSuffix(email, "@googlemail.com")
	case microsoft:
		return false
	default:
		return true
	}
}
