package front

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"clave/server/clock"
	"clave/server/forwarded"
	"clave/server/front/budget"
	"clave/server/front/grpcd"
	"clave/server/front/hosting"
	"clave/server/front/slots"
	"clave/server/process"
)

// GRPC is a gRPC server, such as *grpc.Server.
type GRPC interface {
	http.Handler
	// Serve serves a listener's connections until Stop.
	Serve(net.Listener) error
	// GracefulStop waits for calls in progress; Stop does not.
	GracefulStop()
	Stop()
}

// Handlers are the handlers behind one port. The port does not serve the paths of a nil handler.
type Handlers struct {
	GRPC       GRPC
	WebChannel http.Handler
	REST       http.Handler
	Identity   http.Handler
	Control    http.Handler
	Site       http.Handler
	// Reserved serves the paths that Firebase Hosting reserves, /__/firebase/….
	Reserved http.Handler
	// Hub is the emulator hub, or another handler for all paths of its port and for pages of every origin.
	Hub http.Handler
	// IdentityHost reports whether all paths of a host, such as identitytoolkit.googleapis.com, are Identity's; nil if
	// there are no such hosts.
	IdentityHost func(host string) bool
	// Health returns an error if the server is unhealthy. It is served at HealthPath.
	Health func() error
	// Role is the server's role among others, such as leader, which a healthy server reports; empty if it has none.
	Role string
	// Forward replaces the handlers above, except GRPC, Site and Reserved; nil if this server serves by itself.
	Forward http.Handler
}

// Options configures a Port.
type Options struct {
	// Name is the name in logs, such as "firestore".
	Name string
	// Listener is the port's listener, which the port closes.
	Listener net.Listener
	// TLS is set for a port that terminates TLS itself.
	TLS *tls.Config
	// Handlers are the handlers of the port.
	Handlers Handlers
	// Grace is the time for which requests in progress may continue at a stop; default 3 s.
	Grace time.Duration
	// Budget bounds the memory of requests that are being received; nil means a budget of the port's own.
	Budget *budget.Budget
	// Connections, Calls and Responses bound the connections, the calls of gRPC on connections of net/http, and the HTTP requests that are being served, except back channels; nil means bounds of the
	// port's own.
	Connections, Calls, Responses *slots.Slots
	// ProxyHops is the number of trusted reverse proxies that append the client's address to X-Forwarded-For.
	ProxyHops int
	// PrivateNetwork lets pages of public networks call a port in a private one, as in development.
	PrivateNetwork bool
	// Verbose logs each request.
	Verbose bool
	// BodyQuiet is the maximum pause in a request's body, default 30 s, and BodyWhole the time limit for the whole body,
	// default 5 min.
	BodyQuiet, BodyWhole time.Duration
	// Clock times the bodies of requests; nil means the machine's clock.
	Clock clock.Clock
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Grace == 0 {
		o.Grace = 3 * time.Second
	}
	if o.BodyQuiet == 0 {
		o.BodyQuiet = 30 * time.Second
	}
	if o.BodyWhole == 0 {
		o.BodyWhole = 5 * time.Minute
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Budget == nil {
		o.Budget = budget.New(budget.Options{Clock: o.Clock})
	}
	if o.Connections == nil {
		o.Connections = slots.New(slots.Options{})
	}
	if o.Calls == nil {
		o.Calls = slots.New(slots.Options{All: 1 << 16})
	}
	if o.Responses == nil {
		o.Responses = slots.New(slots.Options{})
	}
}

// maxFrame is the maximum size of a frame of HTTP/2 in bytes, the protocol's default. Each connection has a buffer for one, which no budget
// counts.
const maxFrame = 16 << 10

// headersExtra is the number of bytes that net/http adds to the limit of headers in HTTP/2: the overhead of ten fields.
const headersExtra = 10 * 32

// Port serves its handlers on one listener.
type Port struct {
	o    Options
	http *http.Server
	// routing holds the current handlers. replaced signals that they were replaced.
	routing  atomic.Pointer[routing]
	replaced chan struct{}
	// ending begins when the port stops: streams end at once, and other requests have the grace.
	ending *process.Ending
}

// routing holds the handlers of a port and their routes.
type routing struct {
	Handlers
	routes http.Handler
}

// New returns a port that serves once it is run.
func New(o Options) *Port {
	o.EnsureDefaults()
	p := &Port{o: o, replaced: make(chan struct{}, 1), ending: process.NewEnding()}
	p.Replace(o.Handlers)
	p.http = &http.Server{
		Handler:           p.recovered(p),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       grpcd.IdleTime,
		MaxHeaderBytes:    grpcd.MaxHeaders - headersExtra,
		// The limits of the gRPC server: a call that arrives here has the same ones.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: grpcd.MaxStreams, MaxReceiveBufferPerStream: grpcd.StreamWindow, MaxReceiveBufferPerConnection: grpcd.ConnWindow,
			MaxReadFrameSize: maxFrame, SendPingTimeout: grpcd.PingTime, PingTimeout: grpcd.PingTimeout,
		},
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	// Without TLS a gRPC connection is served here if another server handles the calls.
	p.http.Protocols = new(http.Protocols)
	p.http.Protocols.SetHTTP1(true)
	p.http.Protocols.SetHTTP2(true)
	p.http.Protocols.SetUnencryptedHTTP2(true)
	return p
}

// Replace replaces the port's handlers, on existing connections too. It may be called once, to replace forwarding
// handlers by serving ones.
func (p *Port) Replace(h Handlers) {
	p.routing.Store(&routing{h, p.routes(h)})
	select {
	case p.replaced <- struct{}{}:
	default:
	}
}

// Handler returns the handler of requests, which also serves requests of other connections than the port's.
func (p *Port) Handler() http.Handler { return p.http.Handler }

// ServeHTTP serves a request of any connection.
func (p *Port) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if IsStream(r.URL.Path) && !isMessage(r) {
		ctx, stop := p.ending.Within(r.Context())
		defer stop()
		r = r.WithContext(ctx)
	}
	p.routing.Load().routes.ServeHTTP(w, r)
}

// isMessage reports whether a request brings a message to a session of WebChannel, or ends it. It does not last.
func isMessage(r *http.Request) bool {
	return r.Method == http.MethodPost && !IsCall(r) && strings.Contains(r.URL.RawQuery, "SID=")
}

// IsStream reports whether a request of a path lasts until its client ends it.
func IsStream(path string) bool {
	_, method, found := strings.Cut(path, ".Firestore/")
	method, _, _ = strings.Cut(method, "/")
	return found && (method == "Listen" || method == "Write")
}

// Addr returns the address that the port listens on.
func (p *Port) Addr() net.Addr { return p.o.Listener.Addr() }

// Run serves until ctx is done. Then requests in progress may continue for a short time, after which they are canceled.
func (p *Port) Run(ctx context.Context) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	p.http.BaseContext = func(net.Listener) context.Context { return base }
	if p.o.TLS != nil {
		p.http.TLSConfig = p.o.TLS.Clone()
	}
	s := newSplit(p.o, func() bool { return p.routing.Load().GRPC != nil })
	ended := make(chan error, 3)
	running := 2
	go func() { ended <- s.Run(ctx) }()
	go func() { ended <- p.http.Serve(s.http) }()
	var first error
	note := func(err error) {
		running--
		if err != nil && !stopped(ctx, err) && first == nil {
			first = err
		}
	}
	var calls GRPC
	for serving := true; serving; {
		select {
		case <-ctx.Done():
			serving = false
		case <-p.replaced:
			if g := p.routing.Load().GRPC; g != nil && calls == nil {
				calls = g
				running++
				go func() { ended <- g.Serve(p.o.Budget.Listener(ctx, s.grpc)) }()
			}
		case err := <-ended: // a failed port must not appear to serve
			note(err)
			_ = p.o.Listener.Close()
			serving = false
		}
	}
	p.stop(ctx, calls)
	cut()
	for running > 0 {
		note(<-ended)
	}
	return first
}

// stopped reports whether an error only means that a server was stopped. A gRPC server that is stopped before it serves returns such
// an error too; it counts only when ctx has ended.
func stopped(ctx context.Context, err error) bool {
	return errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) || ctx.Err() != nil && errors.Is(err, grpc.ErrServerStopped)
}

// stop ends the requests: streams at once, the others when they are complete or the grace is over.
func (p *Port) stop(ctx context.Context, calls GRPC) {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.o.Grace)
	defer cancel()
	p.ending.End()
	var ending sync.WaitGroup
	if calls != nil {
		ending.Go(func() {
			defer context.AfterFunc(grace, calls.Stop)()
			calls.GracefulStop()
		})
	}
	if err := p.http.Shutdown(grace); err != nil {
		_ = p.http.Close()
	}
	ending.Wait()
	if calls != nil {
		calls.Stop()
	}
}

// The prefixes of the paths of each interface.
var (
	channelPrefixes  = []string{"/google.firestore.v1.Firestore/"}
	restPrefixes     = []string{"/v1/", "/v1beta1/"}
	identityPrefixes = []string{
		"/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/", "/www.googleapis.com/", "/iamcredentials.googleapis.com/",
		"/oauth2.googleapis.com/", "/securetoken.google.com/", "/__/",
	}
)

// firstOf returns the first part of a path with the slashes around it, or nothing.
func firstOf(path string) string {
	if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 {
		return path[:i+2]
	}
	return ""
}

// IsCall reports whether a request is a call of gRPC.
func IsCall(r *http.Request) bool {
	return r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// forwarding returns the handler of a port whose interfaces another server serves.
func (p *Port) forwarding(d Handlers) http.Handler {
	interfaces := slices.Concat(channelPrefixes, restPrefixes, identityPrefixes)
	others := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case d.Reserved != nil && strings.HasPrefix(path, hosting.ReservedPrefix):
			d.Reserved.ServeHTTP(w, r)
		case d.Site != nil && !slices.Contains(interfaces, firstOf(path)) && (d.IdentityHost == nil || !d.IdentityHost(r.Host)):
			d.Site.ServeHTTP(w, r)
		default:
			p.cors(d.Forward).ServeHTTP(w, r)
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case d.GRPC != nil && IsCall(r):
			p.call(d.GRPC, w, r)
		case d.Health != nil && r.URL.Path == HealthPath:
			health(d.Health, d.Role).ServeHTTP(w, r)
		default:
			p.bound(w, r, others)
		}
	})
}

// routes returns the handler that routes each request.
func (p *Port) routes(d Handlers) http.Handler {
	if d.Forward != nil {
		return p.forwarding(d)
	}
	api := map[string]http.Handler{}
	add := func(h http.Handler, prefixes []string) {
		for _, prefix := range prefixes {
			if h != nil {
				api[prefix] = p.cors(h)
			}
		}
	}
	add(d.WebChannel, channelPrefixes)
	add(d.REST, restPrefixes)
	add(d.Identity, identityPrefixes)
	add(d.Control, []string{"/emulator/"})
	// The order is that of precedence: gRPC by its content type, whatever the path; then reserved paths and hosts; then
	// the prefixes of the APIs. The site serves the other paths, so that none of its rewrites can match an API's path.
	others := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.Health != nil && r.URL.Path == HealthPath {
			health(d.Health, d.Role).ServeHTTP(w, r)
			return
		}
		if d.Reserved != nil && strings.HasPrefix(r.URL.Path, hosting.ReservedPrefix) {
			d.Reserved.ServeHTTP(w, r)
			return
		}
		if d.Identity != nil && d.IdentityHost != nil && d.IdentityHost(r.Host) {
			p.cors(d.Identity).ServeHTTP(w, r)
			return
		}
		if h, ok := api[firstOf(r.URL.Path)]; ok {
			h.ServeHTTP(w, r)
			return
		}
		p.fallback(d, w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.GRPC != nil && IsCall(r) {
			p.call(d.GRPC, w, r)
			return
		}
		// All further requests have a single body, which must arrive in time and within the budget. The messages of a gRPC call are bounded
		// individually.
		p.bound(w, r, others)
	})
}

// CountsResponse reports whether a port counts the response to a request in its budget while the client does not read it. Others count those of back
// channels and of calls of gRPC.
func CountsResponse(r *http.Request) bool {
	return !IsCall(r) && !isBackChannel(r)
}

// isBackChannel reports whether a request is a back channel of WebChannel.
func isBackChannel(r *http.Request) bool { return r.Method == http.MethodGet && IsStream(r.URL.Path) }

// bound serves a request by a handler, and bounds the time and the memory of its body and of its response.
func (p *Port) bound(w http.ResponseWriter, r *http.Request, by http.Handler) {
	if isBackChannel(r) { // which bounds its writes by itself
		by.ServeHTTP(w, r)
		return
	}
	if IsCall(r) { // A call that is forwarded, whose responses are bounded there.
		p.limitBodyTime(w, r)
		defer p.o.Budget.Body(w, r)()
		by.ServeHTTP(w, r)
		return
	}
	u := p.boundUnread(w, r)
	if r.URL.Path != HealthPath {
		slot := p.o.Responses.Take(forwarded.Address(r, p.o.ProxyHops), u.cut)
		defer slot.Release()
		if slot == nil || !p.beginRead(u, r) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
			return
		}
	}
	p.limitBodyTime(w, r)
	defer p.o.Budget.Body(w, r)()
	whole := false
	defer func() { u.finish(whole) }()
	by.ServeHTTP(u, r)
	whole = true
}

// beginRead waits for room for the response. It returns false if there is none.
func (p *Port) beginRead(u *unread, r *http.Request) bool {
	if r.Method != http.MethodGet || !slices.Contains(restPrefixes, firstOf(r.URL.Path)) || r.URL.Query().Has("transaction") { // which waits for locks
		return p.o.Budget.AwaitRoom(r.Context()) == nil
	}
	begun, err := p.o.Budget.BeginRead(r.Context())
	if err == nil {
		u.begun = begun
	}
	return err == nil
}

// call serves a call of gRPC on a connection of an HTTP server.
func (p *Port) call(g GRPC, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	slot := p.o.Calls.Take(forwarded.Address(r, p.o.ProxyHops), cancel)
	if slot == nil {
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
		return
	}
	defer slot.Release()
	r, release := p.o.Budget.Stream(w, r.WithContext(ctx))
	defer release()
	g.ServeHTTP(w, r)
}

// cors lets pages of every origin call a handler.
func (p *Port) cors(next http.Handler) http.Handler { return withCORS(next, p.o.PrivateNetwork) }

// fallback serves a path that names no API: with the site if there is one, and otherwise with the only API handler.
func (p *Port) fallback(d Handlers, w http.ResponseWriter, r *http.Request) {
	switch {
	case d.Site != nil:
		d.Site.ServeHTTP(w, r)
	case d.Hub != nil:
		p.cors(d.Hub).ServeHTTP(w, r)
	case r.URL.Path == "/" && d.REST != nil:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("Ok\n")) // the official emulator's response when it is ready
	case d.REST != nil:
		p.cors(d.REST).ServeHTTP(w, r)
	case d.Identity != nil:
		p.cors(d.Identity).ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// recovered responds to a panic with 500 and logs it. A response that was begun is cut off, so that clients do not
// consider it complete.
func (p *Port) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				p.o.Log.Error("panic", "port", p.o.Name, "method", r.Method, "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				if w.Header().Get("Content-Type") == "" { // each handler sets it before it writes
					http.Error(w, "Internal Server Error", http.StatusInternalServerError)
					return
				}
			}
			panic(http.ErrAbortHandler)
		}()
		if p.o.Verbose {
			p.o.Log.Info("request", "port", p.o.Name, "method", r.Method, "path", r.URL.Path)
		}
		next.ServeHTTP(w, r)
	})
}
