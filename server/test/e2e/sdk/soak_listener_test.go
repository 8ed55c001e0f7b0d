package sdk

import (
	"context"
	"maps"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"

	pb "clave/server/internal/model/wire/firestorepb"
)

// soakView is a listener's copy of its query's documents.
type soakView struct {
	query int
	token []byte
	// numbers holds the documents' numbers at the last snapshot, by name, and changed those received since.
	numbers, changed map[string]int64
	reported         bool
}

// listener listens to one query, disconnects after a random number of messages, and connects again.
func (s *soak) listener(ctx context.Context, i int) {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	v := &soakView{query: i % soakQueries, numbers: make(map[string]int64)}
	for ctx.Err() == nil && !s.t.Failed() {
		if r.IntN(5) == 0 { // starts again without a resume token
			v.token, v.numbers = nil, make(map[string]int64)
		}
		if err := s.visit(ctx, s.conns[i/soakPerConn], v, 50+r.IntN(2000)); err != nil && ctx.Err() == nil {
			s.t.Errorf("listener %d: %v", i, err)
		}
	}
}

// visit opens a stream and reads a number of messages.
func (s *soak) visit(ctx context.Context, conn *grpc.ClientConn, v *soakView, messages int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/Listen")
	if err != nil {
		return err
	}
	s.opened.Add(1)
	v.changed = make(map[string]int64) // changes after the token are sent again
	if err := ss.SendMsg(v.request()); err != nil {
		return err
	}
	for range messages {
		var m pb.ListenResponse
		if err := ss.RecvMsg(&m); err != nil {
			return err
		}
		s.take(v, &m)
	}
	select {
	case <-s.final: // listeners stay connected from now on
	default:
		return nil
	}
	for {
		var m pb.ListenResponse
		if err := ss.RecvMsg(&m); err != nil {
			return err
		}
		s.take(v, &m)
	}
}

// request requests the view's query, from its resume token if it has one.
func (v *soakView) request() *pb.ListenRequest {
	target := &pb.Target{TargetId: 2, TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{
		Parent: soakDatabase + "/documents",
		QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: &pb.StructuredQuery{
			From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "soak"}},
			Where: &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
				Field: &pb.StructuredQuery_FieldReference{FieldPath: "query"}, Op: pb.StructuredQuery_FieldFilter_EQUAL,
				Value: &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(v.query)}},
			}}},
		}},
	}}}
	if len(v.token) > 0 {
		target.ResumeType = &pb.Target_ResumeToken{ResumeToken: v.token}
	}
	return &pb.ListenRequest{Database: soakDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: target}}
}

// take applies a message and checks it.
func (s *soak) take(v *soakView, m *pb.ListenResponse) {
	if change := m.GetDocumentChange(); change != nil {
		s.received.Add(1)
		name, n := change.GetDocument().GetName(), change.GetDocument().GetFields()["n"].GetIntegerValue()
		if old, ok := v.numbers[name]; ok && n < old {
			s.t.Errorf("%s went back from %d to %d", name, old, n)
		}
		v.changed[name] = n
		return
	}
	change := m.GetTargetChange()
	switch {
	case change == nil: // an existence filter, after a resume token
	case change.GetTargetChangeType() == pb.TargetChange_RESET:
		v.numbers, v.changed = make(map[string]int64), make(map[string]int64)
	case change.GetTargetChangeType() == pb.TargetChange_REMOVE:
		s.t.Errorf("target removed: %v", change.GetCause())
	case change.GetTargetChangeType() == pb.TargetChange_NO_CHANGE && len(change.GetTargetIds()) == 0:
		s.snapshot(v, change)
	}
}

// snapshot checks that a snapshot contains whole commits, and records whether it contains the last one.
func (s *soak) snapshot(v *soakView, change *pb.TargetChange) {
	if token := change.GetResumeToken(); len(token) > 0 {
		v.token = token
	}
	if age := time.Since(change.GetReadTime().AsTime()); age > 20*time.Second {
		s.t.Errorf("a snapshot comes %v late", age)
	}
	maps.Copy(v.numbers, v.changed)
	clear(v.changed)
	n := int64(-1)
	for name, number := range v.numbers {
		if n >= 0 && number != n {
			s.t.Errorf("%s is at %d, and another document of its commit at %d", name, number, n)
		}
		n = number
	}
	if last := s.last[v.query].Load(); !v.reported && last > 0 && n == last && len(v.numbers) == soakDocuments {
		v.reported = true
		s.complete <- struct{}{}
	}
}
