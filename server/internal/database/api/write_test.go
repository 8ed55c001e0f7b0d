package api

import (
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// writeStream opens a Write stream and completes its handshake.
func (h *streamFixture) writeStream(c token.Caller) *pipe[pb.WriteRequest, wire.Written] {
	h.t.Helper()
	p := open(h.t, c, 100, h.write)
	p.in <- &pb.WriteRequest{Database: streamDatabase}
	if r := p.next(); r.StreamID == "" || len(r.StreamToken) == 0 || len(r.Results) > 0 {
		h.t.Fatalf("handshake = %v, want an id and a token and no results", r)
	}
	return p
}

func TestWriteStreamAnswersInOrder(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	p := h.writeStream(h.ann())
	const batches = 10 // the SDKs have as many in progress, all with the first token
	for i := range batches {
		p.in <- &pb.WriteRequest{StreamToken: []byte("0"), Writes: []*pb.Write{set("open/a", int64(i)), set("open/b", int64(i))}}
	}
	seen := map[string]bool{"0": true}
	last := clock.Version(0)
	for i := range batches {
		r := p.next()
		if at := r.Time; len(r.Results) != 2 || at <= last {
			t.Errorf("answer %d = %v, want two results, later than %v", i, r, last)
		} else {
			last = at
		}
		if text := string(r.StreamToken); seen[text] {
			t.Errorf("answer %d has the token %q again", i, text)
		} else {
			seen[text] = true
		}
	}
	p.in <- &pb.WriteRequest{StreamToken: []byte("3")}
	if r := p.next(); len(r.Results) > 0 || len(r.StreamToken) == 0 {
		t.Errorf("a leaving client without writes receives %v, want a token only", r)
	}
	close(p.in)
	if err := <-p.done; err != nil {
		t.Errorf("a client that has sent all leaves the stream with %v", err)
	} else {
		p.done <- err
	}
}

func TestWriteStreamFails(t *testing.T) {
	missing := set("open/none", 1)
	missing.CurrentDocument = &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: true}}
	there := set("open/a", 1)
	there.CurrentDocument = &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}
	for _, c := range []struct {
		name   string
		writes []*pb.Write
		more   *pb.WriteRequest
		code   fault.Code
	}{
		{name: "refused by rules", writes: []*pb.Write{set("mine/bob", 1)}, code: fault.PermissionDenied},
		{name: "update of nothing", writes: []*pb.Write{missing}, code: fault.NotFound},
		{name: "create of something", writes: []*pb.Write{there}, code: fault.AlreadyExists},
		{name: "no name", writes: []*pb.Write{{Operation: &pb.Write_Delete{Delete: "x"}}}, code: fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newStreamFixture(t, listen.Options{})
			p := h.writeStream(h.ann())
			p.in <- &pb.WriteRequest{Writes: []*pb.Write{set("open/a", 1)}}
			if r := p.next(); len(r.Results) != 1 {
				t.Fatalf("a good batch = %v", r)
			}
			if c.more == nil {
				c.more = &pb.WriteRequest{Writes: append(c.writes, set("open/half", 1))}
			}
			p.in <- c.more
			p.in <- &pb.WriteRequest{Writes: []*pb.Write{set("open/later", 1)}}
			_ = p.ends(c.code)
			for _, name := range []string{"open/half", "open/later"} {
				_, err := h.get(h.ann(), name)
				if fault.CodeOf(err) != fault.NotFound {
					t.Errorf("%s after the refused batch: %v, want it not to be there", name, err)
				}
			}
		})
	}
}

func TestWriteStreamThatDoesNotOpen(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	for _, c := range []struct {
		name  string
		first *pb.WriteRequest
		code  fault.Code
	}{
		{"resumed by token", &pb.WriteRequest{Database: streamDatabase, StreamToken: []byte("1")}, fault.InvalidArgument},
		{"resumed by id", &pb.WriteRequest{Database: streamDatabase, StreamId: "0"}, fault.InvalidArgument},
		{"writes at once", &pb.WriteRequest{Database: streamDatabase, Writes: []*pb.Write{set("open/a", 1)}}, fault.InvalidArgument},
	} {
		p := open(t, h.ann(), 1, h.write)
		p.in <- c.first
		if err := p.ends(c.code); err == nil {
			t.Errorf("%s: the stream opens", c.name)
		}
	}
}

func TestWriteStreamEndsWithItsToken(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	p := h.writeStream(h.ann())
	h.clock.Advance(time.Hour - time.Second)
	p.in <- &pb.WriteRequest{Writes: []*pb.Write{set("mine/ann", 1)}}
	if r := p.next(); len(r.Results) != 1 {
		t.Fatalf("a second before the token's end = %v", r)
	}
	h.clock.Advance(time.Second)
	p.in <- &pb.WriteRequest{Writes: []*pb.Write{set("mine/ann", 2)}}
	_ = p.ends(fault.Unauthenticated)
	d, err := h.get(h.ann(), "mine/ann")
	if err != nil || d.Fields["n"] != value.Int(1) {
		t.Errorf("the document is %v, %v, want what was written in time", d, err)
	}
}
