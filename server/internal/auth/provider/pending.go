package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/randid"
)

// The time for which a pending token is valid, and the maximum size of what is stored for one, in bytes.
const (
	pendingTime    = time.Hour
	longestPending = 128 << 10
)

// pendingCredential is what a provider asserted at a sign-in that did not succeed, or that a client may want to repeat.
// It is stored by the digest of its token, in the scope of its project without tenant. The provider's tokens are not
// part of it: backups would have them.
type pendingCredential struct {
	Tenant string `json:"tenant,omitempty"`
	// Source is idp.Assertion's.
	Source   string           `json:"source"`
	Provider account.Provider `json:"provider"`
	Verified bool             `json:"verified,omitempty"`
	Address  string           `json:"address,omitempty"`
	Claims   json.RawMessage  `json:"claims"`
	Made     time.Time        `json:"made"`
}

// Keep implements service.AssertionKeeper: it stores an assertion, and returns the token with which Verify returns it
// once. It returns no token for an assertion that is too large.
func (p *Providers) Keep(ctx context.Context, scope account.Scope, a *idp.Assertion) (string, error) {
	claims, err := json.Marshal(a.Claims)
	if err != nil || len(claims) > longestPending {
		return "", err
	}
	kept := &pendingCredential{Tenant: scope.Tenant, Source: a.Source, Provider: a.Provider, Verified: a.Verified, Address: a.Address, Claims: claims, Made: p.o.Clock.Now()}
	pending := randid.Secret(secretSize)
	return pending, p.o.Accounts.Change(ctx, account.Scope{Project: scope.Project}, nil, func(ch *account.Change) error {
		return ch.Save(idp.PendingItem, randid.Digest(pending), kept)
	})
}

// kept removes the assertion of a pending token and returns it. given are the fields of the request beside it.
func (p *Providers) kept(ctx context.Context, scope account.Scope, pending string, given url.Values) (*idp.Assertion, error) {
	refused := apierror.New("INVALID_PENDING_TOKEN : The pendingToken is unknown, was used already or has expired.")
	id, kept := randid.Digest(pending), &pendingCredential{}
	err := p.o.Accounts.Change(ctx, account.Scope{Project: scope.Project}, []string{"\x00" + idp.PendingItem + id}, func(ch *account.Change) error {
		found, err := ch.Load(idp.PendingItem, id, kept)
		provider := given.Get("providerId")
		if err != nil || !found || kept.Tenant != scope.Tenant || provider != "" && provider != kept.Provider.ProviderID || p.o.Clock.Now().Sub(kept.Made) > pendingTime {
			return cmp.Or(err, refused)
		}
		ch.Remove(idp.PendingItem, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	claims, err := token.DecodeClaims(kept.Claims)
	if err != nil {
		return nil, err
	}
	source, proven, err := p.judge(scope, kept, claims)
	switch {
	case err != nil:
		return nil, err
	case source != kept.Source:
		return nil, refused
	}
	a := &idp.Assertion{Provider: kept.Provider, Verified: proven, Address: kept.Address, Source: source, Claims: claims}
	if isSAML(kept.Provider.ProviderID) {
		a.Attributes = claims
	}
	return a, nil
}

// judge returns the source of a kept credential's provider, and whether the provider proves the address, by the present
// configuration: since the sign-in, an administrator may have disabled or replaced the provider, or have limited what
// it proves. It returns an error unless the provider is enabled.
func (p *Providers) judge(scope account.Scope, kept *pendingCredential, claims map[string]any) (source string, proven bool, err error) {
	id, email := kept.Provider.ProviderID, kept.Provider.Email
	if isSAML(id) {
		cfg, err := p.samlConfig(scope, id)
		if err != nil {
			return "", false, err
		}
		return cfg.source(), kept.Verified && cfg.proves(email), nil
	}
	cfg, err := p.config(scope, id)
	if err != nil {
		return "", false, err
	}
	return cfg.source(), kept.Verified && proves(cfg, email, claims), nil
}
