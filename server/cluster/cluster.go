package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"clave/server/clock"
	"clave/server/process"
)

// Leader is the node that leads. The zero Leader is none.
type Leader struct {
	Node string
	// Address is its inner listener's.
	Address string
	// Epoch counts the leaders so far.
	Epoch int64
}

// Options configures a Node.
type Options struct {
	// Name is this node's.
	Name string
	// Secret is what all nodes of the cluster share.
	Secret []byte
	// Listener is the inner listener, which the node takes over.
	Listener net.Listener
	// Leader returns who leads, and a channel that is closed when that changes.
	Leader func() (Leader, <-chan struct{})
	// Patience is how long a request waits for a leader; 5 s when zero.
	Patience time.Duration
	// Grace is how long forwarded requests under way may go on at a stop; 3 s when zero.
	Grace time.Duration
	// Clock returns the time; the machine's when nil.
	Clock clock.Clock
	// Log receives failures; nothing is logged when nil.
	Log *slog.Logger
}

// EnsureDefaults fills in what the zero value leaves open.
func (o *Options) EnsureDefaults() {
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	if o.Grace == 0 {
		o.Grace = 3 * time.Second
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate reports what is missing.
func (o *Options) Validate() error {
	if o.Name == "" || len(o.Secret) == 0 || o.Listener == nil || o.Leader == nil {
		return errors.New("cluster: a node needs a name, a secret, a listener and what tells who leads")
	}
	return nil
}

// What one inner connection carries at most: streams at a time, of which a node opens further connections for more, and bytes of
// each that its reader has not taken. All streams together can't fill a connection, so that slow ones never hold up the others.
const (
	connStreams  = 1000
	streamWindow = 64 << 10
	connWindow   = connStreams * streamWindow
)

// A connection on which nothing comes is sent a PING after pingAfter, and is closed when there is no answer pingPatience later.
const (
	pingAfter    = time.Second
	pingPatience = 2 * time.Second
)

// dialTimeout is how long a connection to the leader may take to be made.
const dialTimeout = time.Second

// Node is this node among the others.
type Node struct {
	o         Options
	tls       *tls.Config
	transport *http.Transport
	// ending comes when the node stops: streams that were forwarded to it end, and it refuses what comes.
	ending *process.Ending
	mu     struct {
		sync.Mutex
		// handlers answer the ports of this node once it leads, and changed is closed when they are there.
		handlers map[string]http.Handler
		changed  chan struct{}
		// leader is whose answers under way are cut when another one leads, by under.
		leader Leader
		under  *process.Ending
	}
}

// New returns a node that answers at its inner listener once it is run.
func New(o Options) (*Node, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	settings, err := identity(o.Secret)
	if err != nil {
		return nil, err
	}
	n := &Node{o: o, tls: settings, ending: process.NewEnding()}
	n.mu.under = process.NewEnding()
	n.mu.changed = make(chan struct{})
	n.transport = newTransport(settings)
	return n, nil
}

// errNotReached is the error of a request that was not sent: there is no connection to the leader.
var errNotReached = errors.New("cluster: the leader is not reached")

// Serve has this node answer by itself from now on, port by port; it is called when the node leads.
func (n *Node) Serve(handlers map[string]http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mu.handlers = handlers
	close(n.mu.changed)
	n.mu.changed = make(chan struct{})
}

// local returns what answers a port here, nil while this node does not lead, and a channel that is closed when that changes.
func (n *Node) local(port string) (http.Handler, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.mu.handlers[port], n.mu.changed
}

// during returns what comes when another leader is known than l.
func (n *Node) during(l Leader) *process.Ending {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mu.leader != l {
		n.mu.under.End()
		n.mu.leader, n.mu.under = l, process.NewEnding()
	}
	return n.mu.under
}

// watch cuts the answers of a leader under way when another one leads: of one that is paused they would never end.
func (n *Node) watch(ctx context.Context) {
	for {
		leader, changed := n.o.Leader()
		if leader.Address != "" {
			_ = n.during(leader)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Run answers at the inner listener until ctx is done.
func (n *Node) Run(ctx context.Context) error {
	var watching sync.WaitGroup
	watching.Go(func() { n.watch(ctx) })
	defer watching.Wait()
	only := new(http.Protocols)
	only.SetHTTP2(true)
	server := &http.Server{
		Handler: http.HandlerFunc(n.inner), TLSConfig: n.tls.Clone(), Protocols: only, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 128 << 10,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: connStreams, MaxReceiveBufferPerStream: streamWindow, MaxReceiveBufferPerConnection: connWindow,
			SendPingTimeout: 2 * pingAfter, PingTimeout: 2 * pingPatience,
		},
		ErrorLog: slog.NewLogLogger(n.o.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(n.o.Listener, "", "") }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		n.Serve(nil)
		n.ending.End()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.o.Grace)
		if server.Shutdown(grace) != nil {
			_ = server.Close() // what did not end in time is cut
		}
		cancel()
		err = <-ended
	}
	n.transport.CloseIdleConnections()
	n.during(Leader{}).End()
	if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil && errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
