// Package grpc serves Firestore over gRPC: it authenticates callers, passes messages to database/api and returns
// errors as statuses. It does not interpret calls.
package grpc

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // Clients may compress their messages.
	"google.golang.org/grpc/keepalive"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/calls"
)

// maxMessage is the maximum size of a message, somewhat above the largest one that the SDKs send.
const maxMessage = 17 << 20

// workers is the number of goroutines with grown stacks that serve calls. A commit that waits for the disk occupies
// one.
const workers = 64

// readBuffer is the size of each connection's read buffer.
const readBuffer = 8 << 10

// The limits of one connection of HTTP/2. Package port sets them for connections of net/http too, except MaxStreams,
// so that calls have the same limits with and without TLS.
const (
	// StreamWindow and ConnWindow are the maximum numbers of unread bytes: of one stream, and of all streams of a
	// connection.
	StreamWindow = 256 << 10
	ConnWindow   = 4 << 20
	// MaxStreams is the maximum number of concurrent calls of a connection of gRPC. A client that reaches it waits
	// without an error, so it is greater than any number of calls that Options.Calls admits: beyond those a call is
	// refused.
	MaxStreams = 1 << 20
	// MaxHeaders is the maximum number of bytes of headers, of which gRPC would accept 16 MiB per call.
	MaxHeaders = 64 << 10
	// PingTime is the time without frames after which a connection is checked by a ping, and PingTimeout the time limit
	// for the answer.
	PingTime    = 2 * time.Minute
	PingTimeout = 20 * time.Second
	// IdleTime is the time without calls after which a connection is closed.
	IdleTime = 2 * time.Minute
)

// Options configure a Server.
type Options struct {
	// Firestore answers the calls.
	Firestore *api.Server
	// Tokens identifies callers.
	Tokens *token.Verifier
	// AppCheck decides about clients by their App Check tokens; nil allows all.
	AppCheck *appcheck.Checker
	// ProxyHops is the number of trusted reverse proxies that append the client's address to X-Forwarded-For.
	ProxyHops int
	// Budget bounds the memory of large messages that wait; nil means a budget of its own.
	Budget *receive.Budget
	// Calls bounds the calls on connections of gRPC, with or without a message; nil means a bound of the server's own.
	// ServeHTTP does not count.
	Calls *slots.Slots
	// Streams bounds the lasting streams; nil means a bound of the server's own.
	Streams *slots.Slots
	// Parsing limits the memory of large messages that are parsed; nil means a separate limit.
	Parsing *parse.Limit
	// Ended is the text of the error of streams that end with the server; empty means that the server is stopping.
	Ended string
	// Meter counts calls; nil counts nothing.
	Meter *meter.Meter
	// Log receives internal errors; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ended == "" {
		o.Ended = "The server is stopping. Please try again."
	}
	if o.Parsing == nil {
		o.Parsing = parse.New(0)
	}
	if o.Calls == nil {
		o.Calls = slots.New(slots.Options{All: 1 << 16})
	}
	if o.Streams == nil {
		o.Streams = slots.New(slots.Options{})
	}
	if o.Budget == nil {
		o.Budget = receive.New(receive.Options{})
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Firestore == nil || o.Tokens == nil {
		return errors.New("grpcd: needs a Firestore server and a token verifier")
	}
	return nil
}

// Server serves Firestore over gRPC on the connections of a listener, on single requests of an HTTP server's, and calls
// of a Router.
type Server struct {
	transports
	// calls holds the calls by the names of their methods, for a Router.
	calls map[string]grpc.StreamHandler
}

// New returns a server.
func New(o Options) (*Server, error) {
	d, err := newCommon(o)
	if err != nil {
		return nil, err
	}
	desc := d.serviceDesc()
	options := []grpc.ServerOption{grpc.ChainUnaryInterceptor(d.unary), grpc.ChainStreamInterceptor(d.stream)}
	return &Server{transports: transports{common: d, desc: desc, options: options}, calls: d.callsOf(desc)}, nil
}

// transports are the gRPC servers of one service: for the connections of a listener, and for single requests. Each is
// created when it is first needed, because its workers run from then on.
type transports struct {
	common *common
	desc   *grpc.ServiceDesc
	// options apply to both servers.
	options []grpc.ServerOption
	mu      struct {
		sync.Mutex
		// requests serves single requests: gRPC's own server can't be stopped gracefully after it has served any.
		conns, requests *grpc.Server
		stopped         bool
	}
}

// Serve serves the connections of a listener until Stop.
func (s *transports) Serve(ln net.Listener) error { return s.of(&s.mu.conns).Serve(ln) }

// ServeHTTP implements http.Handler.
func (s *transports) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.of(&s.mu.requests).ServeHTTP(w, r)
}

// of returns one of the servers, which is stopped after Stop.
func (s *transports) of(which **grpc.Server) *grpc.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *which == nil {
		*which = s.common.server(s.options...)
		(*which).RegisterService(s.desc, nil)
		if s.mu.stopped {
			(*which).Stop()
		}
	}
	return *which
}

// GracefulStop ends lasting streams with Unavailable and waits for the other calls on a listener's connections.
func (s *transports) GracefulStop() {
	s.common.ending.End()
	s.mu.Lock()
	conns := s.mu.conns
	s.mu.Unlock()
	if conns != nil {
		conns.GracefulStop()
	}
}

// Stop ends everything.
func (s *transports) Stop() {
	s.common.ending.End()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.stopped = true
	for _, server := range []*grpc.Server{s.mu.conns, s.mu.requests} {
		if server != nil {
			server.Stop()
		}
	}
}

// server makes a gRPC server.
func (d *common) server(more ...grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append([]grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(MaxStreams),
		grpc.InTapHandle(d.admit),
		grpc.MaxHeaderListSize(MaxHeaders),
		grpc.ForceServerCodecV2(d.codec),
		// Workers keep their grown stacks from call to call. Calls without a free worker, for example because of
		// lasting streams, get goroutines of their own.
		grpc.NumStreamWorkers(workers),
		// Most connections of listeners are quiet, so the buffer is small. Longer data bypass it.
		grpc.ReadBufferSize(readBuffer),
		// The windows have a fixed size, because measuring the bandwidth costs a ping for each message.
		grpc.InitialWindowSize(StreamWindow),
		grpc.InitialConnWindowSize(ConnWindow),
		// Mobile clients and proxies ping at any interval.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: PingTime, Timeout: PingTimeout, MaxConnectionIdle: IdleTime}),
	}, more...)...)
}

// callsOf returns the calls of a service by the names of their methods.
func (d *common) callsOf(desc *grpc.ServiceDesc) map[string]grpc.StreamHandler {
	out := make(map[string]grpc.StreamHandler, len(desc.Methods)+len(desc.Streams))
	for _, m := range desc.Methods {
		out[m.MethodName] = func(_ any, ss grpc.ServerStream) error {
			out, err := m.Handler(nil, ss.Context(), ss.RecvMsg, d.unary)
			if err != nil {
				return err
			}
			return ss.SendMsg(out)
		}
	}
	for _, m := range desc.Streams {
		info := &grpc.StreamServerInfo{FullMethod: "/" + calls.Service + "/" + m.StreamName, IsClientStream: m.ClientStreams, IsServerStream: m.ServerStreams}
		out[m.StreamName] = func(_ any, ss grpc.ServerStream) error { return d.stream(nil, ss, info, m.Handler) }
	}
	return out
}
