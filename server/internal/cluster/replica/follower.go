package replica

import (
	"context"
	"net/http"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/readindex"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
)

// Options hold what a follower needs.
type Options struct {
	// Node reaches the leader, and Sessions routes the sessions of WebChannel.
	Node     *forward.Node
	Sessions *forward.Sessions
	// Project has the files of rules and indexes of a release.
	Project *projectfiles.Project
	// CallLeader sends a request to a service of the leader and reports whether it was served.
	CallLeader func(ctx context.Context, service string, body []byte) bool
	// Stack has the options of the stacks that serve reads.
	Stack stack.Options
}

// Follower serves reads at a node while it does not lead.
type Follower struct {
	o     Options
	store *postgres.Store
	reads reads
	// Parts run while this node follows.
	Parts process.Components
}

// reads is the part of readindex.Reader that requests need.
type reads interface {
	Current() (*Stack, bool)
	Opened() (*Stack, bool)
	Counts() (leased, indexed int64)
	Now(ctx context.Context, s *Stack) error
	InStream(ctx context.Context, s *Stack) error
}

// New returns a follower on a store that does not lead yet.
func New(o Options, store *postgres.Store) (*Follower, error) {
	f := &Follower{o: o, store: store}
	reader, err := readindex.New(readindex.Options[*Stack]{
		Log: store, Leader: o.Node, Open: f.open, TextEnded: textEnded, TextNoLeader: forward.TextNoLeader, Logger: o.Stack.Log,
	})
	f.reads = reader
	f.Parts.Add("reads", reader)
	return f, err
}

// Databases implements readindex.Stack.
func (s *Stack) Databases() []resource.Database { return s.Engine.Databases() }

// Advance implements readindex.Stack.
func (s *Stack) Advance(versions map[resource.Database]clock.Version) {
	s.Engine.Advance(versions)
}

// Rules implements readindex.Stack.
func (s *Stack) Rules() string { return s.Rulesets.Digest() }

// Held implements readindex.Stack.
func (s *Stack) Held() error { return s.replica.Held() }

// End implements readindex.Stack.
func (s *Stack) End() { s.ending.End() }

// Ending implements readindex.Stack.
func (s *Stack) Ending() <-chan struct{} { return s.ending.Done() }

// answer serves a request. It returns false if the leader must serve it, which includes a read that this node could not
// serve, for example because its index definitions are changing.
func (f *Follower) answer(w http.ResponseWriter, r *http.Request) bool {
	s, ctx, done := f.enter(r.Context(), func() forward.Reading { return forward.ReadingOf(r) })
	if s == nil {
		return false
	}
	defer done()
	// A response to a client that does not read must end with s, because this node leads only after that.
	stop := context.AfterFunc(ctx, func() { _ = http.NewResponseController(w).SetWriteDeadline(clock.Passed()) })
	defer stop()
	return forward.Attempt(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.REST.ServeHTTP(w, r.WithContext(ctx))
	}))
}

// enter begins a request at this node, under the returned context and until done is called. It returns nil if the
// leader must serve it.
func (f *Follower) enter(ctx context.Context, reading func() forward.Reading) (s *Stack, within context.Context, done func()) {
	s, ok := f.reads.Current()
	if !ok {
		return nil, nil, nil
	}
	kind := reading()
	if kind == forward.Forward || !s.enter() {
		return nil, nil, nil
	}
	work := s.cut.Begin(ctx)
	done = func() {
		work.Stop()
		s.leave()
	}
	if err := f.reads.Now(work, s); err != nil {
		done()
		return nil, nil, nil
	}
	if kind == forward.Brief {
		return s, engine.AsOfNow(work), done
	}
	return s, work, done
}

// applied is called for each row of the log that was applied to the replica. A stack that ends takes no more rows: it
// may lack one of them, after which its streams must not show a later one.
func (s *Stack) applied(ctx context.Context, ops []store.Op) {
	if s.ending.Ended() {
		return
	}
	if err := s.follow(ctx, ops); err != nil {
		s.o.Stack.Log.Error("reads are forwarded: a row of the log can't be applied", "error", err)
		s.ending.End()
	}
}
