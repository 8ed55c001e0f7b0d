package node

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"clave/server/internal/base/process"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/port"
)

// innerName names the inner listener in logs.
const innerName = "cluster"

// earlyPart is a part that runs before the app does, and is stopped with it.
type earlyPart struct {
	name string
	stop context.CancelFunc
	// ended is closed when it has ended, with err set.
	ended chan struct{}
	err   error
}

// start starts the early parts.
func (n *Node) start(ctx context.Context) {
	for _, part := range n.Early.Parts {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		e := &earlyPart{name: part.Name, stop: stop, ended: make(chan struct{})}
		n.running = append(n.running, e)
		go func() {
			defer close(e.ended)
			e.err = part.Run(ctx)
		}()
	}
}

// Open opens a port, which serves other handlers once this node leads.
func (n *Node) Open(o port.Options) {
	n.ports[o.Name] = port.New(o)
	n.Early.Add(o.Name, n.ports[o.Name])
}

// OpenForwarding opens a port for clients: it forwards requests to the leader, except reads that this node serves.
// calls is set if the port serves calls of gRPC.
func (n *Node) OpenForwarding(ctx context.Context, o port.Options, calls bool) {
	o.Handlers.Forward, o.Handlers.Role = n.Reads.Handler(o.Name), "follower"
	if calls {
		n.routers[o.Name] = n.Reads.Router(o.Name)
		o.Handlers.GRPC = n.routers[o.Name]
	}
	o.Handlers.Health = func() error { return n.LeaderHealth(ctx, o.Name) }
	n.Open(o)
	n.forwarded = append(n.forwarded, o.Name)
}

// Opened completes the parts that run before this node leads, once its ports are open.
func (n *Node) Opened() {
	owned := maps.Clone(n.Everywhere)
	for _, name := range n.forwarded {
		owned[name] = n.ports[name].Handler()
	}
	n.Forwarder.ServeOwned(owned)
	n.Early.Add(innerName, n.Forwarder)
}

// Handler returns the handler of a port, or nil if there is none.
func (n *Node) Handler(name string) http.Handler {
	if n.ports[name] == nil {
		return nil
	}
	return n.ports[name].Handler()
}

// Lead sets the handlers of a port once this node leads. It returns false if this node has not opened the port.
func (n *Node) Lead(name string, handlers port.Handlers) bool {
	if n.ports[name] == nil {
		return false
	}
	n.leading[name] = handlers
	return true
}

// close stops a part and waits for it.
func (e *earlyPart) close() error {
	e.stop()
	<-e.ended
	return e.err
}

// run waits for the part's end within the app.
func (e *earlyPart) run(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-e.ended:
	}
	return e.close()
}

// stop stops the parts that still run, the ports first, so that the leader's responses to requests in progress reach
// their clients.
func (n *Node) stop() error {
	var all []error
	for _, e := range n.running {
		if n.ports[e.name] != nil {
			all = append(all, e.close())
		}
	}
	for _, e := range slices.Backward(n.running) {
		all = append(all, e.close())
	}
	return errors.Join(all...)
}

// failed waits until ctx is done, or a part has ended by itself, and returns its error.
func (n *Node) failed(ctx context.Context) error {
	ended := make(chan error, len(n.running))
	for _, e := range n.running {
		go func() {
			select {
			case <-ctx.Done():
				ended <- nil
			case <-e.ended:
				ended <- cmp.Or(e.err, errors.New("node: the port "+e.name+" has ended"))
			}
		}()
	}
	return <-ended
}

// ServeAsLeader lets the ports, which have forwarded so far, serve at this node while the app runs. The inner listener
// is stopped before them, because requests that are forwarded to it need their handlers.
func (n *Node) ServeAsLeader(c *process.Components) {
	for _, e := range n.running {
		part := process.Part{Name: e.name, Run: e.run}
		if e.name == innerName {
			part.Run = func(ctx context.Context) error {
				n.lead()
				return n.runInner(ctx, e)
			}
		}
		c.Parts = append(c.Parts, part)
	}
}

// runInner is earlyPart.run for the inner listener: while it still serves, other nodes give their leases back, so that
// the next leader need not wait. Nor need it wait for commits that wait for transactions, which can't be continued.
func (n *Node) runInner(ctx context.Context, e *earlyPart) error {
	select {
	case <-ctx.Done():
		n.endTransactions()
		n.leases.Close()
	case <-e.ended:
	}
	return e.close()
}

// lead lets the ports serve at this node.
func (n *Node) lead() {
	handlers := maps.Clone(n.Services)
	for name, leading := range n.leading {
		leading.Role = "leader"
		if router := n.routers[name]; router != nil {
			router.Lead(leading.GRPC.(*grpc.Server))
			leading.GRPC = router
		}
		if leading.WebChannel != nil {
			leading.WebChannel = n.Sessions.Route(name, leading.WebChannel)
		}
		port := n.ports[name]
		port.Replace(leading)
		if slices.Contains(n.forwarded, name) {
			handlers[name] = port.Handler()
		}
	}
	n.Forwarder.Serve(handlers)
	n.Sessions.Lead()
}
