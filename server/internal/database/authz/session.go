package authz

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/model/resource"
)

// Session is the session of a caller whose stream is open. It ends when the caller's account is disabled or deleted,
// the account's sessions are revoked, its tenant is closed, or the key of the caller's service account is revoked.
// Its user closes it.
type Session struct {
	authorizer *Authorizer
	caller     token.Caller
	key        account
	// revoked counts the revocations that concern the session, and checked is the number of them as of which it was
	// found valid.
	revoked, checked atomic.Uint64
	// project is that of the database if faults may drop the stream, or empty. The stream fails with cutErr when cut
	// receives; stopCut releases the timer.
	project string
	cut     <-chan time.Time
	cutErr  error
	stopCut func()
	// ended is closed after err was set.
	ended chan struct{}
	err   error // guarded by sessions.mu until ended is closed
}

// Ended returns a channel that is closed when the session has ended.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Cut returns a channel that receives when the stream is to fail with CutErr, by a fault of the project; nil without
// one.
func (s *Session) Cut() <-chan time.Time { return s.cut }

// CutErr returns the error of a stream that is cut.
func (s *Session) CutErr() error { return s.cutErr }

// Err returns the error with which the session has ended, which is for its client, or nil while it is valid.
func (s *Session) Err() error {
	select {
	case <-s.ended:
		return s.err
	default:
		return nil
	}
}

// Check is Err as of the present time: after a revocation it checks the account instead of waiting for Ended. A
// stream that calls it before each message does nothing more after a revocation that was acknowledged.
func (s *Session) Check(ctx context.Context) error {
	if err := s.Err(); err != nil {
		return err
	}
	revoked := s.revoked.Load()
	if s.checked.Load() >= revoked {
		return nil
	}
	err := s.authorizer.checkSession(ctx, s.caller)
	switch {
	case err == nil:
		s.pass(revoked)
	case ctx.Err() == nil:
		if fault.CodeOf(err) == fault.Internal {
			s.authorizer.log.Error("the session of an open stream could not be checked", "error", err)
		}
		s.authorizer.sessions.end(s, err)
	}
	return err
}

// pass records that the session is valid as of a number of revocations.
func (s *Session) pass(revoked uint64) {
	for {
		checked := s.checked.Load()
		if checked >= revoked || s.checked.CompareAndSwap(checked, revoked) {
			return
		}
	}
}

// Close releases the session.
func (s *Session) Close() {
	if s.stopCut != nil {
		s.stopCut()
	}
	s.authorizer.sessions.remove(s)
}

// account names an account, or with an empty uid all accounts of a tenant or, without tenant, of a project. Service
// accounts belong to no project; their uid is their e-mail address.
type account struct{ project, tenant, uid string }

// accountOf returns the account of a caller; its uid is empty if the caller has none.
func accountOf(c token.Caller) account {
	if c.Service != "" {
		return account{uid: c.Service}
	}
	return account{c.Project, c.Tenant, c.UID}
}

// sessions holds the sessions of open streams.
type sessions struct {
	// wake has a capacity of one and signals that there are revocations; it is never closed.
	wake chan struct{}
	mu   struct {
		sync.Mutex
		open    map[account]map[*Session]struct{}
		revoked map[account]struct{}
		// projects are the sessions that faults may end, by project.
		projects map[string]map[*Session]struct{}
	}
}

// newSessions returns an empty set of sessions.
func newSessions() *sessions {
	s := &sessions{wake: make(chan struct{}, 1)}
	s.mu.open = make(map[account]map[*Session]struct{})
	s.mu.revoked = make(map[account]struct{})
	s.mu.projects = make(map[string]map[*Session]struct{})
	return s
}

// Session returns the session of a caller for a stream of a method, Listen or Write, that is about to open. It returns
// an error when the session has ended since the caller's token was verified.
func (az *Authorizer) Session(ctx context.Context, c token.Caller, db resource.Database, method string) (*Session, error) {
	if err := az.inject(ctx, c, db.Project, faultinject.Streams, method); err != nil {
		return nil, err
	}
	s := &Session{authorizer: az, caller: c, key: accountOf(c), ended: make(chan struct{})}
	az.disturb(s, db.Project, method)
	if s.key.uid == "" || az.checkSession == nil {
		return s, nil // Anonymous callers and the owner of the emulator have no account.
	}
	az.sessions.add(s)
	// A revocation before the session was added is not reported again.
	if err := az.checkSession(ctx, c); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// disturb lets faults end a stream: after a time that is fixed now, or when DropStreams is called. The console's
// streams are exempt.
func (az *Authorizer) disturb(s *Session, project, method string) {
	if az.faults == nil || s.caller.Journal != nil {
		return
	}
	if after, err := az.faults.EndOf(project, method); err != nil {
		s.cut, s.stopCut = clock.System().After(after)
		s.cutErr = err
	}
	s.project = project
	az.sessions.track(s)
}

// DropStreams ends the open streams of a project with an error, for tests, and returns their number.
func (az *Authorizer) DropStreams(project string, err error) int {
	dropped := az.sessions.ofProject(project)
	for _, s := range dropped {
		az.sessions.end(s, err)
	}
	return len(dropped)
}

// track adds a session to those of its project.
func (t *sessions) track(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.projects[s.project] == nil {
		t.mu.projects[s.project] = make(map[*Session]struct{})
	}
	t.mu.projects[s.project][s] = struct{}{}
}

// ofProject returns the sessions of a project that are tracked.
func (t *sessions) ofProject(project string) []*Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.mu.projects[project]))
}

// Revoke requests a check of the open streams' sessions of an account. An empty uid means all accounts of the tenant
// or, without tenant, of the project. Run makes the check, or Session.Check if it is called before.
func (az *Authorizer) Revoke(project, tenant, uid string) {
	az.sessions.revoke(account{project, tenant, uid})
}

// endRevoked checks the sessions of revoked accounts and ends invalid ones.
func (az *Authorizer) endRevoked(ctx context.Context) {
	for _, s := range az.sessions.takeRevoked() {
		_ = s.Check(ctx) // which ends the session
	}
}

// add adds a session.
func (t *sessions) add(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.open[s.key] == nil {
		t.mu.open[s.key] = make(map[*Session]struct{})
	}
	t.mu.open[s.key][s] = struct{}{}
}

// remove removes a session.
func (t *sessions) remove(s *Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.mu.open[s.key], s)
	if len(t.mu.open[s.key]) == 0 {
		delete(t.mu.open, s.key)
	}
	if s.project == "" {
		return
	}
	delete(t.mu.projects[s.project], s)
	if len(t.mu.projects[s.project]) == 0 {
		delete(t.mu.projects, s.project)
	}
}

// end ends a session with an error.
func (t *sessions) end(s *Session, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// revoke records an account whose sessions are to be checked.
func (t *sessions) revoke(a account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.uid != "" && t.mu.open[a] == nil {
		return
	}
	t.eachLocked(a, func(s *Session) { s.revoked.Add(1) })
	t.mu.revoked[a] = struct{}{}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// eachLocked calls do for the open sessions of an account. mu is held.
func (t *sessions) eachLocked(a account, do func(*Session)) {
	if a.uid != "" {
		for s := range t.mu.open[a] {
			do(s)
		}
		return
	}
	for key, sessions := range t.mu.open {
		if key.project != a.project || key.tenant != a.tenant {
			continue
		}
		for s := range sessions {
			do(s)
		}
	}
}

// takeRevoked returns the sessions to check.
func (t *sessions) takeRevoked() []*Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*Session
	for a := range t.mu.revoked {
		t.eachLocked(a, func(s *Session) { out = append(out, s) })
	}
	clear(t.mu.revoked)
	return out
}
