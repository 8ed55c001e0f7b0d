package app

import (
	"context"
	"net/http"

	"google.golang.org/grpc"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/readindex"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	grpctransport "clave/server/internal/transport/grpc"
	"clave/server/internal/transport/webchannel"
)

// How a node that does not lead serves reads. Its replica follows the log. On the replica run a following engine, the
// live queries, the authorizer, and the calls over gRPC and REST (replicaStack). A request that reads the latest state
// (forward.ReadingOf) waits until the replica has everything that was acknowledged before it (readindex). So documents,
// accounts, signing keys and rules include that. All other requests are forwarded, and so are reads while there is no
// read index.
//
// A lasting stream has no index of its own, but each of its reads does (engine.Options.Current). Streams end with
// UNAVAILABLE when the parts that serve reads end, and outlive changes of rules and indexes that are in the log.

// follower serves reads at a node while it does not lead.
type follower struct {
	app   *App
	store *postgres.Store
	reads reads
	// parts run while this node follows.
	parts components
}

// reads is the part of readindex.Reader that requests need.
type reads interface {
	Current() (*replicaStack, bool)
	Opened() (*replicaStack, bool)
	Counts() (leased, indexed int64)
	Now(ctx context.Context, s *replicaStack) error
	InStream(ctx context.Context, s *replicaStack) error
}

// follow returns a follower on a store that does not lead yet. The store's own work begins once it leads.
func (a *App) follow(store *postgres.Store) (*follower, error) {
	a.add("store", store)
	f := &follower{app: a, store: store}
	reader, err := readindex.New(readindex.Options[*replicaStack]{
		Log: store, Leader: a.nodes.node, Open: f.open, TextEnded: textEnded, TextNoLeader: forward.TextNoLeader, Logger: a.o.Log,
	})
	f.reads = reader
	f.parts.add("reads", reader)
	return f, err
}

// Databases implements readindex.Stack.
func (s *replicaStack) Databases() []resource.Database { return s.engine.Databases() }

// Advance implements readindex.Stack.
func (s *replicaStack) Advance(versions map[resource.Database]clock.Version) {
	s.engine.Advance(versions)
}

// Rules implements readindex.Stack.
func (s *replicaStack) Rules() string { return s.rulesets.Digest() }

// Held implements readindex.Stack.
func (s *replicaStack) Held() error { return s.replica.Held() }

// End implements readindex.Stack.
func (s *replicaStack) End() { s.ending.End() }

// Ending implements readindex.Stack.
func (s *replicaStack) Ending() <-chan struct{} { return s.ending.Done() }

// reads returns a handler that serves the requests that this node may serve by itself, and forwards the others.
func (n *nodes) reads(port string) http.Handler {
	next := n.node.Forward(port)
	channels := n.sessions.Route(port, n.sessions.Here(n.channel, next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := n.follower.Load()
		switch {
		case webchannel.IsRequest(r):
			channels.ServeHTTP(w, r)
		case f == nil || !f.answer(w, r):
			next.ServeHTTP(w, r)
		}
	})
}

// channel serves a request of a session at this node, while it does not lead. A session begins once the node has
// everything that was acknowledged before its request. It returns false if this node can't serve it.
func (n *nodes) channel(w http.ResponseWriter, r *http.Request, begins bool) bool {
	f := n.follower.Load()
	if f == nil {
		return false
	}
	s, ok := f.reads.Current()
	if !ok || !begins && s.ending.Ended() && n.sessions.Moves.Has(r) {
		return false
	}
	if begins {
		var done func()
		if s, _, done = f.enter(r.Context(), func() forward.Reading { return forward.Lasting }); s == nil {
			return false
		}
		done()
	}
	// Responses to slow clients may last longer than s. They need only the session, which ends with s.
	ctx, stop := s.cut.Within(r.Context())
	defer stop()
	s.channels.ServeHTTP(w, r.WithContext(ctx))
	return true
}

// router returns the server of a port's gRPC, which serves the calls that this node may serve by itself, and forwards
// the others.
func (n *nodes) router(a *App, port string) *grpctransport.Router {
	return grpctransport.NewRouter(grpctransport.RouterOptions{
		Here: func(ctx context.Context, method string, first []byte) (context.Context, *grpctransport.Server, func()) {
			f := n.follower.Load()
			if f == nil {
				return nil, nil, nil
			}
			s, within, done := f.enter(ctx, func() forward.Reading { return forward.ReadingOfCall(method, first) })
			if s == nil {
				return nil, nil, nil
			}
			return within, s.grpc, done
		},
		Forward: func(ss grpc.ServerStream, method string, first *grpctransport.Raw) (bool, error) {
			return n.node.ForwardCall(ss, port, method, first)
		},
		Calls: a.calls, ProxyHops: a.proxyHops(), Budget: a.budget, Meter: a.counts, Log: a.o.Log,
	})
}

// answer serves a request. It returns false if the leader must serve it, which includes a read that this node could not
// serve, for example because its index definitions are changing.
func (f *follower) answer(w http.ResponseWriter, r *http.Request) bool {
	s, ctx, done := f.enter(r.Context(), func() forward.Reading { return forward.ReadingOf(r) })
	if s == nil {
		return false
	}
	defer done()
	// A response to a client that does not read must end with s, because this node leads only after that.
	stop := context.AfterFunc(ctx, func() { _ = http.NewResponseController(w).SetWriteDeadline(clock.Passed()) })
	defer stop()
	return forward.Attempt(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.rest.ServeHTTP(w, r.WithContext(ctx))
	}))
}

// enter begins a request at this node, under the returned context and until done is called. It returns nil if the
// leader must serve it.
func (f *follower) enter(ctx context.Context, reading func() forward.Reading) (s *replicaStack, within context.Context, done func()) {
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
func (s *replicaStack) applied(ctx context.Context, ops []store.Op) {
	if s.ending.Ended() {
		return
	}
	if err := s.follow(ctx, ops); err != nil {
		s.app.o.Log.Error("reads are forwarded: a row of the log can't be applied", "error", err)
		s.ending.End()
	}
}
