package grpc

import (
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// TestDeepMessagesAreRefused sends messages that are nested too deeply to be parsed, small ones and large ones, in
// calls of each kind. The status must be that of the other transports.
func TestDeepMessagesAreRefused(t *testing.T) {
	conn, _ := connectServer(t)
	const filterOfQuery, compositeFilter, filters = 3, 1, 2
	for _, levels := range []int{5100, 100_000} {
		// A filter in a filter takes two levels. The parts are written from the innermost to the outermost, and
		// backwards.
		var reversed []byte
		wrap := func(field protowire.Number) {
			head := protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.BytesType), uint64(len(reversed)))
			slices.Reverse(head)
			reversed = append(reversed, head...)
		}
		for range levels {
			wrap(filters)
			wrap(compositeFilter)
		}
		wrap(filterOfQuery)
		wrap(2) // structured_query of a RunQueryRequest, and of a QueryTarget
		query := slices.Clone(reversed)
		wrap(2) // query of a Target
		wrap(2) // add_target of a ListenRequest
		listen := slices.Clone(reversed)
		slices.Reverse(query)
		slices.Reverse(listen)
		for method, message := range map[string][]byte{"RunQuery": query, "Listen": listen} {
			stream, err := conn.NewStream(as(t, "Bearer owner"), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
				"/google.firestore.v1.Firestore/"+method, grpc.ForceCodecV2(RawCodec()))
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.SendMsg(&Raw{data: mem.BufferSlice{mem.SliceBuffer(message)}}); err != nil {
				t.Fatal(err)
			}
			if err := stream.CloseSend(); err != nil {
				t.Fatal(err)
			}
			if err := stream.RecvMsg(&Raw{}); status.Code(err) != codes.InvalidArgument {
				t.Errorf("%s of %d levels in %d bytes: %v, want INVALID_ARGUMENT", method, levels, len(message), err)
			}
		}
	}
}
