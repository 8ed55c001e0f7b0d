package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/internal/model/wire/firestorepb"
)

// callSequence is a sequence of calls, with transactions, that is made at two servers.
type callSequence struct {
	sequence
	// open are the transactions that were begun, and ended those that were committed or rolled back.
	open, ended []*sequenceTransaction
	// times are the times of the commits, by client.
	times [][]*timestamppb.Timestamp
}

// sequenceTransaction is a transaction at both servers.
type sequenceTransaction struct {
	ids      [][]byte
	readOnly bool
}

// callTime is the time limit of a call. A call of a sequence does not wait for a lock.
const callTime = 20 * time.Second

// callSequences makes sequences of calls and compares the answers: commits, batches of independent writes, transactions
// of both kinds with reads, queries and aggregations, transactions that are used after their end, and reads of the
// past. No call waits for a lock of another transaction: conflictScenes does that.
func callSequences(t *testing.T, ours, theirs string) {
	for seed := range 2 * *compatSeeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			s := &callSequence{sequence: sequence{t: t, rand: rand.New(rand.NewPCG(seed, 13))}, times: make([][]*timestamppb.Timestamp, 2)}
			for _, at := range [][2]string{{"ours", ours}, {"theirs", theirs}} {
				s.clients = append(s.clients, newSequenceClient(t, at[0], at[1], fmt.Sprintf("calls-%d", seed)))
			}
			for range 4 * sequenceSteps {
				s.call()
			}
		})
	}
}

// call makes one call.
func (s *callSequence) call() {
	s.t.Helper()
	s.step++
	switch at := s.rand.IntN(100); {
	case at < 15:
		s.begin()
	case at < 30:
		s.read()
	case at < 40:
		s.query()
	case at < 48:
		s.aggregate()
	case at < 60:
		s.end()
	case at < 70:
		s.useEnded()
	case at < 86:
		if !s.locked() {
			s.write()
		}
	default:
		if !s.locked() {
			s.batch()
		}
	}
}

// same makes a call at both servers and compares what it returns.
func (s *callSequence) same(what string, call func(ctx context.Context, c *sequenceClient, i int) (string, error)) bool {
	s.t.Helper()
	s.note("%s", what)
	var got []string
	var failed error
	for i, c := range s.clients {
		ctx, cancel := context.WithTimeout(c.owner(s.t.Context()), callTime)
		text, err := call(ctx, c, i)
		cancel()
		if err != nil {
			text, failed = codeOf(err).String(), err
		}
		got = append(got, text)
	}
	if d := [2]string{got[0], got[1]}; got[0] != got[1] && sequenceDifferences[d] == "" {
		s.t.Fatalf("%s\nours:   %s\ntheirs: %s\n%v\nsteps: %v", what, got[0], got[1], failed, s.log)
	}
	return failed == nil
}

// sequenceDifferences lists the pairs of answers, ours and the official emulator's, in which we follow production.
var sequenceDifferences = map[[2]string]string{
	{codes.Aborted.String(), codes.InvalidArgument.String()}: "a transaction that has ended is ABORTED, not INVALID_ARGUMENT",
}

// locked reports whether a transaction may hold locks, for which writes would wait.
func (s *callSequence) locked() bool {
	return slices.ContainsFunc(s.open, func(one *sequenceTransaction) bool { return !one.readOnly })
}

// begin begins a transaction. At most one of them may write.
func (s *callSequence) begin() {
	one := &sequenceTransaction{ids: make([][]byte, 2), readOnly: s.locked() || s.rand.IntN(2) == 0}
	past := s.past()
	var retried *sequenceTransaction
	if len(s.ended) > 0 && s.rand.IntN(3) == 0 {
		retried = pick(s.rand, s.ended...)
	}
	if s.same(fmt.Sprintf("begin, read-only %v, at %d, retried %v", one.readOnly, past, retried != nil), func(ctx context.Context, c *sequenceClient, i int) (string, error) {
		r := &pb.BeginTransactionRequest{Database: c.database(), Options: &pb.TransactionOptions{}}
		if one.readOnly {
			only := &pb.TransactionOptions_ReadOnly{}
			if past >= 0 {
				only.ConsistencySelector = &pb.TransactionOptions_ReadOnly_ReadTime{ReadTime: s.times[i][past]}
			}
			r.Options.Mode = &pb.TransactionOptions_ReadOnly_{ReadOnly: only}
		} else {
			write := &pb.TransactionOptions_ReadWrite{}
			if retried != nil {
				write.RetryTransaction = retried.ids[i]
			}
			r.Options.Mode = &pb.TransactionOptions_ReadWrite_{ReadWrite: write}
		}
		res, err := c.api.BeginTransaction(ctx, r)
		one.ids[i] = res.GetTransaction()
		return "begun", err
	}) {
		s.open = append(s.open, one)
	}
}

// past returns the index of the time of a commit, or -1.
func (s *callSequence) past() int {
	if len(s.times[0]) == 0 || s.rand.IntN(2) == 0 {
		return -1
	}
	return s.rand.IntN(len(s.times[0]))
}

// transaction returns an open transaction, or nil.
func (s *callSequence) transaction() *sequenceTransaction {
	if len(s.open) == 0 || s.rand.IntN(3) == 0 {
		return nil
	}
	return pick(s.rand, s.open...)
}

// read reads documents, in a transaction, in the past or now.
func (s *callSequence) read() {
	in, past := s.transaction(), s.past()
	paths := []string{pick(s.rand, sequenceIDs...), pick(s.rand, sequenceIDs...)}
	s.same(fmt.Sprintf("read %v in a transaction %v, at %d", paths, in != nil, past), func(ctx context.Context, c *sequenceClient, i int) (string, error) {
		return s.get(ctx, c, i, in, past, paths)
	})
}

// get reads documents and returns them as a text.
func (s *callSequence) get(ctx context.Context, c *sequenceClient, i int, in *sequenceTransaction, past int, paths []string) (string, error) {
	r := &pb.BatchGetDocumentsRequest{Database: c.database()}
	for _, path := range paths {
		r.Documents = append(r.Documents, c.database()+"/documents/"+path)
	}
	switch {
	case in != nil:
		r.ConsistencySelector = &pb.BatchGetDocumentsRequest_Transaction{Transaction: in.ids[i]}
	case past >= 0:
		r.ConsistencySelector = &pb.BatchGetDocumentsRequest_ReadTime{ReadTime: s.times[i][past]}
	}
	stream, err := c.api.BatchGetDocuments(ctx, r)
	lines, err := rows(stream, err, func(m *pb.BatchGetDocumentsResponse) string {
		if d := m.GetFound(); d != nil {
			return c.short(d.Name) + "{" + fieldsText(d) + "}"
		}
		return c.short(m.GetMissing()) + " is missing"
	})
	slices.Sort(lines)
	return strings.Join(lines, " "), err
}

// short returns the path of a document.
func (c *sequenceClient) short(name string) string {
	return strings.TrimPrefix(name, c.database()+"/documents/")
}

// rows returns the messages of a stream as texts.
func rows[M any](stream grpc.ServerStreamingClient[M], err error, text func(*M) string) ([]string, error) {
	var out []string
	for err == nil {
		var m *M
		if m, err = stream.Recv(); err == nil {
			out = append(out, text(m))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return out, err
}

// query runs a query, in a transaction, in the past or now.
func (s *callSequence) query() {
	in, past, q := s.transaction(), s.past(), s.sequence.query()
	s.same(fmt.Sprintf("query %v in a transaction %v, at %d", q, in != nil, past), func(ctx context.Context, c *sequenceClient, i int) (string, error) {
		r := &pb.RunQueryRequest{Parent: c.database() + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q}}
		switch {
		case in != nil:
			r.ConsistencySelector = &pb.RunQueryRequest_Transaction{Transaction: in.ids[i]}
		case past >= 0:
			r.ConsistencySelector = &pb.RunQueryRequest_ReadTime{ReadTime: s.times[i][past]}
		}
		stream, err := c.api.RunQuery(ctx, r)
		lines, err := rows(stream, err, func(m *pb.RunQueryResponse) string {
			if m.Document == nil {
				return ""
			}
			return c.short(m.Document.Name) + "{" + fieldsText(m.Document) + "}"
		})
		return strings.TrimSpace(strings.Join(lines, " ")), err
	})
}

// aggregate runs an aggregation, in a transaction, in the past or now.
func (s *callSequence) aggregate() {
	in, past, q := s.transaction(), s.past(), s.sequence.query()
	field := &pb.StructuredQuery_FieldReference{FieldPath: "n"}
	s.same(fmt.Sprintf("aggregate %v in a transaction %v, at %d", q, in != nil, past), func(ctx context.Context, c *sequenceClient, i int) (string, error) {
		r := &pb.RunAggregationQueryRequest{
			Parent: c.database() + "/documents",
			QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
				QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: q},
				Aggregations: []*pb.StructuredAggregationQuery_Aggregation{
					{Alias: "count", Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{}}},
					{Alias: "sum", Operator: &pb.StructuredAggregationQuery_Aggregation_Sum_{Sum: &pb.StructuredAggregationQuery_Aggregation_Sum{Field: field}}},
				},
			}},
		}
		switch {
		case in != nil:
			r.ConsistencySelector = &pb.RunAggregationQueryRequest_Transaction{Transaction: in.ids[i]}
		case past >= 0:
			r.ConsistencySelector = &pb.RunAggregationQueryRequest_ReadTime{ReadTime: s.times[i][past]}
		}
		stream, err := c.api.RunAggregationQuery(ctx, r)
		lines, err := rows(stream, err, func(m *pb.RunAggregationQueryResponse) string {
			fields := m.GetResult().GetAggregateFields()
			return fmt.Sprintf("count %d, sum %d", fields["count"].GetIntegerValue(), fields["sum"].GetIntegerValue())
		})
		return strings.Join(lines, " "), err
	})
}

// end commits or rolls back a transaction.
func (s *callSequence) end() {
	if len(s.open) == 0 {
		return
	}
	at := s.rand.IntN(len(s.open))
	one := s.open[at]
	s.open = slices.Delete(s.open, at, at+1)
	s.ended = append(s.ended, one)
	if s.rand.IntN(3) == 0 {
		s.rollBack(one)
		return
	}
	var writes []func(c *sequenceClient) *pb.Write
	if !one.readOnly || s.rand.IntN(4) == 0 {
		writes = s.checked(s.writes())
	}
	if !s.commitIn(one, writes) {
		s.rollBack(one) // the transaction may hold its locks
	}
}

// rollBack rolls a transaction back.
func (s *callSequence) rollBack(one *sequenceTransaction) {
	s.same(fmt.Sprintf("roll back, read-only %v", one.readOnly), func(ctx context.Context, c *sequenceClient, i int) (string, error) {
		_, err := c.api.Rollback(ctx, &pb.RollbackRequest{Database: c.database(), Transaction: one.ids[i]})
		return "rolled back", err
	})
}

// commitIn commits writes, in a transaction if one is given, and reports whether it succeeded.
func (s *callSequence) commitIn(in *sequenceTransaction, writes []func(c *sequenceClient) *pb.Write) bool {
	what := fmt.Sprintf("commit %d writes in a transaction %v", len(writes), in != nil)
	made := make([]*timestamppb.Timestamp, 2)
	ok := s.same(what, func(ctx context.Context, c *sequenceClient, i int) (string, error) {
		r := &pb.CommitRequest{Database: c.database()}
		if in != nil {
			r.Transaction = in.ids[i]
		}
		for _, write := range writes {
			r.Writes = append(r.Writes, write(c))
		}
		res, err := c.api.Commit(ctx, r)
		made[i] = res.GetCommitTime()
		return fmt.Sprintf("%d results", len(res.GetWriteResults())), err
	})
	if ok && len(writes) > 0 {
		for i := range made {
			s.times[i] = append(s.times[i], made[i])
		}
	}
	return ok
}

// write commits writes without a transaction.
func (s *callSequence) write() { s.commitIn(nil, s.checked(s.writes())) }

// checked adds a precondition to some writes.
func (s *callSequence) checked(writes []func(c *sequenceClient) *pb.Write) []func(c *sequenceClient) *pb.Write {
	for i, write := range writes {
		if s.rand.IntN(4) > 0 {
			continue
		}
		exists := s.rand.IntN(2) == 0
		s.note("write %d has the precondition exists: %v", i, exists)
		writes[i] = func(c *sequenceClient) *pb.Write {
			w := write(c)
			w.CurrentDocument = &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: exists}}
			return w
		}
	}
	return writes
}

// batch applies independent writes, some of which fail, and sometimes two of one document, which is refused.
func (s *callSequence) batch() {
	writes := s.checked(s.writes())
	if s.same(fmt.Sprintf("a batch of %d writes", len(writes)), func(ctx context.Context, c *sequenceClient, _ int) (string, error) {
		r := &pb.BatchWriteRequest{Database: c.database()}
		for _, write := range writes {
			r.Writes = append(r.Writes, write(c))
		}
		res, err := c.api.BatchWrite(ctx, r)
		var out []string
		for i, one := range res.GetStatus() {
			out = append(out, fmt.Sprintf("%v %v", codes.Code(one.Code), res.WriteResults[i].GetUpdateTime() != nil))
		}
		return strings.Join(out, ", "), err
	}) {
		s.same("read all after the batch", func(ctx context.Context, c *sequenceClient, i int) (string, error) {
			return s.get(ctx, c, i, nil, -1, sequenceIDs)
		})
	}
}

// useEnded uses a transaction after its end.
func (s *callSequence) useEnded() {
	if len(s.ended) == 0 {
		return
	}
	one := pick(s.rand, s.ended...)
	switch s.rand.IntN(3) {
	case 0:
		s.rollBack(one)
	case 1:
		if !s.locked() {
			s.commitIn(one, s.writes())
		}
	default:
		s.same("read in a transaction that has ended", func(ctx context.Context, c *sequenceClient, i int) (string, error) {
			return s.get(ctx, c, i, one, -1, sequenceIDs[:2])
		})
	}
}
