package replica

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"google.golang.org/grpc"

	"clave/server/internal/base/process"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/observe/prometheus"
	"clave/server/internal/store/postgres"
	grpctransport "clave/server/internal/transport/grpc"
	"clave/server/internal/transport/webchannel"
)

// Reads serves the requests that a node may serve by itself while it follows, and forwards the others. Its handlers
// serve before there is a replica.
type Reads struct {
	o Options
	// follower is nil until there is a replica, and once this node leads.
	follower atomic.Pointer[Follower]
}

// NewReads returns handlers that forward all requests until Follow is called.
func NewReads(o Options) *Reads { return &Reads{o: o} }

// Follow serves reads from the replica of a store until this node leads.
func (n *Reads) Follow(ctx context.Context, store *postgres.Store) error {
	f, err := New(n.o, store)
	if err != nil {
		return err
	}
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- process.Run(following, f.Parts.Parts...) }()
	n.follower.Store(f)
	err = store.Lead(ctx)
	n.follower.Store(nil)
	stop()
	return errors.Join(err, <-ended) // before anything is written here
}

// Reached waits until the replica has everything that was acknowledged before the call. It returns false if that is not
// certain, as without a leader.
func (n *Reads) Reached(ctx context.Context) bool {
	f := n.follower.Load()
	if f == nil {
		return false
	}
	s, _, done := f.enter(ctx, func() forward.Reading { return forward.Lasting })
	if s == nil {
		return false
	}
	done()
	return true
}

// Handler returns the handler of a port.
func (n *Reads) Handler(port string) http.Handler {
	next := n.o.Node.Forward(port)
	channels := n.o.Sessions.Route(port, n.o.Sessions.Here(n.channel, next))
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
func (n *Reads) channel(w http.ResponseWriter, r *http.Request, begins bool) bool {
	f := n.follower.Load()
	if f == nil {
		return false
	}
	s, ok := f.reads.Current()
	if !ok || !begins && s.ending.Ended() && n.o.Sessions.Moves.Has(r) {
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
	s.Channels.ServeHTTP(w, r.WithContext(ctx))
	return true
}

// Router returns the server of a port's gRPC.
func (n *Reads) Router(port string) *grpctransport.Router {
	s := &n.o.Stack
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
			return n.o.Node.ForwardCall(ss, port, method, first)
		},
		Calls: s.Calls, ProxyHops: s.ProxyHops, Budget: s.Budget, Meter: s.Meter, Log: s.Log,
	})
}

// State returns the state of the node with a name for its metrics. It is healthy while it serves reads.
func (n *Reads) State(name string) prometheus.State {
	node := &prometheus.Node{Role: "follower"}
	out := prometheus.State{Node: node}
	f := n.follower.Load()
	if f == nil {
		return out
	}
	node.Leased, node.Indexed = f.reads.Counts()
	rows, contact := f.store.Behind()
	node.Members = []prometheus.Member{{Name: name, LogLag: rows, Age: contact}}
	s, ok := f.reads.Opened()
	if !ok {
		return out
	}
	condition := s.replica.Condition()
	out.StoreBytes, out.StoreFree, out.LogBytes = condition.Used, condition.Free, condition.Log
	current, ok := f.reads.Current()
	out.Healthy = condition.Err == nil && ok && current == s
	out.Streams, out.Targets = s.Hub.Streams(), s.Hub.Targets()
	return out
}
