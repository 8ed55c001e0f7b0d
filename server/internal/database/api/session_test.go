package api

import (
	"sync"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// TestStreamsEndWithTheirSession revokes the sessions of a user with open streams. They end although no message
// arrives, new ones do not open, and those of another user stay.
func TestStreamsEndWithTheirSession(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	ann, bob := h.ann(), token.Caller{UID: "bob", Project: "p"}
	listening, writing := h.listenStream(ann), h.writeStream(ann)
	listening.add(all(1, "open"))
	_ = listening.next()
	others := h.writeStream(bob)
	h.revoked.Store("ann", true)
	h.authorizer.Revoke("p", "", "ann")
	_ = listening.ends(fault.Unauthenticated)
	_ = writing.ends(fault.Unauthenticated)
	again := h.listenStream(ann)
	again.add(all(1, "open"))
	_ = again.ends(fault.Unauthenticated)
	writes := open(t, ann, 1, h.write)
	writes.in <- &pb.WriteRequest{Database: streamDatabase}
	_ = writes.ends(fault.Unauthenticated)
	others.in <- &pb.WriteRequest{Writes: []*pb.Write{set("open/a", 1)}}
	if r := others.next(); len(r.Results) != 1 {
		t.Errorf("another user's stream = %v, want one result", r)
	}
}

// TestWriteStreamChecksTheSessionBeforeEachBatch sends a batch after the user's session has ended and before the stream
// has. It is not applied.
func TestWriteStreamChecksTheSessionBeforeEachBatch(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	session, err := h.authorizer.Session(t.Context(), h.ann(), streamDB, "Listen")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	p := &pipe[pb.WriteRequest, wire.Written]{t: t, ctx: t.Context(), in: make(chan *pb.WriteRequest, 3), out: make(chan *wire.Written, 3)}
	batches := func(names ...string) error {
		p.in = make(chan *pb.WriteRequest, len(names))
		for _, name := range names {
			p.in <- &pb.WriteRequest{Writes: []*pb.Write{set(name, 1)}}
		}
		close(p.in)
		return h.server.writeBatches(t.Context(), h.ann(), streamDB, session, parsing[pb.WriteRequest, request.Batch, wire.Written]{p, parseBatch})
	}
	if err := batches("open/before"); err != nil {
		t.Fatalf("a batch within the session: %v", err)
	}
	h.revoked.Store("ann", true)
	h.authorizer.Revoke("p", "", "ann")
	select {
	case <-session.Ended():
	case <-time.After(30 * time.Second):
		t.Fatal("the session has not ended")
	}
	if err := batches("open/after"); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("a batch after the end of the session: %v, want UNAUTHENTICATED", err)
	}
	if _, err := h.get(token.Caller{Project: "p"}, "open/after"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the document of that batch: %v, want none", err)
	}
}

// TestNothingIsSentAfterARevocation commits a document and sends a batch right after the sessions of a user were
// revoked, while the authorizer is still busy with another user's. The user receives no message of that commit, and the
// batch is not applied.
func TestNothingIsSentAfterARevocation(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	listening, writing, busy := h.listenStream(h.ann()), h.writeStream(h.ann()), h.writeStream(token.Caller{UID: "bob", Project: "p"})
	listening.add(all(1, "open"))
	listening.want("query", "ADD[1], CURRENT[1], B")
	entered, free := make(chan struct{}), make(chan struct{})
	enter, release := sync.OnceFunc(func() { close(entered) }), sync.OnceFunc(func() { close(free) })
	defer release()
	h.revoked.Store("bob", func() {
		enter()
		<-free
	})
	h.authorizer.Revoke("p", "", "bob")
	<-entered
	h.revoked.Store("ann", true)
	h.authorizer.Revoke("p", "", "ann")
	writing.in <- &pb.WriteRequest{Writes: []*pb.Write{set("open/later", 1)}}
	_ = writing.ends(fault.Unauthenticated)
	h.commit(set("open/a", 1))
	select {
	case m := <-listening.out:
		t.Errorf("a listener whose session is revoked receives %s", short(m))
	case err := <-listening.done:
		if fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("the listener ended with %v, want UNAUTHENTICATED", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the listener continues")
	}
	release()
	_ = busy.ends(fault.Unauthenticated)
	if _, err := h.get(token.Caller{Project: "p"}, "open/later"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the document of the batch: %v, want none", err)
	}
}
