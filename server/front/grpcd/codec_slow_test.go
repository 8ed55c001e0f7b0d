package grpcd

import (
	"bytes"
	"testing"

	pb "clave/server/wire/firestorepb"
)

// TestLargeMessagesAreNotPadded marshals messages of many sizes: what a client that reads slowly keeps in memory must not exceed the
// message much, while gRPC's own buffers beyond 32 KiB have 1 MiB.
func TestLargeMessagesAreNotPadded(t *testing.T) {
	c := newCodec()
	for _, size := range []int{100, 20 << 10, 40 << 10, 65 << 10, 70 << 10, 200 << 10, 900 << 10} {
		value := bytes.Repeat([]byte{1}, size)
		m := &pb.RunQueryResponse{Document: &pb.Document{Fields: map[string]*pb.Value{"b": {ValueType: &pb.Value_BytesValue{BytesValue: value}}}}}
		out, err := c.Marshal(m)
		if err != nil || out.Len() < size {
			t.Fatalf("Marshal of %d bytes = %d, %v", size, out.Len(), err)
		}
		for _, b := range out {
			if held := cap(b.ReadOnlyData()); held > 2*out.Len()+32<<10 {
				t.Errorf("a message of %d bytes holds %d", out.Len(), held)
			}
		}
		out.Free()
	}
}
