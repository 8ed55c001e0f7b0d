package bench_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// transportClients is the number of clients of TestCostByTransport.
const transportClients = 16

// TestCostByTransport logs the server's processor time and allocations for a create, a get and a query of 20 documents
// over gRPC without and with TLS, REST and WebChannel. Over WebChannel a create is a write on a Write stream, and a get
// or a query is what browsers do for one: a target of a Listen stream that is removed after its first snapshot. The
// allocations are those of Go's heap, which the program itself counts (--metrics), with its work in the background.
// CLAVE_BENCH_BIN names the program; every program with --metrics can be measured. CLAVE_BENCH_CASE is a pattern that
// selects rows.
func TestCostByTransport(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_COST") == "" {
		t.Skip("CLAVE_BENCH_COST is not set")
	}
	metrics := freeAddress(t)
	plain := startClave(t, "--metrics", metrics)
	plain.metrics = metrics
	metrics = freeAddress(t)
	secure, certificate := startServe(t, "--metrics", metrics)
	secure.metrics = metrics
	config := certificate.Client(t)
	plain.fillEvents(t, nil)
	secure.fillEvents(t, config)
	warm(t, plain.grpc(t, nil, batchCall))
	warm(t, secure.grpc(t, config, batchCall))
	for _, r := range []transportRow{
		{"create gRPC", plain.grpc(t, nil, createCall)},
		{"create gRPC with TLS", secure.grpc(t, config, createCall)},
		{"create REST", plain.rest(t, nil, restCreate)},
		{"create WebChannel", plain.channel(t, nil, false)},
		{"get gRPC", plain.grpc(t, nil, getCall)},
		{"get gRPC with TLS", secure.grpc(t, config, getCall)},
		{"get REST", plain.rest(t, nil, restGet)},
		{"get WebChannel", plain.channelReads(t, nil, getTarget, 1)},
		{"query gRPC", plain.grpc(t, nil, queryCall)},
		{"query gRPC with TLS", secure.grpc(t, config, queryCall)},
		{"query REST", plain.rest(t, nil, restQuery)},
		{"query WebChannel", plain.channelReads(t, nil, queryTarget, queryLimit)},
	} {
		r.measure(t)
	}
}

// transportRow is an operation over a transport.
type transportRow struct {
	name string
	load costLoad
}

// measure logs a row if CLAVE_BENCH_CASE selects it.
func (r transportRow) measure(t *testing.T) {
	t.Helper()
	if !regexp.MustCompile(os.Getenv("CLAVE_BENCH_CASE")).MatchString(r.name) {
		return
	}
	workers := r.load.connect(t, transportClients)
	before := r.load.server.allocated(t)
	calls, ticks := r.load.repeat(t, workers, duration())
	after := r.load.server.allocated(t)
	n := float64(calls)
	t.Logf("%-20s %5.0f µs, %6.1f allocations, %8.0f bytes; %.0f/s", r.name, float64(ticks)*tick/n,
		(after.objects-before.objects)/n, (after.bytes-before.bytes)/n, n/duration().Seconds())
}

// allocated is what a program has allocated on Go's heap since it began.
type allocated struct{ objects, bytes float64 }

// The counters of Go's allocations among a program's metrics.
var (
	allocatedObjects = regexp.MustCompile(`(?m)^go_memstats_mallocs_total (\S+)$`)
	allocatedBytes   = regexp.MustCompile(`(?m)^go_memstats_alloc_bytes_total (\S+)$`)
)

// allocated reads the server's allocations from its metrics. Reading them also allocates, up to 10,000 objects.
func (s *server) allocated(t *testing.T) allocated {
	t.Helper()
	res, err := http.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return allocated{metric(t, text, allocatedObjects), metric(t, text, allocatedBytes)}
}

// metric returns the value that a pattern matches in the text of metrics.
func metric(t *testing.T, text []byte, pattern *regexp.Regexp) float64 {
	t.Helper()
	m := pattern.FindSubmatch(text)
	if m == nil {
		t.Fatalf("no %v in %q", pattern, text)
	}
	value, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// fillEvents creates 10,000 events, of which the query matches 200.
func (s *server) fillEvents(t *testing.T, config *tls.Config) {
	t.Helper()
	c := s.dialCost(t, config)
	for range 20 {
		r := &pb.CommitRequest{Database: costDatabase}
		for range 500 {
			w := costWrite()
			w.GetUpdate().Name = strings.Replace(w.GetUpdate().GetName(), "/made/", "/events/", 1)
			r.Writes = append(r.Writes, w)
		}
		if _, err := c.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

// queryLimit is the number of the query's results.
const queryLimit = 20

// costQuery returns the query of cheapest, which an index answers.
func costQuery() *pb.StructuredQuery {
	field := func(path string) *pb.StructuredQuery_FieldReference {
		return &pb.StructuredQuery_FieldReference{FieldPath: path}
	}
	equal := func(path, s string) *pb.StructuredQuery_Filter {
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: field(path), Op: pb.StructuredQuery_FieldFilter_EQUAL, Value: text(s)}}}
	}
	return &pb.StructuredQuery{
		From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "events"}},
		Where: &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_CompositeFilter{CompositeFilter: &pb.StructuredQuery_CompositeFilter{
			Op: pb.StructuredQuery_CompositeFilter_AND, Filters: []*pb.StructuredQuery_Filter{equal("city", "city8"), equal("kind", "concert")}}}},
		OrderBy: []*pb.StructuredQuery_Order{{Field: field("price"), Direction: pb.StructuredQuery_ASCENDING}},
		Limit:   wrapperspb.Int32(queryLimit),
	}
}

// queryCall runs the query.
func queryCall(ctx context.Context, c pb.FirestoreClient) error {
	ss, err := c.RunQuery(ctx, &pb.RunQueryRequest{Parent: costDocuments, QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: costQuery()}})
	if err != nil {
		return err
	}
	documents := 0
	for {
		r, err := ss.Recv()
		if errors.Is(err, io.EOF) && documents == queryLimit {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after %d documents: %w", documents, err)
		}
		if r.GetDocument() != nil {
			documents++
		}
	}
}

// queryJSON returns the query as JSON.
func queryJSON() string {
	text, err := protojson.Marshal(costQuery())
	if err != nil {
		panic(err)
	}
	return string(text)
}

// restQuery returns the query of queryCall over REST.
func restQuery() (path, body string) {
	return costDocuments + ":runQuery", fmt.Sprintf(`{"structuredQuery":%s}`, queryJSON())
}

// getTarget returns the document of getCall as a target without its id.
func getTarget() string { return fmt.Sprintf(`"documents":{"documents":[%q]}`, kept) }

// queryTarget returns the query as a target without its id.
func queryTarget() string {
	return fmt.Sprintf(`"query":{"parent":%q,"structuredQuery":%s}`, costDocuments, queryJSON())
}
