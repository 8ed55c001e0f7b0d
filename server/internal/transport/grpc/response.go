package grpc

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"clave/server/internal/limit/receive"
	"clave/server/internal/model/wire"
)

// response encodes the response of a call with one message each way. A large response holds its bytes of the budget
// until gRPC has written them: gRPC keeps the response of each call whose client has no window for it, also after the
// call.
func (d *common) response(ctx context.Context, out any) (any, error) {
	buffers, err := d.encoded(ctx, out)
	if err != nil {
		return nil, err
	}
	return &Raw{buffers}, nil
}

// encoded encodes a response, and counts a large one in the budget until its buffers are freed or its connection is
// closed.
func (d *common) encoded(ctx context.Context, m any) (mem.BufferSlice, error) {
	buffers, err := d.codec.Marshal(m)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "grpc: error while marshaling: %v", err)
	}
	if buffers.Len() < receive.LargeResponse {
		return buffers, nil
	}
	// The buffers of a compressed response would be freed when it has been compressed. A call that another node forwards
	// has no compressor.
	_ = grpc.SetSendCompressor(ctx, encoding.Identity)
	written, err := receive.ResponsesOf(ctx, clientOf(ctx)).Take(ctx, int64(buffers.Len()))
	if err != nil {
		buffers.Free()
		return nil, wire.Status(err).Err()
	}
	return append(buffers[:len(buffers):len(buffers)], onFreed(written)), nil
}

// clientOf returns the address of the client of a call, nil if it is unknown.
func clientOf(ctx context.Context) net.Addr {
	if p, ok := peer.FromContext(ctx); ok {
		return p.Addr
	}
	return nil
}
