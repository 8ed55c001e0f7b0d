package front

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"

	"clave/server/clock"
	"clave/server/front/budget"
	"clave/server/front/hosting"
)

// GRPC is a gRPC server, such as *grpc.Server.
type GRPC interface {
	http.Handler
	// Serve answers a listener's connections until Stop.
	Serve(net.Listener) error
	// GracefulStop waits for calls under way; Stop does not.
	GracefulStop()
	Stop()
}

// Handlers are the handlers behind one port; nil ones are absent from it.
type Handlers struct {
	GRPC       GRPC
	WebChannel http.Handler
	REST       http.Handler
	Identity   http.Handler
	Control    http.Handler
	Site       http.Handler
	// Reserved answers the paths that a site leaves to Firebase Hosting, /__/firebase/….
	Reserved http.Handler
	// Hub is the emulator hub, or another handler for all paths of its port and for pages of every origin.
	Hub http.Handler
	// IdentityHost reports the hosts, such as identitytoolkit.googleapis.com, under which every path is Identity's; nil
	// when there are none.
	IdentityHost func(host string) bool
	// Health returns what is wrong with the server, nil when it is well; it is served at HealthPath.
	Health func() error
}

// Options configures a Port.
type Options struct {
	// Name stands in logs, such as "firestore".
	Name string
	// Listener is taken over by the port.
	Listener net.Listener
	// TLS is set for a port that ends TLS itself.
	TLS *tls.Config
	// Handlers are what the port serves.
	Handlers Handlers
	// Grace is how long requests under way may go on at a stop; default 3 s.
	Grace time.Duration
	// Budget bounds what requests that are being received hold; one of the port's own when nil.
	Budget *budget.Budget
	// PrivateNetwork lets pages of public networks call a port in a private one, as in development.
	PrivateNetwork bool
	// Verbose logs each request.
	Verbose bool
	// BodyQuiet is how long a request's body may stand still, default 30 s, and BodyWhole how long it may take, default
	// 5 min.
	BodyQuiet, BodyWhole time.Duration
	// Clock times what clients send; the machine's when nil.
	Clock clock.Clock
	// Log receives failures; default slog.Default().
	Log *slog.Logger
}

// EnsureDefaults fills in what the zero value leaves open.
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
		o.Log = slog.Default()
	}
	if o.Budget == nil {
		o.Budget = budget.New(budget.Options{Clock: o.Clock})
	}
}

// Port serves its handlers on one listener.
type Port struct {
	o    Options
	http *http.Server
}

// New returns a port that serves once it is run.
func New(o Options) *Port {
	o.EnsureDefaults()
	p := &Port{o: o}
	p.http = &http.Server{
		Handler:           p.recovered(p.routes()),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// What a client may send before it is read, and calls at a time: about what the gRPC server allows.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: 256, MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 1 << 20,
			SendPingTimeout: 2 * time.Minute, PingTimeout: 20 * time.Second,
		},
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	return p
}

// Addr returns the address that the port listens on.
func (p *Port) Addr() net.Addr { return p.o.Listener.Addr() }

// Run serves until ctx is done, then lets requests end for a short while and cuts the rest.
func (p *Port) Run(ctx context.Context) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	p.http.BaseContext = func(net.Listener) context.Context { return base }
	if p.o.TLS != nil {
		p.http.TLSConfig = p.o.TLS.Clone()
	}
	s := newSplit(p.o)
	if p.o.Handlers.GRPC == nil {
		s.grpc = s.http // nothing here is gRPC
	}
	ended := make(chan error, 3)
	running := 2
	go func() { ended <- s.Run(ctx) }()
	go func() { ended <- p.http.Serve(s.http) }()
	if p.o.Handlers.GRPC != nil {
		running++
		go func() { ended <- p.o.Handlers.GRPC.Serve(p.o.Budget.Listener(ctx, s.grpc)) }()
	}
	var first error
	note := func(err error) {
		running--
		if err != nil && !stopped(ctx, err) && first == nil {
			first = err
		}
	}
	select {
	case <-ctx.Done():
	case err := <-ended: // a port that can't go on must not look as if it did
		note(err)
		_ = p.o.Listener.Close()
	}
	p.stop(ctx, cut)
	for running > 0 {
		note(<-ended)
	}
	return first
}

// stopped reports whether an error only says that a server was stopped. A gRPC server which is stopped before it serves says so
// too; one that was stopped by nobody's wish is a fault.
func stopped(ctx context.Context, err error) bool {
	return errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) || ctx.Err() != nil && errors.Is(err, grpc.ErrServerStopped)
}

// stop ends the requests: streams end by their context, the others get the grace.
func (p *Port) stop(ctx context.Context, cut func()) {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.o.Grace)
	defer cancel()
	if g := p.o.Handlers.GRPC; g != nil {
		// Live streams never end by themselves, so grace for gRPC would only delay the stop.
		g.Stop()
	}
	cut()
	if err := p.http.Shutdown(grace); err != nil {
		_ = p.http.Close()
	}
}

// routes returns the handler that routes each request.
func (p *Port) routes() http.Handler {
	d := p.o.Handlers
	api := map[string]http.Handler{}
	add := func(h http.Handler, prefixes ...string) {
		for _, prefix := range prefixes {
			if h != nil {
				api[prefix] = p.cors(h)
			}
		}
	}
	add(d.WebChannel, "/google.firestore.v1.Firestore/")
	add(d.REST, "/v1/", "/v1beta1/")
	add(d.Identity, "/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/", "/www.googleapis.com/", "/iamcredentials.googleapis.com/",
		"/oauth2.googleapis.com/", "/securetoken.google.com/", "/__/")
	add(d.Control, "/emulator/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.GRPC != nil && r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			r, release := p.o.Budget.Stream(w, r)
			defer release()
			d.GRPC.ServeHTTP(w, r)
			return
		}
		p.withPatience(w, r)
		defer p.o.Budget.Body(w, r)()
		if d.Health != nil && r.URL.Path == HealthPath {
			health(d.Health).ServeHTTP(w, r)
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
		path := r.URL.Path
		if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 {
			if h, ok := api[path[:i+2]]; ok {
				h.ServeHTTP(w, r)
				return
			}
		}
		p.fallback(w, r)
	})
}

// cors lets pages of every origin call a handler.
func (p *Port) cors(next http.Handler) http.Handler { return withCORS(next, p.o.PrivateNetwork) }

// fallback answers a path that names no API: with the site where there is one, otherwise with the one API handler.
func (p *Port) fallback(w http.ResponseWriter, r *http.Request) {
	d := p.o.Handlers
	switch {
	case d.Site != nil:
		d.Site.ServeHTTP(w, r)
	case d.Hub != nil:
		p.cors(d.Hub).ServeHTTP(w, r)
	case r.URL.Path == "/" && d.REST != nil:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("Ok\n")) // as the official emulator says that it is up
	case d.REST != nil:
		p.cors(d.REST).ServeHTTP(w, r)
	case d.Identity != nil:
		p.cors(d.Identity).ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// recovered answers a panic with 500, logs it, and keeps the server up. An answer that was begun is cut off, so that
// nobody takes it for whole.
func (p *Port) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				p.o.Log.Error("panic", "port", p.o.Name, "method", r.Method, "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				if w.Header().Get("Content-Type") == "" { // every handler sets it before it writes
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
