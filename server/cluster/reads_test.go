package cluster_test

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/cluster"
	pb "clave/server/wire/firestorepb"
)

// call returns the path and the body of a call of gRPC.
func call(method string, m proto.Message, compressed byte) (path, body string) {
	text, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	head := binary.BigEndian.AppendUint32([]byte{compressed}, uint32(len(text)))
	return "/google.firestore.v1.Firestore/" + method, string(append(head, text...))
}

// TestReadingOf says which requests a node that does not lead may answer, and that their bodies stay whole.
func TestReadingOf(t *testing.T) {
	const root = "/v1/projects/p/databases/(default)/documents"
	at := timestamppb.Now()
	begin := &pb.TransactionOptions{}
	large := strings.Repeat("x", 70<<10)
	type message struct {
		method     string
		m          proto.Message
		compressed byte
	}
	tests := []struct {
		name   string
		grpc   *message
		method string
		path   string
		body   string
		want   cluster.Reading
	}{
		{name: "a get", grpc: &message{"GetDocument", &pb.GetDocumentRequest{Name: "n"}, 0}, want: cluster.Brief},
		{name: "a get in a transaction", grpc: &message{"GetDocument", &pb.GetDocumentRequest{ConsistencySelector: &pb.GetDocumentRequest_Transaction{Transaction: []byte("t")}}, 0}},
		{name: "a get of a moment", grpc: &message{"GetDocument", &pb.GetDocumentRequest{ConsistencySelector: &pb.GetDocumentRequest_ReadTime{ReadTime: at}}, 0}},
		{name: "gets", grpc: &message{"BatchGetDocuments", &pb.BatchGetDocumentsRequest{Documents: []string{"a"}}, 0}, want: cluster.Brief},
		{name: "gets in a transaction", grpc: &message{"BatchGetDocuments", &pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_Transaction{Transaction: []byte("t")}}, 0}},
		{name: "gets that begin one", grpc: &message{"BatchGetDocuments", &pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_NewTransaction{NewTransaction: begin}}, 0}},
		{name: "gets of a moment", grpc: &message{"BatchGetDocuments", &pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_ReadTime{ReadTime: at}}, 0}},
		{name: "a query", grpc: &message{"RunQuery", &pb.RunQueryRequest{Parent: "p"}, 0}, want: cluster.Brief},
		{name: "a query in a transaction", grpc: &message{"RunQuery", &pb.RunQueryRequest{ConsistencySelector: &pb.RunQueryRequest_Transaction{Transaction: []byte("t")}}, 0}},
		{name: "a query that begins one", grpc: &message{"RunQuery", &pb.RunQueryRequest{ConsistencySelector: &pb.RunQueryRequest_NewTransaction{NewTransaction: begin}}, 0}},
		{name: "a query of a moment", grpc: &message{"RunQuery", &pb.RunQueryRequest{ConsistencySelector: &pb.RunQueryRequest_ReadTime{ReadTime: at}}, 0}},
		{name: "a count", grpc: &message{"RunAggregationQuery", &pb.RunAggregationQueryRequest{Parent: "p"}, 0}, want: cluster.Brief},
		{name: "a count in a transaction", grpc: &message{"RunAggregationQuery", &pb.RunAggregationQueryRequest{ConsistencySelector: &pb.RunAggregationQueryRequest_Transaction{Transaction: []byte("t")}}, 0}},
		{name: "a count that begins one", grpc: &message{"RunAggregationQuery", &pb.RunAggregationQueryRequest{ConsistencySelector: &pb.RunAggregationQueryRequest_NewTransaction{NewTransaction: begin}}, 0}},
		{name: "a count of a moment", grpc: &message{"RunAggregationQuery", &pb.RunAggregationQueryRequest{ConsistencySelector: &pb.RunAggregationQueryRequest_ReadTime{ReadTime: at}}, 0}},
		{name: "a list", grpc: &message{"ListDocuments", &pb.ListDocumentsRequest{Parent: "p", PageToken: "t"}, 0}, want: cluster.Brief},
		{name: "a list in a transaction", grpc: &message{"ListDocuments", &pb.ListDocumentsRequest{ConsistencySelector: &pb.ListDocumentsRequest_Transaction{Transaction: []byte("t")}}, 0}},
		{name: "a list of a moment", grpc: &message{"ListDocuments", &pb.ListDocumentsRequest{ConsistencySelector: &pb.ListDocumentsRequest_ReadTime{ReadTime: at}}, 0}},
		{name: "collections", grpc: &message{"ListCollectionIds", &pb.ListCollectionIdsRequest{Parent: "p"}, 0}, want: cluster.Brief},
		{name: "collections of a moment", grpc: &message{"ListCollectionIds", &pb.ListCollectionIdsRequest{ConsistencySelector: &pb.ListCollectionIdsRequest_ReadTime{ReadTime: at}}, 0}},
		{name: "a compressed get", grpc: &message{"GetDocument", &pb.GetDocumentRequest{Name: "n"}, 1}},
		{name: "a large query", grpc: &message{"RunQuery", &pb.RunQueryRequest{Parent: large}, 0}},
		{name: "live queries", grpc: &message{"Listen", &pb.ListenRequest{}, 0}, want: cluster.Lasting},
		{name: "a commit", grpc: &message{"Commit", &pb.CommitRequest{}, 0}},
		{name: "a write stream", grpc: &message{"Write", &pb.WriteRequest{}, 0}},
		{name: "a pipeline", grpc: &message{"ExecutePipeline", &pb.ExecutePipelineRequest{}, 0}},
		{name: "REST: a document", method: "GET", path: root + "/c/d", want: cluster.Brief},
		{name: "REST: a list", method: "GET", path: root + "/c?pageSize=3", want: cluster.Brief},
		{name: "REST: a transaction", method: "GET", path: root + "/c/d?transaction=dA", want: cluster.Forward},
		{name: "REST: a moment", method: "GET", path: root + "/c/d?readTime=2026-01-02T03:04:05Z"},
		{name: "REST: escapes", method: "GET", path: root + "/c/d?read%54ime=2026-01-02T03:04:05Z"},
		{name: "REST: a query", method: "POST", path: root + ":runQuery", body: `{"structuredQuery":{"from":[{"collectionId":"transaction"}]}}`, want: cluster.Brief},
		{name: "REST: a query in a transaction", method: "POST", path: root + ":runQuery", body: `{"transaction":"dA"}`},
		{name: "REST: a query that begins one", method: "POST", path: root + ":runQuery", body: `{"newTransaction":{}}`},
		{name: "REST: by its other name", method: "POST", path: root + ":runQuery", body: `{"new\u005ftransaction":{}}`},
		{name: "REST: gets", method: "POST", path: root + ":batchGet", body: `{"documents":[]}`, want: cluster.Brief},
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
	}
	for _, tt := range tests {
		path, body := tt.path, tt.body
		if tt.grpc != nil {
			path, body = call(tt.grpc.method, tt.grpc.m, tt.grpc.compressed)
			tt.method = http.MethodPost
		}
		r := httptest.NewRequest(tt.method, path, strings.NewReader(body))
		if tt.grpc != nil {
			r.ProtoMajor, r.ContentLength = 2, -1
			r.Header.Set("Content-Type", "application/grpc")
		}
		if got := cluster.ReadingOf(r); got != tt.want {
			t.Errorf("%s: ReadingOf = %v, want %v", tt.name, got, tt.want)
		}
		if rest, err := io.ReadAll(r.Body); err != nil || string(rest) != body {
			t.Errorf("%s: %d bytes of the body are left (%v), want all %d", tt.name, len(rest), err, len(body))
		}
	}
}
