package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"clave/server/internal/auth/service/idp"
)

// plain is a provider that speaks OAuth 2 without OpenID Connect: it has no ID tokens, and its API says whose an access
// token is.
type plain struct {
	addresses func(cfg *config) *issuer
	scopes    []string
	// user returns who signed in, by an access token that the provider gave for a code.
	user func(p *Providers, ctx context.Context, cfg *config, access string) (*idp.Assertion, error)
	// presented returns whose access token an app presents, if the provider has issued it to the project's client.
	presented func(p *Providers, ctx context.Context, cfg *config, access string) (*idp.Assertion, error)
}

// plainOf returns how a provider without OpenID Connect signs users in; nil for a provider that has ID tokens.
func plainOf(cfg *config) *plain {
	switch {
	case cfg.id == github:
		return &plain{gitHubIssuer, []string{"read:user", "user:email"}, (*Providers).gitHubUser, (*Providers).gitHubToken}
	case cfg.id == facebook:
		return &plain{facebookIssuer, []string{"public_profile", "email"}, (*Providers).facebookToken, (*Providers).facebookToken}
	case idp.IsOAuth(cfg.id):
		return &plain{oauthIssuer, cfg.OAuth.Scopes, (*Providers).oauthUser, (*Providers).oauthToken}
	}
	return nil
}

// plainResponse returns who signed in at a provider without ID tokens, by the code of its response.
func (p *Providers) plainResponse(ctx context.Context, cfg *config, at *issuer, open *openSignIn, code string) (*idp.Assertion, error) {
	tokens, err := p.exchange(ctx, cfg, cfg.client(at, open.Redirect, nil), open, code)
	if err != nil {
		return nil, err
	}
	a, err := cfg.plain.user(p, ctx, cfg, tokens.AccessToken)
	if err != nil {
		return nil, err
	}
	addRefresh(a, tokens)
	return a, nil
}

// oauthIssuer returns the addresses of a generic provider.
func oauthIssuer(cfg *config) *issuer {
	return &issuer{name: cfg.Issuer, endpoint: oauth2.Endpoint{AuthURL: cfg.OAuth.AuthorizationURL, TokenURL: cfg.OAuth.TokenURL}}
}

// oauthUser returns the user of an access token that is the project's.
func (p *Providers) oauthUser(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	claims, err := p.ask(ctx, cfg, cfg.OAuth.UserInfoURL, access, new(struct{}))
	if err != nil {
		return nil, err
	}
	user, err := cfg.OAuth.Profile(claims)
	if err != nil {
		return nil, invalid("The provider's answer has no user.")
	}
	return assert(cfg, user, claims, access)
}

// oauthToken returns whose access token an app presents, if the provider can be asked to which client it was issued
// (RFC 7662).
func (p *Providers) oauthToken(ctx context.Context, cfg *config, access string) (*idp.Assertion, error) {
	if cfg.OAuth.IntrospectionURL == "" {
		return nil, invalid(fmt.Sprintf("An access_token of %.128s does not show for which app it was issued, and no introspectionUrl is configured.", cfg.id))
	}
	form := url.Values{"token": {access}, "token_type_hint": {"access_token"}}.Encode()
	// As OAuth 2 demands, both are encoded.
	as := url.UserPassword(url.QueryEscape(cfg.ClientID), url.QueryEscape(cfg.clientSecret))
	text, err := p.post(ctx, cfg.OAuth.IntrospectionURL, "application/x-www-form-urlencoded", form, as)
	if errors.Is(err, errNotOurs) {
		err = errors.New("its address for introspection refuses the client") // A token that is unknown is answered.
	}
	if err != nil {
		return nil, p.unreachable(cfg, err)
	}
	var issued struct {
		Active   bool   `json:"active"`
		ClientID string `json:"client_id"`
	}
	if json.Unmarshal(text, &issued) != nil || !issued.Active || !cfg.ours(issued.ClientID) {
		return nil, notIssued()
	}
	return p.oauthUser(ctx, cfg, access)
}

// post sends a body to a provider's API, with a client's id and secret if there are some.
func (p *Providers) post(ctx context.Context, address, kind, body string, as *url.Userinfo) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of its API is not valid")
	}
	r.Header.Set("Content-Type", kind)
	if as != nil {
		password, _ := as.Password()
		r.SetBasicAuth(as.Username(), password)
	}
	return p.fetch(r)
}
