package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/model/wire"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/calls"
)

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
	for _, call := range calls.All {
		if call.Message != nil {
			lasting = append(lasting, call.Name)
		} else {
			brief = append(brief, call.Name)
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
	defer serving(ss.Context())()
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
	ctx, stop := d.ending.Within(bounded.Context())
	defer stop()
	ctx, displace := context.WithCancelCause(ctx)
	defer displace(nil)
	slot := d.o.Streams.Take(Address(ctx, d.o.ProxyHops), func() { displace(errCrowded()) })
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
		return d.errEnded()
	case status.Code(context.Cause(ctx)) == codes.Unavailable:
		return errCrowded()
	}
	return err
}

// errCrowded returns the error of a lasting stream for which there is no slot.
func errCrowded() error {
	return wire.Status(fault.E(fault.Unavailable, "The server has too many streams. Try again.")).Err()
}

// errEnded returns the error of a lasting stream that ends with the server.
func (d *common) errEnded() error {
	return wire.Status(fault.E(fault.Unavailable, "%s", d.o.Ended)).Err()
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
