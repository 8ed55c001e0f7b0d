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
	// OAuth has the fields of a generic provider of OAuth 2.
	OAuth OAuthProvider
	// SAML has the fields of a SAML provider.
	SAML     SAMLProvider
	Disabled bool
}

// OAuthProvider has the fields of a generic provider of OAuth 2 that flags set.
type OAuthProvider struct {
	AuthorizationURL, TokenURL, UserInfoURL, IntrospectionURL string
	Scopes                                                    []string
	// The names of the members of what UserInfoURL answers.
	IDMember, EmailMember, EmailVerifiedMember, NameMember, PictureMember string
}

// declare declares the flags.
func (o *OAuthProvider) declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.AuthorizationURL, "authorization-url", "", "`URL` of the provider's page, for oauth.NAME")
	flags.StringVar(&o.TokenURL, "token-url", "", "`URL` at which the provider exchanges codes for access tokens, for oauth.NAME")
	flags.StringVar(&o.UserInfoURL, "user-info-url", "", "`URL` that answers who the user of an access token is, for oauth.NAME")
	flags.StringVar(&o.IntrospectionURL, "introspection-url", "", "`URL` that answers to which client an access token was issued (RFC 7662), for oauth.NAME (default: access tokens of apps are refused)")
	flags.StringArrayVar(&o.Scopes, "scope", nil, "`SCOPE` that shows who the user is, for oauth.NAME; repeatable, replaces the stored ones")
	flags.StringVar(&o.IDMember, "id-member", "", "`NAME` of the member of the answer about a user with the id, for oauth.NAME (default: sub or id)")
	flags.StringVar(&o.EmailMember, "email-member", "", "`NAME` of the member with the e-mail address (default: email)")
	flags.StringVar(&o.EmailVerifiedMember, "email-verified-member", "", "`NAME` of the member that is true for a verified address (default: email_verified or verified_email)")
	flags.StringVar(&o.NameMember, "name-member", "", "`NAME` of the member with the user's name (default: name)")
	flags.StringVar(&o.PictureMember, "picture-member", "", "`NAME` of the member with the address of the user's picture (default: picture or avatar_url)")
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
	p.OAuth.declare(flags)
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
