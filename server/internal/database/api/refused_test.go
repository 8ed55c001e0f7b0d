package api

import (
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	pb "clave/server/internal/model/wire/firestorepb"
)

// TestRefusedClients listens and writes as a client that is refused. Its streams open, because SDKs would open streams
// again that do not, and refuse each target and batch.
func TestRefusedClients(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	h.commit(set("open/a", 1))
	c := h.ann()
	c.Refused = fault.Denied()
	l := h.listenStream(c)
	l.add(all(2, "open"))
	l.want("a query", "ADD[2], REMOVE[2]{7}")
	l.add(documents(4, "open/a"))
	l.want("a document", "ADD[4], REMOVE[4]{7}")
	h.commit(set("open/a", 2))
	close(l.in)
	if err := <-l.done; err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	w := h.writeStream(c)
	w.in <- &pb.WriteRequest{Writes: []*pb.Write{set("open/b", 1)}}
	_ = w.ends(fault.PermissionDenied)
	if _, err := h.get(h.ann(), "open/b"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the refused write: %v", err)
	}
}
