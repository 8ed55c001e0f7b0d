package service

import (
	"context"
	"log/slog"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/actionlink"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/authapp"
	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/auth/service/hasher"
	"clave/server/internal/auth/service/idp"
	"clave/server/internal/auth/service/limits"
	"clave/server/internal/auth/service/settings"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
)

// Options configure a Service.
type Options struct {
	// Accounts holds the accounts.
	Accounts *account.Store
	// Follow is set if another node that shares the accounts writes them. The service then only reads.
	Follow bool
	// Tokens mints and verifies tokens.
	Tokens *token.Verifier
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Project is the project that API keys belong to.
	Project string
	// Emulator enables what only the official emulator supports: made-up credentials of identity providers, a control
	// route that shows codes, unregistered service accounts. It must not be set in production.
	Emulator bool
	// AsEmulator selects the official emulator's behaviour where it differs from production's. It implies
	// EmulatorSettings.
	AsEmulator bool
	// EmulatorSettings gives projects, tenants and requests the official emulator's defaults where they set nothing: no
	// e-mail enumeration protection, tenants that are created on first use, tokens without returnSecureToken. Otherwise
	// they have production's defaults.
	EmulatorSettings bool
	// HashMemCost is the memory cost of password hashes, as a power of two. Zero means 14, Firebase's value. Lower values
	// are for tests.
	HashMemCost int
	// HashWorkers is the number of passwords that are hashed at once. Zero means half of the machine's cores, but at least
	// one.
	HashWorkers int
	// RateLimits limits sign-ins, sign-ups and codes by address and account.
	RateLimits bool
	// Mail sends codes by e-mail; nil sends none.
	Mail Mailer
	// SMS sends codes by text message; nil sends none.
	SMS sms.Sender
	// Providers verify the credentials of identity providers. Nil means none, with Emulator idp.Fakes.
	Providers IdentityProviders
	// Secrets seals the secrets of identity providers. Without it they are stored as they are with Emulator, and otherwise
	// refused.
	Secrets *secret.Keys
	// Announce is called, concurrently, with a text that shows each code that is sent, in the official emulator's words;
	// nil shows none. It must not be set in production.
	Announce func(text string)
	// SignedIn is called for each sign-in, if not nil.
	SignedIn func()
	// Limited is called with the name of each limit that has refused a request, if not nil.
	Limited func(name string)
	// Blocking calls blocking functions; nil calls none.
	Blocking blocking.Caller
	// PublicURL is the prefix of links that are sent; empty means the request's own origin.
	PublicURL string
	// LinkOrigin is the origin of links without PublicURL; empty means the request's own.
	LinkOrigin string
	// NoSignUp disables sign-up by clients for projects without a setting for it.
	NoSignUp bool
	// NoAnonymous and NoPasswords turn off anonymous accounts, and addresses with passwords, for projects without a
	// setting for it.
	NoAnonymous, NoPasswords bool
	// Log logs failures that no request returns; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.HashMemCost == 0 {
		o.HashMemCost = 14
	}
	o.EmulatorSettings = o.EmulatorSettings || o.AsEmulator
	if o.Providers == nil && o.Emulator {
		o.Providers = idp.Fakes{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Call identifies the caller and the scope of a request.
type Call struct {
	// Project and Tenant are the scope of the request.
	Project, Tenant string
	// Admin is set for servers with the right to administer Project.
	Admin bool
	// Transfer is set for exports and imports, which also have access to disabled tenants.
	Transfer bool
	// Address is the client's network address, for rate limits.
	Address string
	// Origin is scheme and host of the request, for links.
	Origin string
	// Key is the API key, for links.
	Key string
	// Locale is the client's language.
	Locale string
	// UserAgent is the client's user agent, for blocking functions.
	UserAgent string
}

// Service implements the API. It is safe for concurrent use.
type Service struct {
	o        Options
	accounts *account.Store
	tokens   *token.Verifier
	hasher   *hasher.Hasher
	blocking blocking.Functions
	sms      sms.Codes
	apps     authapp.Apps
	importer accountimport.Importer
	links    actionlink.Policy
	limits   *limits.Limits
	outbox   chan queuedCode
}

// maxHashesWaiting is the maximum number of passwords of one client that wait to be hashed if rates are limited.
const maxHashesWaiting = 32

// New returns a Service.
func New(o Options) *Service {
	o.EnsureDefaults()
	s := &Service{o: o, accounts: o.Accounts, tokens: o.Tokens, limits: limits.New(limits.Options{Clock: o.Clock, Off: !o.RateLimits, Refused: o.Limited}), outbox: make(chan queuedCode, outboxSize)}
	s.blocking = blocking.Functions{Caller: o.Blocking, Tokens: o.Tokens, Clock: o.Clock, Emulator: o.Emulator, Log: o.Log}
	s.sms = sms.Codes{Accounts: o.Accounts, Clock: o.Clock}
	s.apps = authapp.Apps{Accounts: o.Accounts, Clock: o.Clock}
	s.links = actionlink.Policy{PublicURL: o.PublicURL, Origin: o.LinkOrigin, Emulator: o.Emulator}
	perClient := 0
	if o.RateLimits {
		perClient = maxHashesWaiting
	}
	s.hasher = hasher.New(hasher.Options{Accounts: o.Accounts, MemCost: o.HashMemCost, Workers: o.HashWorkers, PerClient: perClient, Log: o.Log})
	s.importer = accountimport.Importer{
		Accounts: o.Accounts, Hasher: s.hasher, Clock: o.Clock, Emulator: o.Emulator, AsEmulator: o.AsEmulator, HashMemCost: o.HashMemCost,
	}
	return s
}

// Project returns the project that API keys belong to.
func (s *Service) Project() string { return s.o.Project }

// Origin returns the origin under which clients reach the server: the public URL or, under `clave start`, that of the
// request. It is empty if there is no public URL otherwise, because a client can send any Host header.
func (s *Service) Origin(c Call) string {
	if s.o.PublicURL == "" && s.o.Emulator {
		return c.Origin
	}
	return s.o.PublicURL
}

// LinkOrigin returns the origin to which the links of a call lead.
func (s *Service) LinkOrigin(c Call) string { return s.links.Base(c.Origin) }

// OnRevoke registers a function that is called when sessions of an account, or of a whole tenant or project, may have
// ended: the account was disabled or deleted, its sessions were revoked, the tenant was disabled or deleted. A
// connection that stays open for a session then checks the session again with CheckSession. account.Store.OnRevoke
// documents how the function is called.
func (s *Service) OnRevoke(call func(account.Revocation)) { s.accounts.OnRevoke(call) }

// SessionKinds returns the kinds of items, beside accounts, that CheckSession depends on.
func SessionKinds() []string { return []string{settings.TenantItem} }

// Tokens returns the verifier of callers' tokens.
func (s *Service) Tokens() *token.Verifier { return s.tokens }

// scope returns the scope of the call's accounts.
func (c Call) scope() account.Scope { return account.Scope{Project: c.Project, Tenant: c.Tenant} }

// root returns the scope of the call's project without tenant, where settings and refresh tokens are.
func (c Call) root() account.Scope { return account.Scope{Project: c.Project} }

// client returns the client of the call, for limits.
func (c Call) client() limits.Client {
	return limits.Client{Project: c.Project, Tenant: c.Tenant, Address: c.Address, Admin: c.Admin}
}

// now returns the present time.
func (s *Service) now(project string) time.Time { return clock.NowOf(s.o.Clock, project) }

// newUID returns the id of a new account: 28 alphanumeric characters.
func newUID() string {
	const length = 28
	return randid.New(length)
}

// Clear removes all accounts of the call's scope.
func (s *Service) Clear(ctx context.Context, c Call) error { return s.accounts.Clear(ctx, c.scope()) }

// Forget removes everything of a project, for tests that have a project each: the accounts of all tenants, their
// sessions, settings and codes.
func (s *Service) Forget(ctx context.Context, project string) error {
	if err := s.accounts.Forget(ctx, project); err != nil {
		return err
	}
	s.accounts.Revoked(account.Revocation{Scope: account.Scope{Project: project}})
	return nil
}

// checkSession returns an error unless a session is valid: its user exists and is enabled, and it began after the last
// revocation of the user's sessions. Sessions that began in the second of that revocation are distinguished by their
// epoch; the official emulator accepts them all.
func (s *Service) checkSession(u *account.Sessions, authTime, epoch int64) error {
	switch {
	case u == nil:
		return apierror.New("USER_NOT_FOUND")
	case u.Disabled:
		return apierror.New("USER_DISABLED")
	case authTime < u.Since(), authTime == u.Since() && epoch != u.Epoch && !s.o.Emulator:
		return apierror.New("TOKEN_EXPIRED")
	}
	return nil
}

// CheckSession returns an error if the session of an ID token has ended, or its tenant is disabled or deleted.
// token.Options.Session takes this method.
func (s *Service) CheckSession(_ context.Context, id token.ID) error {
	c := Call{Project: id.Project, Tenant: id.Tenant}
	if err := s.checkTenant(c); err != nil {
		return err
	}
	u, err := s.accounts.Sessions(c.scope(), id.UID)
	if err != nil {
		return err
	}
	return s.checkSession(u, id.AuthTime.Unix(), id.Epoch)
}

// userOf returns the user of an ID token, and the verified token.
func (s *Service) userOf(c *Call, idToken string) (*account.User, token.ID, error) {
	id, err := s.tokens.IDOnly(idToken, c.Project)
	if err != nil {
		return nil, token.ID{}, apierror.New("INVALID_ID_TOKEN")
	}
	if c.Tenant != "" && c.Tenant != id.Tenant {
		return nil, token.ID{}, apierror.New("TENANT_ID_MISMATCH")
	}
	c.Tenant = id.Tenant
	if err := s.checkTenant(*c); err != nil {
		return nil, token.ID{}, err
	}
	u, err := s.accounts.Get(c.scope(), id.UID)
	if err != nil {
		return nil, token.ID{}, err
	}
	if err := s.checkSession(u.Sessions(), id.AuthTime.Unix(), id.Epoch); err != nil {
		return nil, token.ID{}, err
	}
	return u, id, nil
}

// maxSignInAge is the maximum age of a sign-in that may still change an account's ways to sign in, or delete the
// account.
const maxSignInAge = 5 * time.Minute

// signedInRecently refuses a sensitive change by a session that is older than maxSignInAge, as production does: a
// stolen session must not suffice to lock the account's owner out. Sessions of anonymous accounts never count as old,
// because such accounts can't sign in again. A session that began anonymously does count as old once the account has
// another way to sign in. The official emulator does not check.
func (s *Service) signedInRecently(u *account.User, id token.ID) error {
	if s.o.Emulator || id.Provider == "anonymous" && u.Anonymous() || s.now(id.Project).Sub(id.AuthTime) <= maxSignInAge {
		return nil
	}
	return apierror.New("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
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
			return apierror.New("USER_NOT_FOUND")
		}
		if err := edit(ch, u); err != nil {
			return err
		}
		ch.Put(u)
		return nil
	})
}

// hash hashes a new password. It counts for the client's address, since hashing is the most costly operation that a
// client can request.
func (s *Service) hash(ctx context.Context, c Call, password string) (*passhash.Hash, error) {
	if err := s.limits.Take(c.client(), limits.Hash); err != nil {
		return nil, err
	}
	return s.hasher.Hash(ctx, c.Project, c.client().Queue(), password)
}

// info returns an account as the API shows it to the caller, with the hash of its password if hashes is set.
func (c Call) info(u *account.User, hashes bool) userinfo.Info {
	return userinfo.Of(u, c.Tenant, c.Admin, hashes)
}
