package authz

import (
	"context"
	"sync"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/listen"
	"clave/server/internal/limit/quota"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/rules"
)

// Stream holds one client's targets, each authorized by the rules. Run must be called once; the other methods are safe
// for concurrent use.
type Stream struct {
	// targets are not embedded: their Add would open a target that the rules have not authorized.
	targets    *listen.Stream
	authorizer *Authorizer
	caller     token.Caller
	// bills count what the targets read; nil counts nothing.
	bills *streamBills
	mu    struct {
		sync.Mutex
		closed bool
		// held is the memory of targets that were added and have not ended.
		held quota.Share
	}
}

// Close ends the stream. Run must have returned, or not have been called.
func (s *Stream) Close() {
	s.targets.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.held.Shrink(0)
	s.mu.closed = true
}

// hold holds the memory of a target.
func (s *Stream) hold(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		return nil
	}
	return s.mu.held.Take(n)
}

// yield returns the memory of a target.
func (s *Stream) yield(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.held.Shrink(max(s.mu.held.Held()-n, 0))
}

// Listen returns a stream of live queries for one client of one database. Its caller closes it.
func (az *Authorizer) Listen(c token.Caller, db resource.Database) *Stream {
	s := &Stream{targets: az.hub.Open(db), authorizer: az, caller: c}
	if az.counts(c) {
		s.bills = newStreamBills(az, c, db)
	}
	s.mu.held = az.held.Share(quota.Network(c.Address))
	return s
}

// Run runs the stream as listen.Stream.Run does. Its queries take turns with those of other networks.
func (s *Stream) Run(ctx context.Context, send func(*target.Event) error) error {
	ctx = s.authorizer.within(ctx, s.caller)
	return s.targets.Run(ctx, s.bills.counting(ctx, send))
}

// Add opens a target. The rules may deny it when it opens and at any later time.
func (s *Stream) Add(t target.Target) {
	if s.caller.Privileged {
		s.bills.open(&t)
		s.report(t)
		s.targets.Add(listen.Target{Target: t, Authorization: listen.Unrestricted()})
		return
	}
	size := targetMemory(&t)
	if err := s.hold(size); err != nil {
		s.Refuse(t.ID, err)
		return
	}
	p := &liveTarget{authorizer: s.authorizer, caller: s.caller, db: s.targets.Database(), target: &t, expires: s.caller.Expires, bill: s.bills.open(&t)}
	s.targets.Add(listen.Target{Target: t, Authorization: listen.Authorization{
		Key: p, Check: p.check, CheckPast: p.checkPast, MayGet: p.mayGet, PerVersion: t.Query == nil, Done: func() { s.yield(size) },
	}})
}

// Refuse refuses an invalid target: the target is added, and removed with the error as cause.
func (s *Stream) Refuse(id int32, err error) { s.targets.Refuse(id, err) }

// Remove removes a target.
func (s *Stream) Remove(id int32) { s.targets.Remove(id) }

// Finish makes Run return once all of Add, Refuse and Remove so far are executed.
func (s *Stream) Finish() { s.targets.Finish() }

// Dropped returns a channel that is closed if the client has not read for too long. The caller must then cut the
// stream, because Run may be blocked in its send.
func (s *Stream) Dropped() <-chan struct{} { return s.targets.Dropped() }

// report shows a privileged caller's target in the request monitor.
func (s *Stream) report(t target.Target) {
	access := s.authorizer.access(s.caller, s.targets.Database(), nil)
	if !access.reported {
		return
	}
	requests := make([]*rules.Request, 0, len(t.Documents)+1)
	for _, name := range t.Documents {
		requests = append(requests, &rules.Request{Method: rules.Get, Name: name})
	}
	if t.Query != nil {
		requests = append(requests, &rules.Request{Method: rules.List, Query: t.Query})
	}
	for _, r := range requests {
		access.report(r)
	}
}
