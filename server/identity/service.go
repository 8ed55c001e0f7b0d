package identity

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"clave/server/account"
	"clave/server/clock"
	"clave/server/fault"
	"clave/server/identity/hashqueue"
	"clave/server/randid"
	"clave/server/token"
)

// Options configure a Service.
type Options struct {
	// Accounts holds the accounts.
	Accounts *account.Store
	// Tokens mints and verifies tokens.
	Tokens *token.Verifier
	// Clock is the source of time; the machine's clock when nil.
	Clock clock.Clock
	// Project is the project that API keys belong to.
	Project string
	// Emulator accepts what only the official emulator accepts: made-up credentials of identity providers, codes
	// that a control route shows, unregistered service accounts. Never in production.
	Emulator bool
	// AsEmulator gives the official emulator's answers where they differ from production's. It implies EmulatorSettings.
	AsEmulator bool
	// EmulatorSettings gives projects, tenants and requests the official emulator's defaults where they set nothing: no e-mail enumeration
	// protection, tenants that are created on first use, tokens without returnSecureToken. Otherwise they have production's.
	EmulatorSettings bool
	// HashMemCost is the memory cost of password hashes, a power of two; 14, Firebase's, when zero. Less is for tests.
	HashMemCost int
	// HashWorkers is how many passwords are hashed at once; half of the machine's cores and one at least when zero.
	HashWorkers int
	// RateLimits limits sign-ins, sign-ups and codes by address and account.
	RateLimits bool
	// Mail sends codes by e-mail; nil sends none.
	Mail Mailer
	// SMS sends codes by text message; nil sends none.
	SMS Texter
	// Announce is called with a text that shows each code that is sent, in the official emulator's words; nil shows none. Never in
	// production. It is called concurrently.
	Announce func(text string)
	// SignedIn is called for each sign-in, if not nil.
	SignedIn func()
	// Limited is called with the name of a limit that has refused something; nil calls none.
	Limited func(name string)
	// Blocking calls blocking functions; nil calls none.
	Blocking Caller
	// PublicURL begins the links that are sent; the request's own origin when empty.
	PublicURL string
	// NoSignUp switches off sign-up by clients for projects without a setting for it.
	NoSignUp bool
	// Log logs failures that no request returns; nothing is logged when nil.
	Log *slog.Logger
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.HashMemCost == 0 {
		o.HashMemCost = 14
	}
	o.EmulatorSettings = o.EmulatorSettings || o.AsEmulator
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Call is the caller of a request and what the request is about.
type Call struct {
	// Project and Tenant are what the request is about.
	Project, Tenant string
	// Admin is set for servers with the right to administer Project.
	Admin bool
	// Transfer is set for exports and imports, which also reach tenants that are switched off.
	Transfer bool
	// Address is the client's network address, for rate limits.
	Address string
	// Origin is scheme and host of the request, for links.
	Origin string
	// Key is the API key, for links.
	Key string
	// Locale is the client's language.
	Locale string
	// UserAgent is the client's, for blocking functions.
	UserAgent string
}

// Service implements the API. It is safe for concurrent use.
type Service struct {
	o        Options
	accounts *account.Store
	tokens   *token.Verifier
	hashing  *hashqueue.Queue
	limits   limits
	outbox   chan queuedCode
	mu       struct {
		sync.Mutex
		hashes map[string]account.Project
	}
}

// maxHashesWaiting is how many passwords of one client may wait to be hashed where rates are limited.
const maxHashesWaiting = 32

// New returns a Service.
func New(o Options) *Service {
	o.EnsureDefaults()
	s := &Service{o: o, accounts: o.Accounts, tokens: o.Tokens, limits: newLimits(o.Clock), outbox: make(chan queuedCode, outboxSize)}
	perClient := 0
	if o.RateLimits {
		perClient = maxHashesWaiting
	}
	s.hashing = hashqueue.New(o.HashWorkers, perClient)
	s.mu.hashes = make(map[string]account.Project)
	return s
}

// Project returns the project that API keys belong to.
func (s *Service) Project() string { return s.o.Project }

// Origin returns the origin under which clients reach us: the public URL, and under `clave start`, which needs none, that of the
// request. It is empty when it is not known: a Host header is the client's own word.
func (s *Service) Origin(c Call) string {
	if s.o.PublicURL == "" && s.o.Emulator {
		return c.Origin
	}
	return s.o.PublicURL
}

// OnRevoke has call called when sessions of an account, or of a whole tenant or project, may have ended: the account was disabled or
// deleted, its sessions were revoked, the tenant was switched off or deleted. A connection that stays open for a session then checks
// it again with CheckSession. account.Store.OnRevoke documents how call is called.
func (s *Service) OnRevoke(call func(account.Revocation)) { s.accounts.OnRevoke(call) }

// SessionKinds returns the kinds of items, beside accounts, that CheckSession depends on.
func SessionKinds() []string { return []string{tenantItem} }

// Tokens returns what verifies callers.
func (s *Service) Tokens() *token.Verifier { return s.tokens }

// scope returns where the call's accounts are.
func (c Call) scope() account.Scope { return account.Scope{Project: c.Project, Tenant: c.Tenant} }

// root returns the scope of the call's project without tenant, where settings and refresh tokens are.
func (c Call) root() account.Scope { return account.Scope{Project: c.Project} }

// now returns the present time.
func (s *Service) now() time.Time { return s.o.Clock.Now() }

// apiError returns an error with one of the names of the API, such as EMAIL_EXISTS.
func apiError(format string, args ...any) error {
	return fault.E(fault.FailedPrecondition, format, args...)
}

// newUID returns the id of a new account: 28 alphanumeric characters.
func newUID() string {
	const length = 28
	return randid.New(length)
}

// Clear removes all accounts of the call's scope.
func (s *Service) Clear(ctx context.Context, c Call) error { return s.accounts.Clear(ctx, c.scope()) }

// checkSession returns an error unless a session stands: its user exists and is enabled, and it began after the user's sessions were
// ended last. Sessions that began in the second of that end are distinguished by their epoch; the official emulator accepts them all.
func (s *Service) checkSession(u *account.User, authTime, epoch int64) error {
	switch {
	case u == nil:
		return apiError("USER_NOT_FOUND")
	case u.Disabled:
		return apiError("USER_DISABLED")
	case authTime < u.Since(), authTime == u.Since() && epoch != u.Epoch && !s.o.Emulator:
		return apiError("TOKEN_EXPIRED")
	}
	return nil
}

// CheckSession returns an error when the session of an ID token is over, or its tenant is switched off or deleted;
// token.Options.Session takes it.
func (s *Service) CheckSession(_ context.Context, id token.ID) error {
	c := Call{Project: id.Project, Tenant: id.Tenant}
	if err := s.checkTenant(c); err != nil {
		return err
	}
	u, err := s.accounts.Get(c.scope(), id.UID)
	if err != nil {
		return err
	}
	return s.checkSession(u, id.AuthTime.Unix(), id.Epoch)
}

// userOf returns the user whose ID token is given, and the token.
func (s *Service) userOf(c *Call, idToken string) (*account.User, token.ID, error) {
	id, err := s.tokens.IDOnly(idToken, c.Project)
	if err != nil {
		return nil, token.ID{}, apiError("INVALID_ID_TOKEN")
	}
	if c.Tenant != "" && c.Tenant != id.Tenant {
		return nil, token.ID{}, apiError("TENANT_ID_MISMATCH")
	}
	c.Tenant = id.Tenant
	if err := s.checkTenant(*c); err != nil {
		return nil, token.ID{}, err
	}
	u, err := s.accounts.Get(c.scope(), id.UID)
	if err != nil {
		return nil, token.ID{}, err
	}
	if err := s.checkSession(u, id.AuthTime.Unix(), id.Epoch); err != nil {
		return nil, token.ID{}, err
	}
	return u, id, nil
}

// recent is the maximum age of a sign-in that may still change how an account is signed in to, or delete it.
const recent = 5 * time.Minute

// signedInRecently refuses a sensitive change to a session that is older than recent, as production does: a stolen session
// must not be enough to lock the account's owner out. Nothing can sign an anonymous account in again, so its sessions never count as old; a session
// that began anonymously does once the account has anything else. The official emulator does not check.
func (s *Service) signedInRecently(u *account.User, id token.ID) error {
	if s.o.Emulator || id.Provider == "anonymous" && u.Anonymous() || s.now().Sub(id.AuthTime) <= recent {
		return nil
	}
	return apiError("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
}

// recentUser returns the user of an ID token whose sign-in is recent.
func (s *Service) recentUser(c *Call, idToken string) (*account.User, token.ID, error) {
	u, id, err := s.userOf(c, idToken)
	if err != nil {
		return nil, token.ID{}, err
	}
	return u, id, s.signedInRecently(u, id)
}

// change changes one account: edit is called with its present state, which must exist.
func (s *Service) change(ctx context.Context, c Call, uid string, edit func(*account.Change, *account.User) error) error {
	return s.accounts.Change(ctx, c.scope(), []string{uid}, func(ch *account.Change) error {
		u, err := ch.Get(uid)
		if err != nil {
			return err
		}
		if u == nil {
			return apiError("USER_NOT_FOUND")
		}
		if err := edit(ch, u); err != nil {
			return err
		}
		ch.Put(u)
		return nil
	})
}
