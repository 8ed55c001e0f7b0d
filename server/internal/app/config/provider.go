package config

import (
	"github.com/spf13/pflag"
)

// Provider has the fields of an identity provider that flags set; empty ones stay as they are. The files have secrets,
// which a command line would show to other users of the machine.
type Provider struct {
	Tenant           string
	ClientID         string
	MoreClientIDs    []string
	ClientSecretFile string
	// Issuer is the address of a provider of OpenID Connect.
	Issuer string
	// TeamID, KeyID and PrivateKeyFile are those of Apple.
	TeamID, KeyID, PrivateKeyFile string
	// SAML has the fields of a SAML provider.
	SAML     SAMLProvider
	Disabled bool
}

// SAMLProvider has the fields of a SAML provider that flags set.
type SAMLProvider struct {
	// MetadataFile has the provider's metadata, of which the next three fields are a part.
	MetadataFile string
	// IDPEntityID and SSOURL are the provider's id and page, and CertificateFiles have the certificates of its keys.
	IDPEntityID, SSOURL string
	CertificateFiles    []string
	// SPEntityID is Clave's id at the provider, and CallbackURL the address to which the provider posts its responses.
	SPEntityID, CallbackURL string
	// EmailDomains are the domains whose addresses the provider proves.
	EmailDomains []string
	// SignRequests lets the server sign its requests.
	SignRequests bool
}

// declareProvider declares the flags of the modes that manage identity providers.
func (c *Config) declareProvider(flags *pflag.FlagSet) {
	p := &c.Provider
	if c.Mode == ModeProviders || c.Mode == ModeAddProvider {
		flags.StringVar(&p.Tenant, "tenant", "", "`ID` of the tenant (default: none; list prints those of all tenants)")
	}
	if c.Mode != ModeAddProvider {
		return
	}
	flags.StringVar(&p.ClientID, "client-id", "", "`ID` of the client that you registered at the provider")
	flags.StringArrayVar(&p.MoreClientIDs, "additional-client-id", nil, "`ID` of an app's own client, such as the one for Android; repeatable, replaces the stored ones")
	flags.StringVar(&p.ClientSecretFile, "client-secret-file", "", "`FILE` with the client's secret")
	flags.StringVar(&p.Issuer, "issuer", "", "`URL` of a provider of OpenID Connect, for oidc.NAME")
	flags.StringVar(&p.TeamID, "team-id", "", "`ID` of the team, for apple")
	flags.StringVar(&p.KeyID, "key-id", "", "`ID` of the team's key, for apple")
	flags.StringVar(&p.PrivateKeyFile, "private-key-file", "", "`FILE` with the team's private key (PEM), for apple")
	flags.StringVar(&p.SAML.MetadataFile, "metadata", "", "`FILE` with the provider's metadata (XML), for saml.NAME: its id, page and certificates, and whether it wants signed requests")
	flags.StringVar(&p.SAML.IDPEntityID, "idp-entity-id", "", "`ID` of the provider, for saml.NAME")
	flags.StringVar(&p.SAML.SSOURL, "sso-url", "", "`URL` of the provider's sign-in page, for saml.NAME")
	flags.StringArrayVar(&p.SAML.CertificateFiles, "certificate-file", nil, "`FILE` with a certificate of the provider's keys (PEM), for saml.NAME; repeatable, replaces the stored ones")
	flags.StringVar(&p.SAML.SPEntityID, "sp-entity-id", "", "`ID` by which the provider knows this server, for saml.NAME")
	flags.StringVar(&p.SAML.CallbackURL, "callback-url", "", "`URL` to which the provider posts responses, for saml.NAME (default: the page that began the sign-in)")
	flags.StringArrayVar(&p.SAML.EmailDomains, "email-domain", nil, "`DOMAIN` whose addresses the provider proves, for saml.NAME; repeatable, replaces the stored ones (default: all)")
	flags.BoolVar(&p.SAML.SignRequests, "sign-requests", false, "sign the requests to saml.NAME, with a key that the server makes; add prints its certificate")
	flags.BoolVar(&p.Disabled, "disabled", false, "store the provider without enabling it")
	c.declareSecretKeys(flags)
}
