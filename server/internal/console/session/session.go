package session

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
	"clave/server/internal/console/audit"
)

// The lifetimes and the maximum numbers of links and sessions.
const (
	// linkLife is the time for which a link may be used.
	linkLife = 10 * time.Minute
	// idleLife is the lifetime of a session without requests of its user.
	idleLife = 30 * time.Minute
	// wholeLife is the maximum lifetime of a session.
	wholeLife = 12 * time.Hour
	// maxLinks is the maximum number of unused links, and maxSessions that of sessions. Beyond them the oldest ones end.
	maxLinks, maxSessions = 16, 64
	// sweepEvery is the interval at which expired links and sessions are removed.
	sweepEvery = 15 * time.Second
)

// Options configure Sessions.
type Options struct {
	// Open creates one session that all clients share and that may write, as in development. There are no links then.
	Open bool
	// Audit records the changes of sessions.
	Audit *audit.Log
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives the beginning and the end of sessions; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Session is a session of a user of the console.
type Session struct {
	// ID identifies the session in the audit log. It is not a secret.
	ID string
	// Write reports whether the session may change anything.
	Write bool
	// CSRF is a token that the page's requests have in a header, so that forms of other pages cannot make them.
	CSRF string
	// Address is the network address that opened the session.
	Address string

	// key is the credential in the Authorization header of the requests that the console forwards.
	key string
	// ended is closed when the session has ended.
	ended  chan struct{}
	opened time.Time
	seen   time.Time // guarded by Sessions.mu
}

// Ended returns a channel that is closed when the session has ended.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Authorization returns the header by which Callers recognizes the session. It never leaves the process.
func (s *Session) Authorization() string { return "Bearer " + s.key }

// link is an unused link.
type link struct {
	write bool
	until time.Time
}

// digest is the stored form of a secret. The time of a lookup reveals nothing about the secret.
type digest [sha256.Size]byte

// Sessions holds the links and sessions of the console. It is safe for concurrent use.
type Sessions struct {
	o    Options
	open *Session // the shared session; nil in production
	mu   struct {
		sync.Mutex
		links   map[digest]link
		cookies map[digest]*Session
		keys    map[string]*Session
	}
}

// New returns Sessions.
func New(o Options) *Sessions {
	o.EnsureDefaults()
	s := &Sessions{o: o}
	s.mu.links = make(map[digest]link)
	s.mu.cookies = make(map[digest]*Session)
	s.mu.keys = make(map[string]*Session)
	if o.Open {
		s.open = s.newSession(true)
		s.open.ID = "local"
		s.mu.keys[s.open.key] = s.open
	}
	return s
}

// newSession returns a session that begins now.
func (s *Sessions) newSession(write bool) *Session {
	now := s.o.Clock.Now()
	return &Session{ID: randid.New(8), Write: write, CSRF: randid.Secret(24), key: randid.Secret(32), ended: make(chan struct{}), opened: now, seen: now}
}

// NeedsLink reports whether sessions are opened by links.
func (s *Sessions) NeedsLink() bool { return s.open == nil }

// Link creates a link and returns its secret and the time at which it expires.
func (s *Sessions) Link(write bool) (secret string, until time.Time) {
	secret, until = randid.Secret(32), s.o.Clock.Now().Add(linkLife)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.mu.links) >= maxLinks {
		var oldest digest
		for d, l := range s.mu.links {
			if l.until.Before(s.mu.links[oldest].until) || oldest == (digest{}) {
				oldest = d
			}
		}
		delete(s.mu.links, oldest)
	}
	s.mu.links[sha256.Sum256([]byte(secret))] = link{write: write, until: until}
	return secret, until
}

// Open uses up a link and returns the session that it opens and the session's cookie. ok is false for a link that is
// unknown, used or expired.
func (s *Sessions) Open(secret, address string) (opened *Session, cookie string, ok bool) {
	now := s.o.Clock.Now()
	d := digest(sha256.Sum256([]byte(secret)))
	s.mu.Lock()
	defer s.mu.Unlock()
	l, known := s.mu.links[d]
	delete(s.mu.links, d)
	if !known || !now.Before(l.until) {
		return nil, "", false
	}
	for len(s.mu.cookies) >= maxSessions {
		s.endOldestLocked()
	}
	opened, cookie = s.newSession(l.write), randid.Secret(32)
	opened.Address = address
	s.mu.cookies[sha256.Sum256([]byte(cookie))] = opened
	s.mu.keys[opened.key] = opened
	s.o.Log.Info("the console's session opened", "session", opened.ID, "write", l.write, "address", address)
	return opened, cookie, true
}

// endOldestLocked ends the session that was unused the longest; mu is held.
func (s *Sessions) endOldestLocked() {
	var oldest *Session
	for _, one := range s.mu.cookies {
		if oldest == nil || one.seen.Before(oldest.seen) {
			oldest = one
		}
	}
	s.endLocked(oldest)
}

// Find returns the session of a cookie, or nil. If active is set, the request extends the session; requests that a page
// makes without an action of the user do not.
func (s *Sessions) Find(cookie string, active bool) *Session {
	if s.open != nil {
		return s.open
	}
	if cookie == "" {
		return nil
	}
	now := s.o.Clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.mu.cookies[sha256.Sum256([]byte(cookie))]
	switch {
	case found == nil:
		return nil
	case isExpired(found, now):
		s.endLocked(found)
		return nil
	case active:
		found.seen = now
	}
	return found
}

// isExpired reports whether a session has expired.
func isExpired(s *Session, now time.Time) bool {
	return now.Sub(s.seen) >= idleLife || now.Sub(s.opened) >= wholeLife
}

// Expires returns when a session ends without further requests; zero for never.
func (s *Sessions) Expires(of *Session) time.Time {
	if of == s.open {
		return time.Time{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	idle, whole := of.seen.Add(idleLife), of.opened.Add(wholeLife)
	if whole.Before(idle) {
		return whole
	}
	return idle
}

// End ends a session, except the shared one of development.
func (s *Sessions) End(of *Session) {
	if of == s.open {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(of)
}

// endLocked ends a session; mu is held.
func (s *Sessions) endLocked(of *Session) {
	if s.mu.keys[of.key] != of {
		return // it has ended
	}
	delete(s.mu.keys, of.key)
	for d, one := range s.mu.cookies {
		if one == of {
			delete(s.mu.cookies, d)
		}
	}
	close(of.ended)
	s.o.Log.Info("the console's session ended", "session", of.ID)
}

// Run ends expired sessions until ctx is done.
func (s *Sessions) Run(ctx context.Context) error {
	for clock.Sleep(ctx, s.o.Clock, sweepEvery) == nil {
		s.sweep()
	}
	return nil
}

// sweep ends expired sessions and removes expired links.
func (s *Sessions) sweep() {
	now := s.o.Clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.mu.cookies {
		if isExpired(one, now) {
			s.endLocked(one)
		}
	}
	for d, l := range s.mu.links {
		if !now.Before(l.until) {
			delete(s.mu.links, d)
		}
	}
}
