// Package grpcd serves Firestore over gRPC: it authenticates callers, passes messages to rpc/firestore and returns
// errors as statuses. It does not interpret calls.
package grpcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // Clients may compress their messages.
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"clave/server/fault"
	"clave/server/front/budget"
	"clave/server/front/slots"
	"clave/server/meter"
	"clave/server/parsing"
	"clave/server/process"
	"clave/server/rpc/firestore"
	"clave/server/token"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// serviceName is the service's name on the wire; the messages were generated under another (wire/firestorepb).
const serviceName = "google.firestore.v1.Firestore"

// maxMessage is the maximum size of a message, somewhat above the largest one that the SDKs send.
const maxMessage = 17 << 20

// workers is the number of goroutines with grown stacks that serve calls. A commit that waits for the disk occupies
// one.
const workers = 64

// readBuffer is the size of each connection's read buffer.
const readBuffer = 8 << 10

// The limits of one connection of HTTP/2. Package front sets them for connections of net/http too, so that calls have the same limits with
// and without TLS.
const (
	// StreamWindow and ConnWindow are the maximum numbers of unread bytes: of one stream, and of all streams of a connection.
	StreamWindow = 256 << 10
	ConnWindow   = 4 << 20
	// MaxStreams is the maximum number of concurrent calls, which limits floods of calls that are begun and reset.
	MaxStreams = 256
	// MaxHeaders is the maximum number of bytes of headers, of which gRPC would accept 16 MiB per call.
	MaxHeaders = 64 << 10
	// PingTime is the time without frames after which a connection is checked by a ping, and PingTimeout the time limit for the answer.
	PingTime    = 2 * time.Minute
	PingTimeout = 20 * time.Second
	// IdleTime is the time without calls after which a connection is closed.
	IdleTime = 2 * time.Minute
)

// Options configure a Server.
type Options struct {
	// Firestore answers the calls.
	Firestore *firestore.Server
	// Tokens identifies callers.
	Tokens *token.Verifier
	// ProxyHops is the number of trusted reverse proxies that append the client's address to X-Forwarded-For.
	ProxyHops int
	// Budget bounds the memory of large messages that wait; nil means a budget of its own.
	Budget *budget.Budget
	// Calls bounds the calls on connections of gRPC, with or without a message; nil means a bound of the server's own. ServeHTTP does not count.
	Calls *slots.Slots
	// Streams bounds the lasting streams; nil means a bound of the server's own.
	Streams *slots.Slots
	// Parsing limits the memory of large messages that are parsed; nil means a separate limit.
	Parsing *parsing.Limit
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
	if o.Parsing == nil {
		o.Parsing = parsing.New(0)
	}
	if o.Calls == nil {
		o.Calls = slots.New(slots.Options{All: 1 << 16})
	}
	if o.Streams == nil {
		o.Streams = slots.New(slots.Options{})
	}
	if o.Budget == nil {
		o.Budget = budget.New(budget.Options{})
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Firestore == nil || o.Tokens == nil {
		return errors.New("grpcd: needs a Firestore server and a token verifier")
	}
	return nil
}

// Server serves Firestore over gRPC on the connections of a listener, on single requests of an HTTP server's, and calls of
// a Router.
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
	desc, impl := d.service()
	options := []grpc.ServerOption{grpc.ChainUnaryInterceptor(d.unary), grpc.ChainStreamInterceptor(d.stream)}
	return &Server{transports: transports{common: d, desc: desc, impl: impl, options: options}, calls: d.callsOf(desc, impl)}, nil
}

// transports are the gRPC servers of one service: for the connections of a listener, and for single requests. Each is
// created when it is first needed, because its workers run from then on.
type transports struct {
	common *common
	desc   *grpc.ServiceDesc
	impl   any
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
		(*which).RegisterService(s.desc, s.impl)
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

// newCommon returns the parts that all calls share.
func newCommon(o Options) (*common, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return commonOf(o), nil
}

// commonOf returns the shared parts for complete options.
func commonOf(o Options) *common {
	return &common{o: o, codec: newCodec(), ending: process.NewEnding(), calls: countedBy(o.Meter)}
}

// server makes a gRPC server.
func (d *common) server(more ...grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append([]grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(MaxStreams),
		grpc.InTapHandle(d.admit),
		grpc.MaxHeaderListSize(MaxHeaders),
		grpc.ForceServerCodecV2(d.codec),
		// Workers keep their grown stacks from call to call. Calls without a free worker, for example because of lasting
		// streams, get goroutines of their own.
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

// service returns the service and its implementation.
func (d *common) service() (*grpc.ServiceDesc, *service) {
	desc := pb.Firestore_ServiceDesc
	desc.ServiceName = serviceName
	desc.Methods = d.bounded(desc.Methods)
	return &desc, &service{common: d, rpc: d.o.Firestore}
}

// callsOf returns the calls of a service by the names of their methods.
func (d *common) callsOf(desc *grpc.ServiceDesc, impl *service) map[string]grpc.StreamHandler {
	calls := make(map[string]grpc.StreamHandler, len(desc.Methods)+len(desc.Streams))
	for _, m := range desc.Methods {
		calls[m.MethodName] = func(_ any, ss grpc.ServerStream) error {
			out, err := m.Handler(impl, ss.Context(), ss.RecvMsg, d.unary)
			if err != nil {
				return err
			}
			return ss.SendMsg(out)
		}
	}
	for _, m := range desc.Streams {
		info := &grpc.StreamServerInfo{FullMethod: "/" + serviceName + "/" + m.StreamName, IsClientStream: m.ClientStreams, IsServerStream: m.ServerStreams}
		calls[m.StreamName] = func(_ any, ss grpc.ServerStream) error { return d.stream(impl, ss, info, m.Handler) }
	}
	return calls
}

// common handles the parts that all calls share.
type common struct {
	o     Options
	codec *codec
	// transit is the number of bytes of sent messages that gRPC holds.
	transit atomic.Int64
	// calls counts the calls.
	calls *meter.Calls
	// ending ends when the server stops.
	ending *process.Ending
}

// countedBy returns the counters of the service's calls. Listen and Write are lasting.
func countedBy(m *meter.Meter) *meter.Calls {
	var brief, lasting []string
	for _, method := range pb.Firestore_ServiceDesc.Methods {
		brief = append(brief, method.MethodName)
	}
	for _, stream := range pb.Firestore_ServiceDesc.Streams {
		if stream.ClientStreams {
			lasting = append(lasting, stream.StreamName)
		} else {
			brief = append(brief, stream.StreamName)
		}
	}
	return m.Calls("grpc", brief, lasting)
}

// begin begins to count a call of a method, given with the service's name before it.
func (d *common) begin(method string) meter.OpenCall {
	return d.calls.Begin(method[strings.LastIndexByte(method, '/')+1:])
}

// unary serves a call with one message each way.
func (d *common) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (out any, err error) {
	counted := d.begin(info.FullMethod)
	defer func() {
		err = d.answer(info.FullMethod, err, recover())
		counted.End(codeOf(err))
	}()
	return next(ctx, req)
}

// stream serves a call with streams.
func (d *common) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	counted := d.begin(info.FullMethod)
	defer func() {
		err = d.answer(info.FullMethod, err, recover())
		counted.End(codeOf(err))
	}()
	if !info.IsClientStream {
		if err := d.o.Budget.AwaitRoom(ss.Context()); err != nil {
			return err
		}
	}
	bounded := newBoundedStream(ss, d)
	defer bounded.end()
	if !info.IsClientStream {
		return next(srv, bounded)
	}
	ctx, stop := d.ending.Within(ss.Context())
	defer stop()
	ctx, displace := context.WithCancelCause(ctx)
	defer displace(nil)
	slot := d.o.Streams.Take(address(ctx, d.o.ProxyHops), func() { displace(errCrowded()) })
	if slot == nil {
		return errCrowded()
	}
	defer slot.Release()
	until := &lasting{bounded, ctx}
	if strings.HasSuffix(info.FullMethod, "/Listen") {
		err = next(srv, until) // it ends with its context
	} else {
		err = d.untilEnding(srv, until, next)
	}
	switch {
	case d.ending.Ended() && ss.Context().Err() == nil:
		return errStopping()
	case status.Code(context.Cause(ctx)) == codes.Unavailable:
		return errCrowded()
	}
	return err
}

// errCrowded returns the error of a lasting stream for which there is no slot.
func errCrowded() error {
	return wire.Status(fault.E(fault.Unavailable, "The server has too many streams. Try again.")).Err()
}

// errStopping returns the error of a lasting stream that ends with the server.
func errStopping() error {
	return wire.Status(fault.E(fault.Unavailable, "The server is stopping. Please try again.")).Err()
}

// codeOf returns the code of a call's result.
func codeOf(err error) fault.Code { return fault.Code(status.Code(err)) }

// untilEnding serves a call, and returns when the server stops, even if the call waits for its client's next message.
func (d *common) untilEnding(srv any, ss *lasting, next grpc.StreamHandler) error {
	ended := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
			}
			ended <- err
		}()
		err = next(srv, ss)
	}()
	select {
	case err := <-ended:
		return err
	case <-ss.ctx.Done(): // at the end of the server, too
		return context.Canceled
	}
}

// lasting is a stream that ends with the server.
type lasting struct {
	grpc.ServerStream
	ctx context.Context
}

// Context implements grpc.ServerStream.
func (l *lasting) Context() context.Context { return l.ctx }

// answer converts a call's error, or its panic, to a status. Internal errors are logged only here.
func (d *common) answer(method string, err error, panicked any) error {
	if panicked != nil {
		err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	if _, hasStatus := status.FromError(err); hasStatus {
		return err // A broken stream's error has a status already.
	}
	if wire.Unnamed(err) {
		d.o.Log.Error("call failed", "transport", "grpc", "method", method, "error", err)
	}
	return wire.Status(err).Err()
}
