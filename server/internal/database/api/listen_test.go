package api

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// listenPipe is a Listen stream whose two ends the test has.
type listenPipe struct {
	*pipe[pb.ListenRequest, wire.Listened]
}

// listenStream opens a Listen stream.
func (h *streamFixture) listenStream(c token.Caller) listenPipe {
	h.t.Helper()
	return listenPipe{open(h.t, c, 100, h.listen)}
}

// add sends a request that adds a target.
func (p listenPipe) add(target *pb.Target) {
	p.in <- &pb.ListenRequest{Database: streamDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: target}}
}

// documents returns a target of documents.
func documents(id int32, names ...string) *pb.Target {
	for i := range names {
		names[i] = streamDocuments + "/" + names[i]
	}
	return &pb.Target{TargetId: id, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: names}}}
}

// all returns a target of a collection.
func all(id int32, collection string) *pb.Target {
	return &pb.Target{TargetId: id, TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{
		Parent: streamDocuments,
		QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: &pb.StructuredQuery{
			From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: collection}},
		}},
	}}}
}

// short formats an answer briefly.
func short(a *wire.Listened) string {
	m := a.Message()
	switch r := m.GetResponseType().(type) {
	case *pb.ListenResponse_DocumentChange:
		c := r.DocumentChange
		return fmt.Sprintf("chg %s>%v-%v", id(c.GetDocument().GetName()), c.GetTargetIds(), c.GetRemovedTargetIds())
	case *pb.ListenResponse_DocumentDelete:
		return fmt.Sprintf("del %s-%v", id(r.DocumentDelete.GetDocument()), r.DocumentDelete.GetRemovedTargetIds())
	case *pb.ListenResponse_DocumentRemove:
		return fmt.Sprintf("left %s-%v", id(r.DocumentRemove.GetDocument()), r.DocumentRemove.GetRemovedTargetIds())
	case *pb.ListenResponse_Filter:
		return fmt.Sprintf("F(%d)", r.Filter.GetCount())
	}
	c := m.GetTargetChange()
	if c.GetTargetChangeType() == pb.TargetChange_NO_CHANGE && len(c.GetTargetIds()) == 0 {
		return "B"
	}
	text := fmt.Sprintf("%s%v", c.GetTargetChangeType(), c.GetTargetIds())
	if c.GetCause() != nil {
		text += fmt.Sprintf("{%d}", c.GetCause().GetCode())
	}
	return text
}

// id returns the last part of a name.
func id(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// want reads as many answers as expected and compares them.
func (p listenPipe) want(what, want string) {
	p.t.Helper()
	var got []string
	for range strings.Split(want, ", ") {
		got = append(got, short(p.next()))
	}
	if text := strings.Join(got, ", "); text != want {
		p.t.Errorf("%s: got %s, want %s", what, text, want)
	}
}

// commit writes as a privileged caller.
func (h *streamFixture) commit(writes ...*pb.Write) {
	h.t.Helper()
	batch, err := parseBatch(&pb.WriteRequest{Writes: writes})
	if err == nil {
		_, err = h.server.Commit(h.t.Context(), token.Caller{Privileged: true, Project: "p"}, streamDB, request.Commit{Writes: batch.Writes})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestListenStream(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	h.commit(set("open/a", 1))
	p := h.listenStream(h.ann())
	p.add(all(2, "open"))
	p.want("query", "ADD[2], chg a>[2]-[], CURRENT[2], B")
	p.add(documents(4, "open/a", "open/none", "open/a"))
	p.want("documents", "ADD[4], chg a>[4]-[], del none-[4], CURRENT[4], B")
	p.add(documents(6, "mine/bob"))
	p.want("refused by rules", "ADD[6], REMOVE[6]{7}")
	h.commit(set("open/b", 1))
	p.want("the others live on", "chg b>[2]-[], B")
	h.commit(set("open/a", 2))
	p.want("a query before a document", "chg a>[2]-[], chg a>[4]-[], B")
	p.in <- &pb.ListenRequest{TargetChange: &pb.ListenRequest_RemoveTarget{RemoveTarget: 2}}
	p.want("removed", "REMOVE[2]")
	p.in <- &pb.ListenRequest{TargetChange: &pb.ListenRequest_RemoveTarget{RemoveTarget: 2}}
	p.want("removed twice", "REMOVE[2]")
	close(p.in)
	if err := <-p.done; err != nil {
		t.Errorf("a client that has sent all leaves the stream with %v", err)
	} else {
		p.done <- err
	}
}

func TestInvalidListenTargets(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	p := h.listenStream(token.Caller{Privileged: true, Project: "p"})
	foreign := all(3, "open")
	foreign.GetQuery().Parent = strings.Replace(streamDocuments, "(default)", "other", 1)
	vector := all(3, "open")
	vector.GetQuery().GetStructuredQuery().FindNearest = &pb.StructuredQuery_FindNearest{
		VectorField: &pb.StructuredQuery_FieldReference{FieldPath: "v"}, DistanceMeasure: pb.StructuredQuery_FindNearest_EUCLIDEAN, Limit: wrapperspb.Int32(1),
		QueryVector: &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{
			"__type__": {ValueType: &pb.Value_StringValue{StringValue: "__vector__"}},
			"value": {ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: []*pb.Value{
				{ValueType: &pb.Value_DoubleValue{DoubleValue: 1}}}}}},
		}}}},
	}
	late := all(3, "open")
	late.ResumeType = &pb.Target_ReadTime{ReadTime: &timestamppb.Timestamp{Seconds: 1, Nanos: -5}}
	for _, c := range []struct {
		name   string
		target *pb.Target
	}{
		{"neither documents nor a query", &pb.Target{TargetId: 3}},
		{"no documents", documents(3)},
		{"the root", &pb.Target{TargetId: 3, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{streamDocuments}}}}},
		{"a collection", documents(3, "open")},
		{"another database", foreign},
		{"vectors", vector},
		{"no time", late},
	} {
		p.add(c.target)
		p.want(c.name, "ADD[3], REMOVE[3]{3}")
	}
	p.add(&pb.Target{TargetId: 3, TargetType: &pb.Target_PipelineQuery{PipelineQuery: &pb.Target_PipelineQueryTarget{
		PipelineType: &pb.Target_PipelineQueryTarget_StructuredPipeline{StructuredPipeline: &pb.StructuredPipeline{Pipeline: &pb.Pipeline{}}},
	}}})
	p.want("a pipeline", "ADD[3], REMOVE[3]{12}")
	p.add(all(3, "open"))
	p.want("the stream goes on", "ADD[3], CURRENT[3], B")
	p.add(all(3, "open"))
	p.want("twice", "REMOVE[3]{6}")
	bad := all(5, "open")
	bad.ResumeType = &pb.Target_ResumeToken{ResumeToken: []byte("rubbish")}
	p.add(bad)
	p.want("no token", "REMOVE[5]{3}")
}

func TestListenStreamsThatEnd(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	for _, c := range []struct {
		name     string
		requests []*pb.ListenRequest
	}{
		{"no target", []*pb.ListenRequest{{Database: streamDatabase}}},
		{"negative id", []*pb.ListenRequest{{Database: streamDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: all(-1, "open")}}}},
		{"an id after a chosen one", []*pb.ListenRequest{
			{Database: streamDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: all(0, "open")}},
			{Database: streamDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: all(7, "open")}},
		}},
	} {
		p := h.listenStream(token.Caller{Privileged: true, Project: "p"})
		for _, r := range c.requests {
			p.in <- r
		}
		if err := p.ends(fault.InvalidArgument); err == nil {
			t.Errorf("%s: the stream ended well", c.name)
		}
	}
}

// TestListenStreamEndsWithItsToken checks that the whole stream ends as recorded: with Internal, and not before the
// token expires.
func TestListenStreamEndsWithItsToken(t *testing.T) {
	h := newStreamFixture(t, listen.Options{DropAfter: 100 * time.Hour}) // The hours pass in the middle of a send.
	h.commit(set("mine/ann", 1))
	p := h.listenStream(h.ann())
	p.add(documents(2, "mine/ann"))
	p.want("open", "ADD[2], chg ann>[2]-[], CURRENT[2], B")
	h.turn(time.Hour - time.Minute)
	h.commit(set("mine/ann", 2))
	for short(p.next()) != "chg ann>[2]-[]" { // Heartbeats may come before.
	}
	h.turn(time.Minute)
	for {
		select {
		case a := <-p.out:
			if text := short(a); text != "B" {
				t.Errorf("before the end: %s, want nothing of the target", text)
			}
			continue
		case err := <-p.done:
			if p.done <- err; fault.CodeOf(err) != fault.Internal {
				t.Errorf("the stream ended with %v, want Internal", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the stream continues after the expiry of its caller's token")
		}
		return
	}
}

func TestListenersFollowReplacedRules(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	h.commit(set("open/a", 1), set("mine/ann", 1))
	p := h.listenStream(h.ann())
	p.add(all(2, "open"))
	p.want("open", "ADD[2], chg a>[2]-[], CURRENT[2], B")
	p.add(documents(4, "mine/ann"))
	p.want("mine", "ADD[4], chg ann>[4]-[], CURRENT[4], B")
	h.rules(strings.Replace(streamRules, "/open/{x=**} { allow read, write; }", "/open/{x=**} { allow write; }", 1))
	p.want("the rules allow less", "REMOVE[2]{7}")
	h.commit(set("open/b", 1))
	h.commit(set("mine/ann", 2))
	p.want("the other goes on", "chg ann>[4]-[], B")
	h.rules(streamRules)
	p.add(all(2, "open"))
	p.want("added again", "ADD[2], chg a>[2]-[], chg b>[2]-[], CURRENT[2], B")
}

func TestListenerThatReadsNothingIsDropped(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	h.commit(set("open/a", 1))
	p := listenPipe{open(t, token.Caller{Privileged: true, Project: "p"}, 0, h.listen)}
	p.add(all(2, "open"))
	if a := <-p.out; short(a) != "ADD[2]" { // the client reads this answer and no more
		t.Errorf("first answer = %s", short(a))
	}
	late := time.After(30 * time.Second)
	for {
		select {
		case err := <-p.done:
			if p.done <- err; fault.CodeOf(err) != fault.ResourceExhausted {
				t.Errorf("the stream ended with %v, want ResourceExhausted", err)
			}
			return
		case <-late:
			t.Fatal("the client is not dropped")
		default:
			h.turn(time.Second)
			runtime.Gosched()
		}
	}
}
