package provider

import (
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/field"
	"clave/server/internal/auth/service/idp"
)

// assertion returns what the verified claims of a provider assert. An invalid e-mail address counts as none.
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
	a := &idp.Assertion{Claims: claims, Provider: account.Provider{ProviderID: cfg.id, RawID: subject, DisplayName: text("name"), PhotoURL: text("picture")}}
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
