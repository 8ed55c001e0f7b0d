package forward_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/cluster/forward"
	pb "clave/server/internal/model/wire/firestorepb"
)

// TestReadingOfCall checks which gRPC calls a node that does not lead may serve.
func TestReadingOfCall(t *testing.T) {
	at := timestamppb.Now()
	begin := &pb.TransactionOptions{}
	large := strings.Repeat("x", 70<<10)
	for _, tt := range []struct {
		name, method string
		m            proto.Message
		want         forward.Reading
	}{
		{name: "a get", method: "GetDocument", m: &pb.GetDocumentRequest{Name: "n"}, want: forward.Brief},
		{name: "a get in a transaction", method: "GetDocument", m: &pb.GetDocumentRequest{ConsistencySelector: &pb.GetDocumentRequest_Transaction{Transaction: []byte("t")}}},
		{name: "a get of a moment", method: "GetDocument", m: &pb.GetDocumentRequest{ConsistencySelector: &pb.GetDocumentRequest_ReadTime{ReadTime: at}}},
		{name: "gets", method: "BatchGetDocuments", m: &pb.BatchGetDocumentsRequest{Documents: []string{"a"}}, want: forward.Brief},
		{name: "gets in a transaction", method: "BatchGetDocuments", m: &pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_Transaction{Transaction: []byte("t")}}},
		{name: "gets that begin one", method: "BatchGetDocuments", m: &pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_NewTransaction{NewTransaction: begin}}},
		{name: "gets of a moment", method: "BatchGetDocuments", m: &pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_ReadTime{ReadTime: at}}},
		{name: "a query", method: "RunQuery", m: &pb.RunQueryRequest{Parent: "p"}, want: forward.Brief},
		{name: "a query in a transaction", method: "RunQuery", m: &pb.RunQueryRequest{ConsistencySelector: &pb.RunQueryRequest_Transaction{Transaction: []byte("t")}}},
		{name: "a query that begins one", method: "RunQuery", m: &pb.RunQueryRequest{ConsistencySelector: &pb.RunQueryRequest_NewTransaction{NewTransaction: begin}}},
		{name: "a query of a moment", method: "RunQuery", m: &pb.RunQueryRequest{ConsistencySelector: &pb.RunQueryRequest_ReadTime{ReadTime: at}}},
		{name: "a count", method: "RunAggregationQuery", m: &pb.RunAggregationQueryRequest{Parent: "p"}, want: forward.Brief},
		{name: "a count in a transaction", method: "RunAggregationQuery", m: &pb.RunAggregationQueryRequest{ConsistencySelector: &pb.RunAggregationQueryRequest_Transaction{Transaction: []byte("t")}}},
		{name: "a count that begins one", method: "RunAggregationQuery", m: &pb.RunAggregationQueryRequest{ConsistencySelector: &pb.RunAggregationQueryRequest_NewTransaction{NewTransaction: begin}}},
		{name: "a count of a moment", method: "RunAggregationQuery", m: &pb.RunAggregationQueryRequest{ConsistencySelector: &pb.RunAggregationQueryRequest_ReadTime{ReadTime: at}}},
		{name: "a list", method: "ListDocuments", m: &pb.ListDocumentsRequest{Parent: "p", PageToken: "t"}, want: forward.Brief},
		{name: "a list in a transaction", method: "ListDocuments", m: &pb.ListDocumentsRequest{ConsistencySelector: &pb.ListDocumentsRequest_Transaction{Transaction: []byte("t")}}},
		{name: "a list of a moment", method: "ListDocuments", m: &pb.ListDocumentsRequest{ConsistencySelector: &pb.ListDocumentsRequest_ReadTime{ReadTime: at}}},
		{name: "collections", method: "ListCollectionIds", m: &pb.ListCollectionIdsRequest{Parent: "p"}, want: forward.Brief},
		{name: "collections of a moment", method: "ListCollectionIds", m: &pb.ListCollectionIdsRequest{ConsistencySelector: &pb.ListCollectionIdsRequest_ReadTime{ReadTime: at}}},
		{name: "a large query", method: "RunQuery", m: &pb.RunQueryRequest{Parent: large}},
		{name: "live queries", method: "Listen", m: &pb.ListenRequest{}, want: forward.Lasting},
		{name: "a commit", method: "Commit", m: &pb.CommitRequest{}},
		{name: "a write stream", method: "Write", m: &pb.WriteRequest{}},
		{name: "a pipeline", method: "ExecutePipeline", m: &pb.ExecutePipelineRequest{}},
	} {
		message, err := proto.Marshal(tt.m)
		if err != nil {
			t.Fatal(err)
		}
		if got := forward.ReadingOfCall("/google.firestore.v1.Firestore/"+tt.method, message); got != tt.want {
			t.Errorf("%s: ReadingOfCall = %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := forward.ReadingOfCall("/google.firestore.v1.Firestore/GetDocument", []byte{0x0a, 0xff}); got != forward.Forward {
		t.Errorf("ReadingOfCall of a damaged message = %v, want Forward", got)
	}
}

// TestReadingOf checks which requests a node that does not lead may serve, and that their bodies remain complete.
func TestReadingOf(t *testing.T) {
	const root = "/v1/projects/p/databases/(default)/documents"
	large := strings.Repeat("x", 70<<10)
	for _, tt := range []struct {
		name, method, path, body string
		want                     forward.Reading
	}{
		{name: "REST: a document", method: "GET", path: root + "/c/d", want: forward.Brief},
		{name: "REST: a list", method: "GET", path: root + "/c?pageSize=3", want: forward.Brief},
		{name: "REST: a transaction", method: "GET", path: root + "/c/d?transaction=dA", want: forward.Forward},
		{name: "REST: a moment", method: "GET", path: root + "/c/d?readTime=2026-01-02T03:04:05Z"},
		{name: "REST: escapes", method: "GET", path: root + "/c/d?read%54ime=2026-01-02T03:04:05Z"},
		{name: "REST: a query", method: "POST", path: root + ":runQuery", body: `{"structuredQuery":{"from":[{"collectionId":"transaction"}]}}`, want: forward.Brief},
		{name: "REST: a query in a transaction", method: "POST", path: root + ":runQuery", body: `{"transaction":"dA"}`},
		{name: "REST: a query that begins one", method: "POST", path: root + ":runQuery", body: `{"newTransaction":{}}`},
		{name: "REST: by its other name", method: "POST", path: root + ":runQuery", body: `{"new\u005ftransaction":{}}`},
		{name: "REST: gets", method: "POST", path: root + ":batchGet", body: `{"documents":[]}`, want: forward.Brief},
		{name: "REST: gets of a moment", method: "POST", path: root + ":batchGet", body: `{"readTime":"2026-01-02T03:04:05Z"}`},
		{name: "REST: no JSON", method: "POST", path: root + ":runQuery", body: `{`},
		{name: "REST: a large query", method: "POST", path: root + ":runQuery", body: `{"x":"` + large + `"}`},
		{name: "REST: a commit", method: "POST", path: root + ":commit", body: `{}`},
		{name: "REST: a create", method: "POST", path: root + "/c", body: `{}`},
		{name: "REST: an update", method: "PATCH", path: root + "/c/d", body: `{}`},
		{name: "REST: a deletion", method: "DELETE", path: root + "/c/d"},
		{name: "REST: indexes", method: "GET", path: "/v1/projects/p/databases/(default)/collectionGroups/documents/indexes"},
		{name: "the emulator's controls", method: "DELETE", path: "/emulator/v1/projects/p/databases/(default)/documents"},
		{name: "accounts", method: "POST", path: "/identitytoolkit.googleapis.com/v1/accounts:lookup", body: `{}`},
		{name: "WebChannel", method: "POST", path: "/google.firestore.v1.Firestore/Listen/channel", body: "count=0"},
	} {
		r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		if got := forward.ReadingOf(r); got != tt.want {
			t.Errorf("%s: ReadingOf = %v, want %v", tt.name, got, tt.want)
		}
		if rest, err := io.ReadAll(r.Body); err != nil || string(rest) != tt.body {
			t.Errorf("%s: %d bytes of the body are left (%v), want all %d", tt.name, len(rest), err, len(tt.body))
		}
	}
}
