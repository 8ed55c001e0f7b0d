package grpc

import (
	"bytes"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// TestLargeMessagesAreNotPadded marshals messages of many sizes. The buffer for a slow client must not be much larger
// than the message. gRPC's own buffers have 32 KiB for more than 16 KiB, and 1 MiB for more than 32 KiB.
func TestLargeMessagesAreNotPadded(t *testing.T) {
	c := newCodec()
	for _, size := range []int{100, 17 << 10, 20 << 10, 40 << 10, 65 << 10, 70 << 10, 200 << 10, 900 << 10} {
		d := &document.Document{Fields: value.Map{"b": value.Bytes(bytes.Repeat([]byte{1}, size))}}
		out, err := c.Marshal(&wire.Result{Document: d})
		if err != nil || out.Len() < size {
			t.Fatalf("Marshal of %d bytes = %d, %v", size, out.Len(), err)
		}
		for _, b := range out {
			if held := cap(b.ReadOnlyData()); held > max(16<<10, out.Len()*5/4) {
				t.Errorf("a message of %d bytes holds %d", out.Len(), held)
			}
		}
		out.Free()
	}
}
