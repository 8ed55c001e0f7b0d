package firestore

import (
	"testing"

	"clave/server/fault"
	"clave/server/listen"
	"clave/server/token"
	pb "clave/server/wire/firestorepb"
)

// TestStreamsEndWithTheirSession revokes the sessions of a user with open streams. They end although no message arrives, new ones do not open,
// and those of another user stay.
func TestStreamsEndWithTheirSession(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	ann, bob := h.ann(), token.Caller{UID: "bob", Project: "p"}
	listening, writing := h.listenStream(ann), h.writeStream(ann)
	listening.add(all(1, "open"))
	_ = listening.next()
	others := h.writeStream(bob)
	h.revoked.Store("ann", true)
	h.guard.Revoke("p", "", "ann")
	_ = listening.ends(fault.Unauthenticated)
	_ = writing.ends(fault.Unauthenticated)
	again := h.listenStream(ann)
	again.add(all(1, "open"))
	_ = again.ends(fault.Unauthenticated)
	writes := open(t, ann, 1, h.server.Write)
	writes.in <- &pb.WriteRequest{Database: streamDatabase}
	_ = writes.ends(fault.Unauthenticated)
	others.in <- &pb.WriteRequest{Writes: []*pb.Write{set("open/a", 1)}}
	if r := others.next(); len(r.Results) != 1 {
		t.Errorf("another user's stream = %v, want one result", r)
	}
}
