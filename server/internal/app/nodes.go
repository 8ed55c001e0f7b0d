package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"clave/server/internal/app/datafolder"
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/cluster/replica"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/readlease"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/port"
	"clave/server/internal/transport/webchannel"
)

// nodes connects this node with the others that share its store. Its ports serve before it leads: they forward requests
// to the leader.
type nodes struct {
	members *postgres.Members
	node    *forward.Node
	// name is the name of this node.
	name string
	// sessions routes the sessions of WebChannel.
	sessions *forward.Sessions
	// inner is the address at which other nodes reach this one.
	inner string
	// site is the static site, which every node serves itself.
	site  http.Handler
	ports map[string]*port.Port
	// routers serve the calls of gRPC of the ports that have them, by the port's name.
	routers map[string]*grpc.Router
	// leading holds the handlers of the ports once this node leads, by the port's name.
	leading map[string]port.Handlers
	// forwarded holds the names of the ports whose requests are forwarded to the node that leads.
	forwarded []string
	// services holds the handlers for nodes and commands once this node leads. releases is one of them.
	services map[string]http.Handler
	releases atomic.Pointer[releases.Service]
	// leases are those by which other nodes read once this node leads.
	leases *readlease.Grants
	// endTransactions ends the open transactions once this node leads.
	endTransactions func()
	// reads serves reads while this node does not lead.
	reads *replica.Reads
	// opened is set once this node's replica is open.
	opened atomic.Bool
	// reached is the time when the leader last reported that it is healthy.
	reached atomic.Pointer[time.Time]
	// early holds the parts that run before the app does, and running those that were started.
	early   process.Components
	running []*earlyPart
}

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
func (n *nodes) start(ctx context.Context) {
	for _, part := range n.early.Parts {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		e := &earlyPart{name: part.Name, stop: stop, ended: make(chan struct{})}
		n.running = append(n.running, e)
		go func() {
			defer close(e.ended)
			e.err = part.Run(ctx)
		}()
	}
}

// open opens a port, which serves other handlers once this node leads.
func (n *nodes) open(o port.Options) {
	n.ports[o.Name] = port.New(o)
	n.early.Add(o.Name, n.ports[o.Name])
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

// close stops the parts that still run, the ports first, so that the leader's responses to requests in progress reach
// their clients.
func (n *nodes) close() error {
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
func (n *nodes) failed(ctx context.Context) error {
	ended := make(chan error, len(n.running))
	for _, e := range n.running {
		go func() {
			select {
			case <-ctx.Done():
				ended <- nil
			case <-e.ended:
				ended <- cmp.Or(e.err, errors.New("app: the port "+e.name+" has ended"))
			}
		}()
	}
	return <-ended
}

// join adds this node to the nodes on PostgreSQL: it opens the inner listener, and the ports forward until the node
// leads. Its parts are not started.
func (a *App) join(ctx context.Context, p ports) (n *nodes, err error) {
	if _, err := a.makeFolder(datafolder.Replica); err != nil { // the node's name is a file beside it
		return nil, err
	}
	n = &nodes{ports: make(map[string]*port.Port), routers: make(map[string]*grpc.Router), leading: make(map[string]port.Handlers), services: make(map[string]http.Handler)}
	if n.members, err = postgres.OpenMembers(ctx, a.config.Store, a.o.Log); err != nil {
		return nil, err
	}
	a.components.OnClose(n.members.Close)
	if err := a.openInner(ctx, n); err != nil {
		return nil, err
	}
	if err := a.sameProject(ctx, n); err != nil {
		return nil, err
	}
	if a.encryption, err = a.tls(); err != nil {
		return nil, err
	}
	n.site, err = a.site()
	if err != nil {
		return nil, err
	}
	a.components.OnClose(n.close) // before the inner listener and the others are
	n.reads = replica.NewReads(a.replicaOptions(n))
	n.early.Add("members", n.members)
	for _, at := range []struct {
		name     string
		listener net.Listener
		handlers port.Handlers
	}{
		{"firestore", p.firestore, port.Handlers{}},
		{"auth", p.auth, port.Handlers{}},
		{"hosting", p.hosting, port.Handlers{Site: n.site, Reserved: a.reserved(nil), IdentityHost: rpcidentity.IsHost}},
	} {
		if at.listener == nil {
			continue
		}
		at.handlers.Forward, at.handlers.Role = n.reads.Handler(at.name), "follower"
		if at.name != "auth" {
			n.routers[at.name] = n.reads.Router(at.name)
			at.handlers.GRPC = n.routers[at.name]
		}
		at.handlers.Health = func() error { return n.leaderHealth(ctx, at.name) }
		o := a.portOptions(at.name, at.listener, at.handlers)
		o.TLS = a.encryption
		n.open(o)
		n.forwarded = append(n.forwarded, at.name)
	}
	owned := make(map[string]http.Handler)
	for _, name := range n.forwarded {
		owned[name] = n.ports[name].Handler()
	}
	n.node.ServeOwned(owned)
	if err := a.openOtherPorts(ctx, n, p); err != nil {
		return nil, err
	}
	n.early.Add(innerName, n.node)
	return n, nil
}

// replicaOptions returns the options of reads at a node that does not lead.
func (a *App) replicaOptions(n *nodes) replica.Options {
	return replica.Options{
		Node: n.node, Sessions: n.sessions, Project: a.files(), Stack: a.stackOptions(),
		CallLeader: func(ctx context.Context, service string, body []byte) bool {
			return leaderservice.CallOnce(ctx, n.node.Client(), leaderservice.Of(n.members), service, body)
		},
	}
}

// openInner opens the inner listener.
func (a *App) openInner(ctx context.Context, n *nodes) error {
	secret, err := n.members.Secret(ctx)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(cmp.Or(a.config.ClusterListen, net.JoinHostPort(n.members.Host(), "0")))
	if err != nil {
		return err // config has checked it
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return innerError(host, port, err)
	}
	a.components.OnClose(closer(ln))
	_, taken, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = n.members.Host()
	}
	n.inner = net.JoinHostPort(host, taken)
	if n.name, err = a.data().Node(); err != nil {
		return err
	}
	n.node, err = forward.New(forward.Options{
		Name: n.name, Secret: secret, Listener: ln, ProxyHops: a.proxyHops(), Budget: a.budget, Meter: a.counts, Clock: a.o.Clock, Log: a.o.Log,
		Leader: leaderservice.Of(n.members),
	})
	n.sessions = &forward.Sessions{Node: n.node, Addresses: n.members, Inner: n.inner, Moves: webchannel.NewMoves()}
	return err
}

// leaderHealth requests the health of one of the leader's ports. Before this node's replica is open it could not take
// over from the leader, so it is not healthy.
func (n *nodes) leaderHealth(ctx context.Context, name string) error {
	if !n.opened.Load() {
		return port.ErrBuilding
	}
	limit, recent := healthTimeout, n.reachedLately()
	if recent {
		limit = shortHealthTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	code, err := n.node.Status(ctx, name, port.HealthPath)
	switch {
	case err == nil && code == http.StatusOK:
		now := clock.System().Now()
		n.reached.Store(&now)
		return nil
	case err == nil:
		return fmt.Errorf("the leader returned status %d", code)
	case recent:
		return nil // requests at this node wait for the next leader; a load balancer should not remove it
	}
	return fmt.Errorf("%w: %w", port.ErrNoLeader, err)
}

// reachedLately reports whether the leader has reported that it is healthy within changeTime.
func (n *nodes) reachedLately() bool {
	last := n.reached.Load()
	return last != nil && clock.System().Now().Sub(*last) < changeTime
}

// The time limits for the leader's report of its health: in general, and while the report of a moment ago makes this
// node healthy in any case. A load balancer waits only half a second, and a leader that does not respond must not make
// it remove the other nodes.
const (
	healthTimeout      = 2 * time.Second
	shortHealthTimeout = 200 * time.Millisecond
)

// changeTime is the time for which a node without a leader reports that it is healthy. A change of leaders takes less.
const changeTime = 10 * time.Second

// serveAsLeader lets the ports, which have forwarded so far, serve at this node while the app runs. The inner listener
// is stopped before them, because requests that are forwarded to it need their handlers.
func (n *nodes) serveAsLeader(a *App) {
	for _, e := range n.running {
		part := process.Part{Name: e.name, Run: e.run}
		if e.name == innerName {
			part.Run = func(ctx context.Context) error {
				n.lead()
				return n.runInner(ctx, e)
			}
		}
		a.components.Parts = append(a.components.Parts, part)
	}
}

// runInner is earlyPart.run for the inner listener: while it still serves, other nodes give their leases back, so that
// the next leader need not wait. Nor need it wait for commits that wait for transactions, which can't be continued.
func (n *nodes) runInner(ctx context.Context, e *earlyPart) error {
	select {
	case <-ctx.Done():
		n.endTransactions()
		n.leases.Close()
	case <-e.ended:
	}
	return e.close()
}

// lead lets the ports serve at this node.
func (n *nodes) lead() {
	handlers := maps.Clone(n.services)
	for name, leading := range n.leading {
		leading.Role = "leader"
		if router := n.routers[name]; router != nil {
			router.Lead(leading.GRPC.(*grpc.Server))
			leading.GRPC = router
		}
		if leading.WebChannel != nil {
			leading.WebChannel = n.sessions.Route(name, leading.WebChannel)
		}
		port := n.ports[name]
		port.Replace(leading)
		if slices.Contains(n.forwarded, name) {
			handlers[name] = port.Handler()
		}
	}
	n.serveConsole(handlers)
	n.node.Serve(handlers)
	n.sessions.Lead()
}
