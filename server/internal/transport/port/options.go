package port

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
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
	Budget *receive.Budget
	// Connections, Calls and Responses bound the connections, the calls of gRPC on connections of net/http, and the HTTP
	// requests that are being served, except back channels; nil means bounds of the port's own.
	Connections, Calls, Responses *slots.Slots
	// ProxyHops is the number of trusted reverse proxies that append the client's address to X-Forwarded-For.
	ProxyHops int
	// PrivateNetwork lets pages of public networks call a port in a private one, as in development.
	PrivateNetwork bool
	// Verbose logs each request.
	Verbose bool
	// ShownPath returns the path of a request for the log, without secrets; nil shows each path as it is.
	ShownPath func(path string) string
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
	if o.ShownPath == nil {
		o.ShownPath = func(path string) string { return path }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Budget == nil {
		o.Budget = receive.New(receive.Options{Clock: o.Clock})
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
