package idp

import "strings"

// The kinds of configurations of identity providers, as paths name them.
const (
	OIDC    = "oauthIdpConfigs"
	SAML    = "inboundSamlConfigs"
	Default = "defaultSupportedIdpConfigs"
)

// Kinds are all kinds.
var Kinds = []string{OIDC, SAML, Default}

// prefixes are the prefixes of the ids of configurations.
var prefixes = map[string]string{OIDC: "oidc.", SAML: "saml."}

// ValidID reports whether a configuration of a kind may have an id.
func ValidID(kind, id string) bool {
	const longest = 128
	rest, ok := strings.CutPrefix(id, prefixes[kind])
	return ok && rest != "" && id != oauthPrefix && len(id) <= longest
}
