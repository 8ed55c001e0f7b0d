package torture

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// project is the project of the tests, and root the prefix of their documents' names.
const (
	project  = "torture"
	database = "projects/" + project + "/databases/(default)"
	root     = database + "/documents"
)

// owner is the credentials of a privileged caller.
type owner struct{}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (owner) RequireTransportSecurity() bool { return false }

// dial connects to the program, and reconnects after the program was restarted.
func dial(t *testing.T, addr string, more ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	fast := backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.5, MaxDelay: 200 * time.Millisecond}
	conn, err := grpc.NewClient(addr, append(more, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithPerRPCCredentials(owner{}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: fast, MinConnectTimeout: time.Second}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// client calls Firestore without retries, so that the outcome of each call is either certain or recorded as unknown.
type client struct {
	rpc  firestorepb.FirestoreClient
	conn *grpc.ClientConn
}

// newClient returns a client of a program. The program need not run yet.
func newClient(t *testing.T, addr string, more ...grpc.DialOption) client {
	t.Helper()
	conn := dial(t, addr, more...)
	return client{firestorepb.NewFirestoreClient(conn), conn}
}

// connect waits until the client is connected, after the program was started.
func (c client) connect(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	c.conn.ResetConnectBackoff()
	c.conn.Connect()
	for s := c.conn.GetState(); s != connectivity.Ready; s = c.conn.GetState() {
		if !c.conn.WaitForStateChange(ctx, s) {
			t.Fatalf("no connection after %v", timeLimit)
		}
		c.conn.Connect()
	}
}

// outcome is the known result of a commit.
type outcome int

// The outcomes of a commit.
const (
	acknowledged outcome = iota
	refused              // certainly not applied
	unknown
)

// outcomeOf returns the outcome of a commit from its error.
func outcomeOf(err error) outcome {
	switch status.Code(err) {
	case codes.OK:
		return acknowledged
	case codes.Aborted, codes.AlreadyExists, codes.NotFound, codes.FailedPrecondition, codes.InvalidArgument, codes.ResourceExhausted, codes.PermissionDenied:
		return refused
	case codes.Unavailable:
		if strings.Contains(err.Error(), "Error while dialing") {
			return refused // The request was not sent.
		}
	}
	return unknown
}

// fields are a document's numbers.
type fields map[string]int64

// values converts fields to Firestore's values.
func (f fields) values() map[string]*firestorepb.Value {
	out := make(map[string]*firestorepb.Value, len(f))
	for name, n := range f {
		out[name] = &firestorepb.Value{ValueType: &firestorepb.Value_IntegerValue{IntegerValue: n}}
	}
	return out
}

// numbers returns the numbers of a document.
func numbers(d *firestorepb.Document) fields {
	out := make(fields, len(d.GetFields()))
	for name, v := range d.GetFields() {
		out[name] = v.GetIntegerValue()
	}
	return out
}

// set is a write that replaces a document.
func set(path string, f fields) *firestorepb.Write {
	return &firestorepb.Write{Operation: &firestorepb.Write_Update{Update: &firestorepb.Document{Name: root + "/" + path, Fields: f.values()}}}
}

// create is a write that creates a document, which must be absent.
func create(path string, f fields) *firestorepb.Write {
	w := set(path, f)
	w.CurrentDocument = &firestorepb.Precondition{ConditionType: &firestorepb.Precondition_Exists{Exists: false}}
	return w
}

// commit commits writes, in a transaction unless tx is nil, and returns the commit time. Like the SDKs, it rolls back a
// transaction whose commit failed: if the request was lost, the transaction still holds its locks, for which other
// commits wait.
func (c client) commit(ctx context.Context, tx []byte, writes ...*firestorepb.Write) (*timestamppb.Timestamp, error) {
	res, err := c.rpc.Commit(ctx, &firestorepb.CommitRequest{Database: database, Writes: writes, Transaction: tx})
	if outage(err) {
		c.abandon(ctx, tx)
	}
	return res.GetCommitTime(), err
}

// begin begins a transaction.
func (c client) begin(ctx context.Context) ([]byte, error) {
	res, err := c.rpc.BeginTransaction(ctx, &firestorepb.BeginTransactionRequest{Database: database})
	return res.GetTransaction(), err
}

// abandon rolls back a transaction, if there is one, so that it holds no locks. Like the SDKs, it retries while no
// server responds.
func (c client) abandon(ctx context.Context, tx []byte) {
	if tx == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	for ctx.Err() == nil {
		if _, err := c.rpc.Rollback(ctx, &firestorepb.RollbackRequest{Database: database, Transaction: tx}); !outage(err) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// get reads documents in one snapshot: in a transaction, at a past time, or now. The result lacks absent documents.
func (c client) get(ctx context.Context, tx []byte, at *timestamppb.Timestamp, paths ...string) (map[string]fields, error) {
	r := &firestorepb.BatchGetDocumentsRequest{Database: database}
	for _, path := range paths {
		r.Documents = append(r.Documents, root+"/"+path)
	}
	switch {
	case tx != nil:
		r.ConsistencySelector = &firestorepb.BatchGetDocumentsRequest_Transaction{Transaction: tx}
	case at != nil:
		r.ConsistencySelector = &firestorepb.BatchGetDocumentsRequest_ReadTime{ReadTime: at}
	}
	stream, err := c.rpc.BatchGetDocuments(ctx, r)
	if err != nil {
		return nil, err
	}
	return collect(stream.Recv, (*firestorepb.BatchGetDocumentsResponse).GetFound)
}

// collect returns the documents of a stream's answers by path.
func collect[Answer any](receive func() (Answer, error), of func(Answer) *firestorepb.Document) (map[string]fields, error) {
	out := make(map[string]fields)
	for {
		res, err := receive()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if d := of(res); d != nil {
			out[d.Name[len(root)+1:]] = numbers(d)
		}
	}
}

// query reads the documents of a collection in one snapshot, in the order of a field. If where is not empty, it reads
// only documents in which that field has a given value.
func (c client) query(ctx context.Context, tx []byte, collection, order, where string, is int64) (map[string]fields, error) {
	q := &firestorepb.StructuredQuery{From: []*firestorepb.StructuredQuery_CollectionSelector{{CollectionId: collection}}}
	if order != "" {
		q.OrderBy = []*firestorepb.StructuredQuery_Order{{Field: &firestorepb.StructuredQuery_FieldReference{FieldPath: order}}}
	}
	if where != "" {
		q.Where = &firestorepb.StructuredQuery_Filter{FilterType: &firestorepb.StructuredQuery_Filter_FieldFilter{FieldFilter: &firestorepb.StructuredQuery_FieldFilter{
			Field: &firestorepb.StructuredQuery_FieldReference{FieldPath: where}, Op: firestorepb.StructuredQuery_FieldFilter_EQUAL,
			Value: fields{"": is}.values()[""],
		}}}
	}
	q.Limit = wrapperspb.Int32(100_000)
	r := &firestorepb.RunQueryRequest{Parent: root, QueryType: &firestorepb.RunQueryRequest_StructuredQuery{StructuredQuery: q}}
	if tx != nil {
		r.ConsistencySelector = &firestorepb.RunQueryRequest_Transaction{Transaction: tx}
	}
	stream, err := c.rpc.RunQuery(ctx, r)
	if err != nil {
		return nil, err
	}
	return collect(stream.Recv, (*firestorepb.RunQueryResponse).GetDocument)
}
