package sdk

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/model/wire/official"
)

// barrierTarget is the target on the document that every step of a sequence writes. Its view shows which steps a stream
// has delivered.
const barrierTarget = 1

// seenTarget is a target of a stream as a client sees it.
type seenTarget struct {
	spec    *pb.Target
	docs    map[string]string
	current bool
	// ended is set once the server has removed the target; cause is the reason.
	ended bool
	cause codes.Code
	// token is the last resume token.
	token []byte
}

// String returns the view of the target as one line. Tokens are not part of it.
func (s *seenTarget) String() string {
	var docs []string
	for _, name := range slices.Sorted(maps.Keys(s.docs)) {
		docs = append(docs, name[strings.Index(name, "/documents/")+len("/documents/"):]+"{"+s.docs[name]+"}")
	}
	return fmt.Sprintf("current=%v ended=%v %v [%s]", s.current, s.ended, s.cause, strings.Join(docs, " "))
}

// sequenceClient is a client of one server with an open Listen stream.
type sequenceClient struct {
	t       *testing.T
	name    string
	project string
	// official is set for the official emulator.
	official bool
	api      pb.FirestoreClient
	stream   pb.Firestore_ListenClient
	// received delivers the messages of the stream. It is closed at the stream's end, after failed was set.
	received chan *pb.ListenResponse
	failed   error
	targets  map[int32]*seenTarget
	// snapshot reports whether a consistent snapshot has followed the last change.
	snapshot bool
	// reset counts the targets that the client requested again because a filter showed that its view was wrong.
	reset int
}

// newSequenceClient connects to a server.
func newSequenceClient(t *testing.T, name, address, project string) *sequenceClient {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &sequenceClient{t: t, name: name, project: project, api: pb.NewFirestoreClient(official.Names{Conn: conn}), targets: map[int32]*seenTarget{}}
}

// database is the name of the database.
func (c *sequenceClient) database() string { return "projects/" + c.project + "/databases/(default)" }

// open opens a stream and requests the client's targets, each with its resume token.
func (c *sequenceClient) open() {
	c.t.Helper()
	stream, err := c.api.Listen(c.owner(c.t.Context()))
	if err != nil {
		c.t.Fatal(err)
	}
	received := make(chan *pb.ListenResponse, 10_000)
	c.stream, c.received = stream, received
	go func() {
		for {
			m, err := stream.Recv()
			if err != nil {
				c.failed = err
				close(received)
				return
			}
			received <- m
		}
	}()
	for _, id := range slices.Sorted(maps.Keys(c.targets)) {
		if seen := c.targets[id]; !seen.ended {
			c.add(id, seen, nil)
		}
	}
}

// reopen ends the stream and opens another one.
func (c *sequenceClient) reopen() {
	c.t.Helper()
	if err := c.stream.CloseSend(); err != nil {
		c.t.Fatal(err)
	}
	for range c.received { // until the server ends the stream
	}
	c.open()
}

// add requests a target, with the resume token of its view if there is one.
func (c *sequenceClient) add(id int32, seen *seenTarget, expected *int32) {
	c.t.Helper()
	spec := proto.Clone(seen.spec).(*pb.Target)
	spec.TargetId = id
	if len(seen.token) > 0 {
		spec.ResumeType = &pb.Target_ResumeToken{ResumeToken: seen.token}
		if expected != nil {
			spec.ExpectedCount = wrapperspb.Int32(*expected)
		}
	}
	seen.current, seen.ended, seen.cause = false, false, codes.OK
	c.targets[id] = seen
	c.send(&pb.ListenRequest{Database: c.database(), TargetChange: &pb.ListenRequest_AddTarget{AddTarget: spec}})
}

// send sends a message.
func (c *sequenceClient) send(r *pb.ListenRequest) {
	c.t.Helper()
	if err := c.stream.Send(r); err != nil {
		c.t.Fatalf("%s: %v", c.name, err)
	}
}

// remove removes a target and waits until the server has confirmed it.
func (c *sequenceClient) remove(id int32) *seenTarget {
	c.t.Helper()
	seen := c.targets[id]
	c.send(&pb.ListenRequest{Database: c.database(), TargetChange: &pb.ListenRequest_RemoveTarget{RemoveTarget: id}})
	if !c.until(func() bool { return seen.ended }) {
		c.stop("target %d is not removed", id)
	}
	delete(c.targets, id)
	return seen
}

// until receives messages until a condition holds, and reports whether it does within the time limit.
func (c *sequenceClient) until(holds func() bool) bool {
	c.t.Helper()
	late := time.NewTimer(deliveryTime)
	defer late.Stop()
	for !holds() {
		select {
		case m, ok := <-c.received:
			c.take(m, ok)
		case <-late.C:
			return false
		}
	}
	return true
}

// take applies a received message; ok is false if the stream has ended.
func (c *sequenceClient) take(m *pb.ListenResponse, ok bool) {
	c.t.Helper()
	if !ok {
		c.stop("the stream ended: %v", c.failed)
	}
	c.see(m)
}

// stop ends a sequence that cannot be continued. The official emulator sometimes mixes the bytes of two messages, or
// leaves a target without an answer: then the rest of the sequence is skipped.
func (c *sequenceClient) stop(format string, args ...any) {
	c.t.Helper()
	if c.official {
		c.t.Skipf("the official emulator: "+format, args...)
	}
	c.t.Fatalf(format, args...)
}

// owner returns the context of a call by the emulator's owner.
func (c *sequenceClient) owner(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "google-cloud-resource-prefix", c.database(), "authorization", "Bearer owner")
}

// deliveryTime is the time within which a stream delivers a step.
const deliveryTime = 10 * time.Second

// see applies a message to the views.
func (c *sequenceClient) see(m *pb.ListenResponse) {
	switch m := m.ResponseType.(type) {
	case *pb.ListenResponse_TargetChange:
		c.seeTarget(m.TargetChange)
	case *pb.ListenResponse_DocumentChange:
		c.snapshot = false
		d := m.DocumentChange.Document
		for _, id := range m.DocumentChange.TargetIds {
			if seen := c.targets[id]; seen != nil && !seen.ended {
				seen.docs[d.Name] = fieldsText(d)
			}
		}
		c.drop(d.Name, m.DocumentChange.RemovedTargetIds)
	case *pb.ListenResponse_DocumentDelete:
		c.drop(m.DocumentDelete.Document, m.DocumentDelete.RemovedTargetIds)
	case *pb.ListenResponse_DocumentRemove:
		c.drop(m.DocumentRemove.Document, m.DocumentRemove.RemovedTargetIds)
	case *pb.ListenResponse_Filter:
		seen := c.targets[m.Filter.TargetId]
		if seen == nil || seen.ended || int32(len(seen.docs)) == m.Filter.Count {
			return
		}
		// As the SDKs do if the filter does not name the documents to remove: all is read again.
		c.reset++
		id := m.Filter.TargetId
		c.send(&pb.ListenRequest{Database: c.database(), TargetChange: &pb.ListenRequest_RemoveTarget{RemoveTarget: id}})
		if !c.until(func() bool { return seen.ended }) {
			c.stop("target %d is not removed after a filter", id)
		}
		c.add(id, &seenTarget{spec: seen.spec, docs: map[string]string{}}, nil)
	}
}

// drop removes a document from targets' views.
func (c *sequenceClient) drop(name string, ids []int32) {
	c.snapshot = false
	for _, id := range ids {
		if seen := c.targets[id]; seen != nil && !seen.ended {
			delete(seen.docs, name)
		}
	}
}

// seeTarget applies a change of targets to the views.
func (c *sequenceClient) seeTarget(m *pb.TargetChange) {
	ids := m.TargetIds
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(c.targets))
		c.snapshot = c.snapshot || m.TargetChangeType == pb.TargetChange_NO_CHANGE && m.ReadTime != nil
	}
	for _, id := range ids {
		seen := c.targets[id]
		if seen == nil {
			continue
		}
		switch m.TargetChangeType {
		case pb.TargetChange_CURRENT:
			seen.current = true
		case pb.TargetChange_RESET:
			seen.current, seen.docs = false, map[string]string{}
		case pb.TargetChange_REMOVE:
			seen.ended, seen.cause = true, codes.Code(m.Cause.GetCode())
			if m.Cause != nil {
				c.t.Logf("%s: target %d: %s", c.name, id, m.Cause.Message)
			}
		}
		if len(m.ResumeToken) > 0 {
			seen.token = m.ResumeToken
		}
	}
}

// settled reports whether the stream has delivered a step: the document of the step, a snapshot after it, and all
// targets.
func (c *sequenceClient) settled(step int) bool {
	barrier := c.targets[barrierTarget]
	if !c.snapshot || !barrier.current || barrier.docs[c.database()+"/documents/barrier/b"] != fmt.Sprintf("step=%d", step) {
		return false
	}
	return c.current()
}

// current reports whether all targets are current.
func (c *sequenceClient) current() bool {
	for _, seen := range c.targets {
		if !seen.current && !seen.ended {
			return false
		}
	}
	return true
}

// views returns the views of all targets.
func (c *sequenceClient) views() string {
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(c.targets)) {
		lines = append(lines, fmt.Sprintf("%d: %v", id, c.targets[id]))
	}
	return strings.Join(lines, "\n")
}

// fieldsText returns the fields of a document as a line.
func fieldsText(d *pb.Document) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		v := d.Fields[name]
		switch kind := v.ValueType.(type) {
		case *pb.Value_IntegerValue:
			out = append(out, fmt.Sprintf("%s=%d", name, kind.IntegerValue))
		case *pb.Value_StringValue:
			out = append(out, name+"="+kind.StringValue)
		case *pb.Value_ArrayValue:
			var items []string
			for _, item := range kind.ArrayValue.Values {
				items = append(items, fmt.Sprint(item.GetIntegerValue()))
			}
			out = append(out, name+"=["+strings.Join(items, ",")+"]")
		default:
			out = append(out, fmt.Sprintf("%s=%T", name, kind))
		}
	}
	return strings.Join(out, " ")
}

// codeOf returns the code of a call's error.
func codeOf(err error) codes.Code { return status.Code(err) }
