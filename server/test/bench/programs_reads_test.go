package bench_test

import (
	"context"
	"fmt"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// aggregateCall returns a call that aggregates events of fillEvents: "count" counts all, "indexed" those that the
// filters of costQuery match, which an index has, and "sum" adds up the prices of all.
func aggregateCall(kind string) grpcCall {
	all := &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "events"}}}
	a := &pb.StructuredAggregationQuery_Aggregation{Alias: "n", Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{}}}
	switch kind {
	case "indexed":
		all = costQuery()
		all.Limit = nil
	case "sum":
		a.Operator = &pb.StructuredAggregationQuery_Aggregation_Sum_{Sum: &pb.StructuredAggregationQuery_Aggregation_Sum{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: "price"}}}
	}
	r := &pb.RunAggregationQueryRequest{Parent: costDocuments, QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{
		StructuredAggregationQuery: &pb.StructuredAggregationQuery{
			QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: all}, Aggregations: []*pb.StructuredAggregationQuery_Aggregation{a}}}}
	return func(ctx context.Context, c pb.FirestoreClient) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ss, err := c.RunAggregationQuery(ctx, r)
		if err != nil {
			return err
		}
		got, err := ss.Recv()
		if err == nil && got.GetResult().GetAggregateFields()["n"].GetIntegerValue() == 0 {
			err = fmt.Errorf("the aggregation is %v", got)
		}
		return err
	}
}

// listener is a Listen stream of a worker.
type listener struct {
	pb.Firestore_ListenClient
	target int32
}

// listen opens a Listen stream.
func (p *program) listen(t *testing.T, c pb.FirestoreClient) (*listener, error) {
	t.Helper()
	ss, err := c.Listen(t.Context())
	return &listener{Firestore_ListenClient: ss}, err
}

// add adds a target and waits for its first snapshot. It returns the number of documents.
func (l *listener) add(q *pb.StructuredQuery) (documents int, err error) {
	l.target++
	err = l.Send(&pb.ListenRequest{Database: costDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{TargetId: l.target,
		TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{Parent: costDocuments, QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: q}}}}}})
	if err != nil {
		return 0, err
	}
	return l.until(func(r *pb.ListenResponse) bool {
		return r.GetTargetChange().GetTargetChangeType() == pb.TargetChange_CURRENT
	})
}

// until receives until a response for which reached returns true. It returns the number of changed documents.
func (l *listener) until(reached func(*pb.ListenResponse) bool) (documents int, err error) {
	for {
		r, err := l.Recv()
		if err != nil {
			return documents, err
		}
		if r.GetDocumentChange() != nil {
			documents++
		}
		if reached(r) {
			return documents, nil
		}
	}
}

// listens returns a load in which each worker adds costQuery to its Listen stream, and removes it after its first
// snapshot.
func (p *program) listens(t *testing.T) costLoad {
	t.Helper()
	c := p.dialCost(t, p.config)
	return costLoad{p.server, func() func() error {
		l, err := p.listen(t, c)
		return func() error {
			if err != nil {
				return err
			}
			n, err := l.add(costQuery())
			if err == nil && n != queryLimit {
				err = fmt.Errorf("a snapshot of %d documents, want %d", n, queryLimit)
			}
			if err != nil {
				return err
			}
			id := l.target
			if err = l.Send(&pb.ListenRequest{Database: costDatabase, TargetChange: &pb.ListenRequest_RemoveTarget{RemoveTarget: id}}); err != nil {
				return err
			}
			_, err = l.until(func(r *pb.ListenResponse) bool {
				return r.GetTargetChange().GetTargetChangeType() == pb.TargetChange_REMOVE
			})
			return err
		}
	}}
}

// notices returns a load in which each worker listens to a collection of its own, replaces a document of it, and waits
// until its stream has the change.
func (p *program) notices(t *testing.T) costLoad {
	t.Helper()
	c := p.dialCost(t, p.config)
	return costLoad{p.server, func() func() error {
		collection := fmt.Sprintf("noticed%d", fresh.Add(1))
		l, err := p.listen(t, c)
		if err == nil {
			_, err = l.add(&pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: collection}}})
		}
		return func() error {
			if err != nil {
				return err
			}
			w := costWrite()
			w.CurrentDocument, w.GetUpdate().Name = nil, costDocuments+"/"+collection+"/one"
			if _, err := c.Commit(t.Context(), &pb.CommitRequest{Database: costDatabase, Writes: []*pb.Write{w}}); err != nil {
				return err
			}
			_, err := l.until(func(r *pb.ListenResponse) bool { return r.GetDocumentChange() != nil })
			return err
		}
	}}
}
