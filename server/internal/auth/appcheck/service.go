package appcheck

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/limit/rate"
)

// The lifetimes of tokens: of those for a session, of those for limited use, and the bounds of wanted ones.
const (
	sessionLife = time.Hour
	limitedLife = 5 * time.Minute
	minLife     = 30 * time.Minute
	maxLife     = token.MaxAppCheckLife
)

// exchanges is the rate of the exchanges of one network: each makes a signature, and each exchange of a debug token may
// be a guess.
var exchanges = rate.Rate{Burst: 30, Every: 2 * time.Second}

// Options configure a Service.
type Options struct {
	// Accounts stores debug tokens and the ids of used tokens.
	Accounts *account.Store
	// Tokens mints and verifies tokens.
	Tokens *token.Verifier
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Limited is called for each exchange that the rate refuses; nil is not called.
	Limited func(name string)
	// Log logs failures; nil logs nothing.
	Log *slog.Logger
}

// Service issues tokens and marks them as used. It is safe for concurrent use.
type Service struct {
	o     Options
	debug *debugtoken.Registry
	rates *rate.Addresses
	used  struct {
		sync.Mutex
		// count is the number of stored ids of used tokens; -1 before they were counted.
		count int
		// swept is the time of the last count.
		swept time.Time
	}
}

// New returns a Service.
func New(o Options) *Service {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{o: o, debug: debugtoken.New(o.Accounts, o.Clock)}
	s.rates = rate.NewAddresses(rate.AddressOptions{Options: rate.Options{Clock: o.Clock}, Rate: exchanges})
	s.used.count = -1
	return s
}

// Issued is an App Check token with its lifetime.
type Issued struct {
	Token string
	Life  time.Duration
}

// Use says how a token is to be used.
type Use struct {
	// Limited is set for a token that is used once, soon.
	Limited bool
	// ID is the token's id, which only tokens for limited use may choose; empty for a random one.
	ID string
}

// refused returns the error for an app that has not proven itself.
func refused(cause error) error {
	return fault.Wrap(cause, fault.PermissionDenied, "App attestation failed.")
}

// Allow returns ResourceExhausted if a network has exchanged too much. Servers are not asked about.
func (s *Service) Allow(address netip.Addr) error {
	if address.IsLoopback() || s.rates.Allow(address) {
		return nil
	}
	if s.o.Limited != nil {
		s.o.Limited("app-check")
	}
	return fault.E(fault.ResourceExhausted, "Too many attempts.")
}

// ExchangeDebug issues a token for an app that presents a registered debug token.
func (s *Service) ExchangeDebug(project, app, secret string, use Use) (*Issued, error) {
	if secret == "" {
		return nil, fault.E(fault.InvalidArgument, "The debug token is missing.")
	}
	known, err := s.debug.Has(project, app, secret)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, refused(errors.New("an unknown debug token"))
	}
	return s.issue(project, app, "", use)
}

// ExchangeCustom issues a token for an app that a service account of the project attests by a custom token.
func (s *Service) ExchangeCustom(ctx context.Context, project, app, custom string, use Use) (*Issued, error) {
	if custom == "" {
		return nil, fault.E(fault.InvalidArgument, "The custom token is missing.")
	}
	ttl, err := s.o.Tokens.AppCheckCustom(ctx, custom, project, app)
	switch {
	case fault.Is(err, fault.Internal):
		return nil, err // It says nothing about the app.
	case err != nil:
		return nil, refused(err)
	}
	return s.issue(project, app, ttl, use)
}

// issue issues a token with the wanted lifetime, such as 3600s, or the usual one.
func (s *Service) issue(project, app, ttl string, use Use) (*Issued, error) {
	life, err := lifeOf(ttl, use.Limited)
	if err != nil {
		return nil, err
	}
	id, err := idOf(use)
	if err != nil {
		return nil, err
	}
	raw, err := s.o.Tokens.MintAppCheck(project, app, id, life)
	return &Issued{raw, life}, err
}

// lifeOf returns the lifetime of a token.
func lifeOf(ttl string, limited bool) (time.Duration, error) {
	switch {
	case ttl == "" && limited:
		return limitedLife, nil
	case ttl == "":
		return sessionLife, nil
	}
	life, err := time.ParseDuration(ttl)
	if err != nil || !strings.HasSuffix(ttl, "s") || strings.ContainsAny(ttl, "hmµun") || life < minLife || life > maxLife {
		return 0, fault.E(fault.InvalidArgument, "The lifetime must be between 30 minutes and 7 days, in seconds such as 3600s.")
	}
	return life.Truncate(time.Second), nil
}

// idOf returns the id of a new token.
func idOf(use Use) (string, error) {
	const shortest, longest, random = 16, 500, 24
	switch {
	case use.ID == "":
		return randid.Secret(random), nil
	case !use.Limited:
		return "", fault.E(fault.InvalidArgument, "jti needs limited_use.")
	case len(use.ID) < shortest || len(use.ID) > longest:
		return "", fault.E(fault.InvalidArgument, "jti must have %d to %d bytes.", shortest, longest)
	}
	return use.ID, nil
}
