package provider

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/base/randid"
)

// The providers that are known by name.
const (
	google    = "google.com"
	apple     = "apple.com"
	microsoft = "microsoft.com"
	github    = "github.com"
	facebook  = "facebook.com"
)

// issuers has the issuers of the providers that are known by name. Microsoft's is that of all its tenants; those of
// GitHub and Facebook are their sites.
var issuers = map[string]string{
	google: "https://accounts.google.com", apple: "https://appleid.apple.com", microsoft: "https://login.microsoftonline.com/common/v2.0",
	github: "https://github.com", facebook: "https://www.facebook.com",
}

// config is the part of a provider's stored configuration that has an effect, in the API's form.
type config struct {
	// id is the provider's.
	id           string
	Enabled      bool       `json:"enabled"`
	ClientID     string     `json:"clientId"`
	Secret       idp.Secret `json:"clientSecret"`
	Issuer       string     `json:"issuer"`
	ResponseType struct {
		Code    bool `json:"code"`
		IDToken bool `json:"idToken"`
	} `json:"responseType"`
	// AdditionalClientIDs are those of the project's apps that get ID tokens themselves, such as the one for Android. The
	// field is not in Firebase's API, which keeps them elsewhere.
	AdditionalClientIDs []string `json:"additionalClientIds"`
	AppleSignInConfig   struct {
		CodeFlowConfig appleKey `json:"codeFlowConfig"`
		BundleIDs      []string `json:"bundleIds"`
	} `json:"appleSignInConfig"`
	// OAuth has the addresses of a generic provider of OAuth 2.
	OAuth idp.OAuth `json:"oauthConfig"`
	// clientSecret is the secret in plain text.
	clientSecret string
	// plain is set for a provider without ID tokens.
	plain *plain
}

// config returns the configuration of a provider that is enabled for a project or tenant.
func (p *Providers) config(scope account.Scope, id string) (*config, error) {
	kind := idp.Default
	switch {
	case strings.HasPrefix(id, "oidc."):
		kind = idp.OIDC
	case issuers[id] == "" && !idp.IsOAuth(id):
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The provider %.128q is not supported. Clave signs in with google.com, apple.com, microsoft.com, github.com, facebook.com and providers of OpenID Connect (oidc.), OAuth 2 (oauth.) and SAML (saml.).", id)
	}
	cfg := &config{}
	found, err := p.o.Accounts.Load(scope, kind, id, cfg)
	switch {
	case err != nil:
		return nil, err
	case !found || cfg.ClientID == "":
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
	case !cfg.Enabled:
		return nil, apierror.New("OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
	}
	cfg.id = id
	switch {
	case idp.IsOAuth(id):
		if err := cfg.OAuth.Check(); err != nil { // of an import
			return nil, err
		}
		// The ids of its users are those of this member at this address.
		cfg.Issuer = cfg.OAuth.UserInfoURL + "#" + cfg.OAuth.Members.ID
	case kind == idp.Default:
		cfg.Issuer = cmp.Or(p.o.Issuers[id], issuers[id])
	}
	cfg.plain = plainOf(cfg)
	return cfg, p.open(cfg, idp.Place{Scope: scope, Kind: kind, ID: id})
}

// open opens the secrets of a configuration.
func (p *Providers) open(cfg *config, at idp.Place) (err error) {
	key := &cfg.AppleSignInConfig.CodeFlowConfig
	if cfg.clientSecret, err = cfg.Secret.Open(p.o.Secrets, at, "clientSecret"); err == nil {
		key.privateKey, err = key.PrivateKey.Open(p.o.Secrets, at, "appleSignInConfig", "codeFlowConfig", "privateKey")
	}
	if err != nil {
		p.o.Log.Error("an identity provider cannot be used", "provider", cfg.id, "error", err)
		return apierror.New("OPERATION_NOT_ALLOWED : The secret of the identity provider cannot be used. An administrator must store it again.")
	}
	return nil
}

// source is the provider's part of idp.Assertion.Source.
func (c *config) source() string { return randid.Digest(c.Issuer + "\x00" + c.ClientID) }

// ours reports whether a client id is one for which a token may be issued that an app presents.
func (c *config) ours(client string) bool {
	return client != "" && slices.Contains(c.clients(), client)
}

// byCode reports whether the provider answers with a code, not with an ID token.
func (c *config) byCode() bool {
	return c.plain != nil || c.ResponseType.Code || c.Secret.Given || c.AppleSignInConfig.CodeFlowConfig.PrivateKey.Given
}

// clients returns the client ids for which an ID token may be issued that an app presents.
func (c *config) clients() []string {
	all := slices.Concat([]string{c.ClientID}, c.AdditionalClientIDs)
	if c.id == apple {
		all = append(all, c.AppleSignInConfig.BundleIDs...)
	}
	return all
}

// client returns the provider's client of OAuth.
func (c *config) client(at *issuer, redirect string, scopes []string) *oauth2.Config {
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.clientSecret, Endpoint: at.endpoint, RedirectURL: redirect, Scopes: scopes}
}
