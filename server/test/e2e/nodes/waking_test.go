package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/model/wire/official"

	"clave/server/test/e2e/harness"
)

// wakingDocument is the path of the only document of its collection.
const wakingDocument = "waking/one"

// wakingRead reads the document in one of the ways of reading, over a connection of its own, and returns the response
// as JSON.
type wakingRead func(ctx context.Context) (text string, err error)

// wakingReads opens a connection to a node for each way of reading.
func wakingReads(t *testing.T, n *node) map[string]wakingRead {
	t.Helper()
	all := make(map[string]wakingRead)
	parent, name := harness.ChannelDatabase+"/documents", harness.ChannelDatabase+"/documents/"+wakingDocument
	query := &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "waking"}}}
	sum := &pb.StructuredAggregationQuery{
		QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: query},
		Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{Alias: "n", Operator: &pb.StructuredAggregationQuery_Aggregation_Sum_{
			Sum: &pb.StructuredAggregationQuery_Aggregation_Sum{Field: &pb.StructuredQuery_FieldReference{FieldPath: "n"}}}}},
	}
	for way, call := range map[string]func(ctx context.Context, c pb.FirestoreClient) (proto.Message, error){
		"GetDocument": func(ctx context.Context, c pb.FirestoreClient) (proto.Message, error) {
			return c.GetDocument(ctx, &pb.GetDocumentRequest{Name: name})
		},
		"ListDocuments": func(ctx context.Context, c pb.FirestoreClient) (proto.Message, error) {
			return c.ListDocuments(ctx, &pb.ListDocumentsRequest{Parent: parent, CollectionId: "waking"})
		},
		"BatchGetDocuments": func(ctx context.Context, c pb.FirestoreClient) (proto.Message, error) {
			return firstOf(c.BatchGetDocuments(ctx, &pb.BatchGetDocumentsRequest{Database: harness.ChannelDatabase, Documents: []string{name}}))
		},
		"RunQuery": func(ctx context.Context, c pb.FirestoreClient) (proto.Message, error) {
			return firstOf(c.RunQuery(ctx, &pb.RunQueryRequest{Parent: parent, QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: query}}))
		},
		"RunAggregationQuery": func(ctx context.Context, c pb.FirestoreClient) (proto.Message, error) {
			return firstOf(c.RunAggregationQuery(ctx, &pb.RunAggregationQueryRequest{
				Parent: parent, QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: sum}}))
		},
	} {
		conn, err := grpc.NewClient(n.addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		all["gRPC "+way] = func(ctx context.Context) (string, error) {
			m, err := call(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer owner"), pb.NewFirestoreClient(official.Names{Conn: conn}))
			if err != nil {
				return "", err
			}
			text, err := protojson.Marshal(m)
			return string(text), err
		}
	}
	for _, call := range [][3]string{
		{http.MethodGet, "/" + wakingDocument, ""}, {http.MethodGet, "/waking", ""}, {http.MethodPost, ":batchGet", `{"documents":["` + name + `"]}`},
		{http.MethodPost, ":runQuery", `{"structuredQuery":{"from":[{"collectionId":"waking"}]}}`},
		{http.MethodPost, ":runAggregationQuery", `{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"waking"}]},"aggregations":[{"alias":"n","sum":{"field":{"fieldPath":"n"}}}]}}`},
	} {
		client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
		t.Cleanup(client.CloseIdleConnections)
		all["REST "+call[1]] = func(ctx context.Context) (string, error) {
			r, err := http.NewRequestWithContext(ctx, call[0], "http://"+n.addr()+documents+call[1], strings.NewReader(call[2]))
			if err != nil {
				return "", err
			}
			r.Header.Set("Authorization", "Bearer owner")
			res, err := client.Do(r)
			if err != nil {
				return "", err
			}
			defer func() { _ = res.Body.Close() }()
			text, err := io.ReadAll(res.Body)
			if err == nil && res.StatusCode != http.StatusOK {
				err = fmt.Errorf("%d %s", res.StatusCode, text)
			}
			return string(text), err
		}
	}
	return all
}

// firstOf returns the first message of a stream.
func firstOf[M any](stream grpc.ServerStreamingClient[M], err error) (proto.Message, error) {
	if err != nil {
		return nil, err
	}
	m, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	return any(m).(proto.Message), nil
}

// wakingNumber finds the document's number in a response.
var wakingNumber = regexp.MustCompile(`"integerValue":\s*"(\d+)"`)

// number reads the document's number.
func (read wakingRead) number(ctx context.Context) (int64, error) {
	text, err := read(ctx)
	if err != nil {
		return 0, err
	}
	found := wakingNumber.FindStringSubmatch(text)
	if found == nil {
		return 0, errors.New("no number in " + text)
	}
	return strconv.ParseInt(found[1], 10, 64)
}

// testWakingFollower suspends a follower for longer than a lease, while the leader writes. Reads over connections that
// were open before wait at the follower. As it resumes, none of them may miss a write that was acknowledged before the
// read began.
func testWakingFollower(t *testing.T, store string) {
	_, follower, at := twoMeasured(t, store, store)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var written atomic.Int64
	write := func() {
		n := written.Load() + 1
		if _, err := at[0].Doc(wakingDocument).Set(ctx, map[string]any{"n": n}); err != nil {
			t.Errorf("write %d: %v", n, err)
			cancel()
			return
		}
		written.Store(n)
	}
	write()
	const stops, connections = 2, 4
	for range stops {
		var reads []map[string]wakingRead
		for range connections {
			reads = append(reads, wakingReads(t, follower.node))
		}
		for _, each := range reads {
			for way, read := range each {
				if got, err := read.number(ctx); err != nil || got != written.Load() {
					t.Fatalf("%s before the stop: %d, %v, want %d", way, got, err, written.Load())
				}
			}
		}
		follower.stopWhile(t, ctx, reads, write, &written)
		follower.awaitLocal(t, at[1])
	}
}

// stopWhile suspends a node for longer than a lease, and reads as it resumes.
func (n *node) stopWhile(t *testing.T, ctx context.Context, reads []map[string]wakingRead, write func(), written *atomic.Int64) {
	t.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for began := clock.System().Now(); clock.System().Now().Sub(began) < 3500*time.Millisecond && ctx.Err() == nil; {
		write()
	}
	writing, stop := context.WithCancel(ctx)
	var writer, reading sync.WaitGroup
	writer.Go(func() {
		for writing.Err() == nil {
			write()
		}
	})
	var stale, right atomic.Int64
	for _, each := range reads {
		for way, read := range each {
			reading.Go(func() {
				for range 5 {
					least := written.Load()
					switch got, err := read.number(ctx); {
					case err != nil: // it may be unavailable
					case got < least:
						stale.Add(1)
						t.Logf("%s is read as %d after %d was acknowledged", way, got, least)
					default:
						right.Add(1)
					}
				}
			})
		}
	}
	if err := n.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	reading.Wait()
	stop()
	writer.Wait()
	if stale.Load() > 0 || right.Load() == 0 {
		t.Errorf("of the reads at a follower that resumes %d were stale and %d not", stale.Load(), right.Load())
	}
}
