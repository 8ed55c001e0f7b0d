package forward

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/limit/receive"
	"clave/server/internal/observe/meter"
)

// Leader is the node that leads. The zero Leader means that no node leads.
type Leader struct {
	Node string
	// Address is the address of its inner listener.
	Address string
	// Epoch counts the leaders so far.
	Epoch int64
}

// Options configures a Node.
type Options struct {
	// Name is the name of this node.
	Name string
	// Secret is shared by all nodes of the cluster.
	Secret []byte
	// Listener is the inner listener, which the node closes.
	Listener net.Listener
	// Leader returns the leader, and a channel that is closed when the leader changes.
	Leader func() (Leader, <-chan struct{})
	// LeaderTimeout is the time for which a request waits for a leader; zero means 5 s.
	LeaderTimeout time.Duration
	// MaxWaiting and MaxWaitingBytes bound the requests that wait for a leader, by their number and by the bytes that they
	// hold; zero means 2,000 and 32 MiB. A request counts as at least MaxWaitingBytes / MaxWaiting, and one network may
	// have half. Beyond that a request is refused at once.
	MaxWaiting      int
	MaxWaitingBytes int64
	// ProxyHops is the number of trusted reverse proxies that append the client's address to X-Forwarded-For.
	ProxyHops int
	// Grace is the time for which forwarded requests in progress may continue at a stop; zero means 3 s.
	Grace time.Duration
	// Budget bounds the memory of responses whose clients are slow; nil means a budget of its own.
	Budget *receive.Budget
	// Meter counts the requests that are forwarded; nil counts nothing.
	Meter *meter.Meter
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.LeaderTimeout == 0 {
		o.LeaderTimeout = 5 * time.Second
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = maxWaiting
	}
	if o.MaxWaitingBytes == 0 {
		o.MaxWaitingBytes = maxWaitingBytes
	}
	if o.Grace == 0 {
		o.Grace = 3 * time.Second
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Budget == nil {
		o.Budget = receive.New(receive.Options{Clock: o.Clock})
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Name == "" || len(o.Secret) == 0 || o.Listener == nil || o.Leader == nil {
		return errors.New("cluster: a node needs a name, a secret, a listener and a source of the leader")
	}
	return nil
}

// Limits of one inner connection: the number of concurrent streams, beyond which a node opens further connections, and
// the number of unread bytes of each stream. All streams together can't fill the connection's window, so slow streams
// never block others.
const (
	connStreams  = 1000
	streamWindow = 64 << 10
	connWindow   = connStreams * streamWindow
)

// maxFrame is the maximum size of a frame in bytes, the protocol's default. Each inner connection has a buffer for one.
const maxFrame = 16 << 10

// maxHeaders is the maximum size of the headers of a request or response on inner connections.
const maxHeaders = 128 << 10

// An idle connection is sent a PING after pingAfter, and is closed if there is no response within pingTimeout.
const (
	pingAfter   = time.Second
	pingTimeout = 2 * time.Second
)

// dialTimeout is the time limit for connecting to the leader.
const dialTimeout = time.Second

// Node connects this node with the others.
type Node struct {
	o         Options
	tls       *tls.Config
	transport *http.Transport
	// conns hold the connections for calls of gRPC.
	conns conns
	// reading and waiting are the streams of read indexes from the leader: for reads, and for the next row of the log.
	reading, waiting indexStream
	// routes is a leader that forwards requests to the owners of sessions; nil while none is known.
	routes atomic.Pointer[Leader]
	// ending begins when the node stops: streams that were forwarded to it end, and it refuses new requests.
	ending *process.Ending
	// waiters are the requests that wait for a leader.
	waiters *waiters
	mu      struct {
		sync.Mutex
		// handlers serve the ports of this node once it leads. changed is closed when they are set.
		handlers map[string]http.Handler
		// owners serve requests of sessions that other nodes have forwarded, whether this node leads or not.
		owners  map[string]http.Handler
		changed chan struct{}
		// leader is the leader of the requests in progress. inProgress ends them when another node leads.
		leader     Leader
		inProgress *process.Ending
	}
}

// New returns a node that serves its inner listener while it runs.
func New(o Options) (*Node, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	settings, err := identity(o.Secret)
	if err != nil {
		return nil, err
	}
	n := &Node{o: o, tls: settings, ending: process.NewEnding(), waiters: newWaiters(o.MaxWaiting, o.MaxWaitingBytes)}
	n.mu.inProgress = process.NewEnding()
	n.mu.changed = make(chan struct{})
	n.transport = newTransport(settings)
	n.conns = conns{tls: settings, clock: o.Clock, answer: pingTimeout}
	return n, nil
}

// errNotReached is the error of a request that was not sent, because there is no connection to the leader.
var errNotReached = errors.New("cluster: the leader is not reached")

// Serve sets the handlers by which this node serves its ports from now on. It is called when the node leads.
func (n *Node) Serve(handlers map[string]http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mu.handlers = handlers
	close(n.mu.changed)
	n.mu.changed = make(chan struct{})
}

// local returns the handler of a port, or nil while this node does not lead, and a channel that is closed when that
// changes.
func (n *Node) local(port string) (http.Handler, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.mu.handlers[port], n.mu.changed
}

// during returns an Ending that begins when another leader than l is known.
func (n *Node) during(l Leader) *process.Ending {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mu.leader != l {
		n.mu.inProgress.End()
		n.mu.leader, n.mu.inProgress = l, process.NewEnding()
	}
	return n.mu.inProgress
}

// watch ends the responses of a leader that are in progress when another node leads. Otherwise those of a paused leader
// would never end.
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

// Run serves the inner listener until ctx is done.
func (n *Node) Run(ctx context.Context) error {
	var watching sync.WaitGroup
	watching.Go(func() { n.watch(ctx) })
	watching.Go(func() { n.conns.run(ctx) })
	defer watching.Wait()
	only := new(http.Protocols)
	only.SetHTTP2(true)
	settings := n.tls.Clone()
	settings.NextProtos = indexProtocols
	indexes := func(leases bool) func(*http.Server, *tls.Conn, http.Handler) {
		return func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
			n.serveIndexes(context.WithoutCancel(ctx), conn, leases)
		}
	}
	server := &http.Server{
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){
			sessionProtocol: indexes(true), leaseProtocol: indexes(true), indexProtocol: indexes(false),
		},
		Handler: http.HandlerFunc(n.inner), TLSConfig: settings, Protocols: only, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: maxHeaders,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: connStreams, MaxReceiveBufferPerStream: streamWindow, MaxReceiveBufferPerConnection: connWindow, MaxReadFrameSize: maxFrame,
			SendPingTimeout: 2 * pingAfter, PingTimeout: 2 * pingTimeout,
		},
		ErrorLog: slog.NewLogLogger(n.o.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	listener := newHandshakes(ctx, n.o.Listener, settings.Clone(), n.o.Clock, n.o.Log)
	go func() { ended <- server.Serve(listener) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		n.Serve(nil)
		n.ending.End()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.o.Grace)
		if server.Shutdown(grace) != nil {
			_ = server.Close() // requests that did not end in time are cut
		}
		cancel()
		err = <-ended
	}
	_ = listener.Close() // The server has closed it, or Accept has failed.
	n.transport.CloseIdleConnections()
	n.during(Leader{}).End()
	if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil && errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
