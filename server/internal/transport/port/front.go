package port

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"clave/server/internal/base/process"
	"clave/server/internal/httpx/framing"
	grpctransport "clave/server/internal/transport/grpc"
)

// maxFrame is the maximum size of a frame of HTTP/2 in bytes, the protocol's default. Each connection has a buffer for
// one, which no budget counts.
const maxFrame = 16 << 10

// maxRequests is the maximum number of concurrent requests of a connection of HTTP/2. A client that reaches it waits
// for the end of others, of which those of live queries last. A browser has one connection, and one lasting request for
// each page. net/http holds the goroutines of as many requests that were reset.
const maxRequests = 1000

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
		IdleTimeout:       grpctransport.IdleTime,
		MaxHeaderBytes:    grpctransport.MaxHeaders - headersExtra,
		// The limits of the gRPC server: a call that arrives here has the same ones.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxRequests, MaxReceiveBufferPerStream: grpctransport.StreamWindow, MaxReceiveBufferPerConnection: grpctransport.ConnWindow,
			MaxReadFrameSize: maxFrame, SendPingTimeout: grpctransport.PingTime, PingTimeout: grpctransport.PingTimeout,
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
	go func() { ended <- s.accept(ctx) }()
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

// stopped reports whether an error only means that a server was stopped. A gRPC server that is stopped before it serves
// returns such an error too; it counts only when ctx has ended.
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
				p.o.Log.Error("panic", "port", p.o.Name, "method", r.Method, "path", p.o.ShownPath(r.URL.Path), "panic", v, "stack", string(debug.Stack()))
				if w.Header().Get("Content-Type") == "" { // each handler sets it before it writes
					http.Error(w, "Internal Server Error", http.StatusInternalServerError)
					return
				}
			}
			panic(http.ErrAbortHandler)
		}()
		framing.Check(w, r)
		if p.o.Verbose {
			p.o.Log.Info("request", "port", p.o.Name, "method", r.Method, "path", p.o.ShownPath(r.URL.Path))
		}
		next.ServeHTTP(w, r)
	})
}
