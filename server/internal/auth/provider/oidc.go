package provider

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/token"
)

// rediscover is the time after which an issuer's addresses are read again, and maxIssuers the maximum number of issuers
// that are kept. Keys are read again whenever a token has an unknown one.
const (
	rediscover = 24 * time.Hour
	maxIssuers = 1000
)

// issuer is a provider's addresses and keys.
type issuer struct {
	name     string
	endpoint oauth2.Endpoint
	// provider has the keys; nil for a provider without ID tokens.
	provider *oidc.Provider
	read     time.Time
}

// discover returns the addresses and keys of a configuration's issuer.
func (p *Providers) discover(ctx context.Context, cfg *config) (*issuer, error) {
	if cfg.plain != nil {
		return cfg.plain.addresses(cfg), nil
	}
	p.found.Lock()
	at := p.found.issuers[cfg.Issuer]
	p.found.Unlock()
	if at != nil && p.o.Clock.Now().Sub(at.read) < rediscover {
		return at, nil
	}
	// Requests that need the same issuer wait for one discovery. It must not end with the first of them, and is limited by
	// the client's time.
	reading := p.finding.DoChan(cfg.Issuer, func() (any, error) {
		ctx := oidc.ClientContext(context.WithoutCancel(ctx), p.client)
		if cfg.id == microsoft {
			// The issuer of a token has the user's tenant; microsoftIssuer checks it.
			ctx = oidc.InsecureIssuerURLContext(ctx, cfg.Issuer)
		}
		provider, err := oidc.NewProvider(ctx, cfg.Issuer)
		if err != nil {
			return nil, err
		}
		at := &issuer{name: cfg.Issuer, endpoint: provider.Endpoint(), provider: provider, read: p.o.Clock.Now()}
		p.found.Lock()
		defer p.found.Unlock()
		if len(p.found.issuers) >= maxIssuers {
			clear(p.found.issuers)
		}
		p.found.issuers[cfg.Issuer] = at
		return at, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-reading:
		if got.Err != nil {
			return nil, got.Err
		}
		at, _ := got.Val.(*issuer)
		return at, nil
	}
}

// verified is an ID token that the provider issued to one of the project's clients, with its claims.
type verified struct {
	*oidc.IDToken
	claims map[string]any
}

// maxSkew is the maximum difference of a provider's clock.
const maxSkew = 5 * time.Minute

// verify verifies an ID token: its signature, issuer and times, and that it was issued to one of the clients.
func (p *Providers) verify(ctx context.Context, cfg *config, at *issuer, raw string, clients []string) (*verified, error) {
	// The audience is checked below, because it may be one of several.
	checks := &oidc.Config{SkipClientIDCheck: true, SkipIssuerCheck: cfg.id == microsoft, Now: p.o.Clock.Now}
	t, err := at.provider.Verifier(checks).Verify(ctx, raw)
	if err != nil {
		p.o.Log.Info("an ID token of an identity provider was refused", "provider", cfg.id, "error", err)
		return nil, invalid("The id_token is not a valid one of the provider.")
	}
	var text json.RawMessage
	if err := t.Claims(&text); err != nil {
		return nil, invalid("The id_token is not a valid one of the provider.")
	}
	claims, err := token.DecodeClaims(text)
	if err != nil {
		return nil, invalid("The id_token is not a valid one of the provider.")
	}
	ours := func(client string) bool { return client != "" && slices.Contains(clients, client) }
	party, _ := claims["azp"].(string)
	switch {
	case cfg.id == microsoft && !microsoftIssuer(at.name, t.Issuer, claims):
		return nil, invalid("The id_token is of another issuer.")
	case !slices.ContainsFunc(t.Audience, ours), len(t.Audience) > 1 && !ours(party):
		return nil, invalid("The audience of the id_token is not a client id of the project.")
	case t.IssuedAt.Sub(p.o.Clock.Now()) > maxSkew:
		return nil, invalid("The id_token is of the future.")
	}
	return &verified{IDToken: t, claims: claims}, nil
}

// exchange exchanges the code of a provider's response to an open sign-in for its tokens.
func (p *Providers) exchange(ctx context.Context, cfg *config, client *oauth2.Config, open *openSignIn, code string) (*oauth2.Token, error) {
	tokens, err := client.Exchange(oidc.ClientContext(ctx, p.client), code, oauth2.VerifierOption(open.Verifier))
	if err != nil {
		return nil, p.refusedCode(cfg, err)
	}
	return tokens, nil
}

// identify returns who signed in, by the fields of a provider's response to an open sign-in.
func (p *Providers) identify(ctx context.Context, cfg *config, at *issuer, open *openSignIn, fields url.Values) (*idp.Assertion, error) {
	raw, tokens := fields.Get("id_token"), &oauth2.Token{}
	if open.Verifier != "" {
		client := cfg.client(at, open.Redirect, nil)
		if cfg.id == apple {
			secret, err := cfg.AppleSignInConfig.CodeFlowConfig.secret(cfg.ClientID, at.name, p.o.Clock.Now())
			if err != nil {
				return nil, p.unreachable(cfg, err)
			}
			client.ClientSecret = secret
		}
		var err error
		if tokens, err = p.exchange(ctx, cfg, client, open, fields.Get("code")); err != nil {
			return nil, err
		}
		raw, _ = tokens.Extra("id_token").(string)
	}
	t, err := p.verify(ctx, cfg, at, raw, []string{cfg.ClientID})
	if err != nil {
		return nil, err
	}
	switch {
	case !sameText(t.Nonce, hashed(open.Nonce)):
		return nil, invalid("The nonce of the id_token is not that of the request.")
	case t.AccessTokenHash != "" && tokens.AccessToken != "" && t.VerifyAccessToken(tokens.AccessToken) != nil:
		return nil, invalid("The access_token is not that of the id_token.")
	}
	if err := p.complete(ctx, cfg, at, t, tokens); err != nil {
		return nil, err
	}
	if cfg.id == apple {
		addAppleName(t.claims, fields.Get("user"))
	}
	a, err := assertion(cfg, t.claims)
	if err != nil {
		return nil, err
	}
	a.IDToken, a.AccessToken, a.Nonce = raw, tokens.AccessToken, open.Nonce
	addRefresh(a, tokens)
	return a, nil
}

// addRefresh adds the refresh token and the lifetime of the access token that a provider answered to a code. Providers
// give refresh tokens to clients that ask for them by a scope or a parameter of the page.
func addRefresh(a *idp.Assertion, tokens *oauth2.Token) {
	if len(tokens.RefreshToken) <= longestToken {
		a.RefreshToken = tokens.RefreshToken
	}
	if tokens.ExpiresIn > 0 { // at most 2³¹ − 1, by the library
		a.ExpiresIn = int(tokens.ExpiresIn)
	}
}

// refusedCode returns the error for a code that the provider did not exchange for tokens.
func (p *Providers) refusedCode(cfg *config, err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode != "" {
		// Not the whole error, whose text has the provider's answer.
		p.o.Log.Info("an identity provider refused a code", "provider", cfg.id, "code", refused.ErrorCode)
		return invalid("The provider did not accept the code.")
	}
	return p.unreachable(cfg, err)
}

// complete adds the claims that a provider gives only at its address for them, if the ID token has no e-mail address.
func (p *Providers) complete(ctx context.Context, cfg *config, at *issuer, t *verified, tokens *oauth2.Token) error {
	if at.provider.UserInfoEndpoint() == "" || tokens.AccessToken == "" || t.claims["email"] != nil || cfg.id == microsoft {
		return nil
	}
	info, err := at.provider.UserInfo(oidc.ClientContext(ctx, p.client), oauth2.StaticTokenSource(tokens))
	if err != nil {
		return p.unreachable(cfg, err)
	}
	var text json.RawMessage
	if err := info.Claims(&text); err != nil {
		return invalid("The claims of the user are not valid.")
	}
	more, err := token.DecodeClaims(text)
	if err != nil || info.Subject != t.Subject {
		return invalid("The claims are those of another user.")
	}
	for name, value := range more {
		if _, ok := t.claims[name]; !ok { // Those of the ID token are signed.
			t.claims[name] = value
		}
	}
	return nil
}

// hashed returns the form of a nonce in requests and tokens: the hexadecimal digits of its SHA-256 hash.
func hashed(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])
}

// sameText compares two texts in a time that does not depend on where they differ.
func sameText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
