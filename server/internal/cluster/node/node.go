package node

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/cluster/replica"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/readlease"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/port"
	"clave/server/internal/transport/webchannel"
)

// Options configure Join.
type Options struct {
	// URL is that of the PostgreSQL.
	URL string
	// Name is the name of this node.
	Name string
	// Listen is the address of the inner listener; empty means the one by which this machine reaches PostgreSQL.
	Listen string
	// Project has the files of this node. The nodes of a cluster serve the same project.
	Project *projectfiles.Project
	// Stack has the options of the stacks that serve reads.
	Stack stack.Options
	// Govern adjusts the garbage collector until ctx is done. After a burst of work it calls rest. A nil Govern does not.
	Govern func(ctx context.Context, rest func(ctx context.Context))
	Clock  clock.Clock
	Log    *slog.Logger
}

// Node is this node among those that share its store.
type Node struct {
	o       Options
	Members *postgres.Members
	// Forwarder forwards requests to the leader.
	Forwarder *forward.Node
	// Sessions routes the sessions of WebChannel.
	Sessions *forward.Sessions
	// Reads serves reads while this node does not lead.
	Reads *replica.Reads
	// Inner is the address at which other nodes reach this one.
	Inner string
	// Services holds the handlers for nodes and commands once this node leads. Releases is one of them.
	Services map[string]http.Handler
	// Everywhere holds the handlers of services for other nodes that this node has whether it leads or not. They are set
	// before Opened.
	Everywhere map[string]http.Handler
	Releases   atomic.Pointer[releases.Service]
	// Early holds the parts that run before this node leads, and running those that were started.
	Early   process.Components
	running []*earlyPart
	// listener is the inner listener.
	listener net.Listener
	ports    map[string]*port.Port
	// routers serve the calls of gRPC of the ports that have them, by the port's name.
	routers map[string]*grpc.Router
	// leading holds the handlers of the ports once this node leads, by the port's name.
	leading map[string]port.Handlers
	// forwarded holds the names of the ports whose requests are forwarded to the node that leads.
	forwarded []string
	// leases are those by which other nodes read once this node leads.
	leases *readlease.Grants
	// endTransactions ends the open transactions once this node leads.
	endTransactions func()
	// opened is set once this node's replica is open.
	opened atomic.Bool
	// reached is the time when the leader last reported that it is healthy.
	reached atomic.Pointer[time.Time]
	// replica is the store with this node's replica; nil until it is open.
	replica atomic.Pointer[postgres.Store]
}

// Join adds this node to the nodes on PostgreSQL: it opens the inner listener. Its parts are not started. The caller
// closes it.
func Join(ctx context.Context, o Options) (n *Node, err error) {
	n = &Node{o: o, ports: make(map[string]*port.Port), routers: make(map[string]*grpc.Router), leading: make(map[string]port.Handlers), Services: make(map[string]http.Handler), Everywhere: make(map[string]http.Handler)}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
			n = nil
		}
	}()
	if n.Members, err = postgres.OpenMembers(ctx, o.URL, o.Log); err != nil {
		return n, err
	}
	if err := n.openInner(ctx); err != nil {
		return n, err
	}
	if err := n.sameProject(ctx); err != nil {
		return n, err
	}
	n.Reads = replica.NewReads(n.ReplicaOptions())
	n.Early.Add("members", n.Members)
	return n, nil
}

// ReplicaOptions returns the options of reads at this node while it does not lead.
func (n *Node) ReplicaOptions() replica.Options {
	return replica.Options{
		Node: n.Forwarder, Sessions: n.Sessions, Project: n.o.Project, Stack: n.o.Stack,
		CallLeader: func(ctx context.Context, service string, body []byte) bool {
			return leaderservice.CallOnce(ctx, n.Forwarder.Client(), n.Leader, service, body)
		},
	}
}

// Name returns the name of this node.
func (n *Node) Name() string { return n.o.Name }

// openInner opens the inner listener.
func (n *Node) openInner(ctx context.Context) error {
	secret, err := n.Members.Secret(ctx)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(cmp.Or(n.o.Listen, net.JoinHostPort(n.Members.Host(), "0")))
	if err != nil {
		return err // the configuration was checked
	}
	if n.listener, err = net.Listen("tcp", net.JoinHostPort(host, port)); err != nil {
		return innerError(host, port, err)
	}
	_, taken, err := net.SplitHostPort(n.listener.Addr().String())
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = n.Members.Host()
	}
	n.Inner = net.JoinHostPort(host, taken)
	s := &n.o.Stack
	n.Forwarder, err = forward.New(forward.Options{
		Name: n.o.Name, Secret: secret, Listener: n.listener, ProxyHops: s.ProxyHops, Budget: s.Budget, Meter: s.Meter, Clock: n.o.Clock, Log: n.o.Log,
		Leader: leaderservice.Of(n.Members),
	})
	n.Sessions = &forward.Sessions{Node: n.Forwarder, Addresses: n.Members, Inner: n.Inner, Moves: webchannel.NewMoves()}
	return err
}

// innerError returns the error for an inner listener that can't be opened, with a remedy.
func innerError(host, port string, err error) error {
	return fault.Wrap(err, fault.Unavailable, "cannot listen on %s for other nodes: %v. With --cluster-listen, give an address of this machine that other nodes reach.", net.JoinHostPort(host, port), err)
}

// Close stops the parts that still run, and closes the inner listener.
func (n *Node) Close() error {
	all := []error{n.stop()}
	if n.listener != nil {
		if err := n.listener.Close(); !errors.Is(err, net.ErrClosed) {
			all = append(all, err)
		}
	}
	if n.Members != nil {
		all = append(all, n.Members.Close())
	}
	return errors.Join(all...)
}
