package sdk

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/test/e2e/harness"
)

// enterpriseDatabase is a database with pipelines.
const enterpriseDatabase = "projects/" + harness.Project + "/databases/pipes"

// usesOfTransactions are the calls that take a transaction's id, with requests that write stolen/a where they write.
func usesOfTransactions(id []byte) map[string]proto.Message {
	const root = enterpriseDatabase + "/documents"
	from := []*pb.StructuredQuery_CollectionSelector{{CollectionId: "open"}}
	stolen := &pb.Document{Name: root + "/stolen/a"}
	source := &pb.Pipeline_Stage{Name: "collection", Args: []*pb.Value{{ValueType: &pb.Value_ReferenceValue{ReferenceValue: "/open"}}}}
	into := &pb.Pipeline_Stage{Name: "insert", Options: map[string]*pb.Value{"collection": {ValueType: &pb.Value_ReferenceValue{ReferenceValue: "/stolen"}}}}
	pipeline := func(stages ...*pb.Pipeline_Stage) proto.Message {
		return &pb.ExecutePipelineRequest{
			Database: enterpriseDatabase, ConsistencySelector: &pb.ExecutePipelineRequest_Transaction{Transaction: id},
			PipelineType: &pb.ExecutePipelineRequest_StructuredPipeline{StructuredPipeline: &pb.StructuredPipeline{Pipeline: &pb.Pipeline{Stages: stages}}},
		}
	}
	return map[string]proto.Message{
		"BatchGetDocuments": &pb.BatchGetDocumentsRequest{Database: enterpriseDatabase, Documents: []string{root + "/open/a"},
			ConsistencySelector: &pb.BatchGetDocumentsRequest_Transaction{Transaction: id}},
		"GetDocument":   &pb.GetDocumentRequest{Name: root + "/open/a", ConsistencySelector: &pb.GetDocumentRequest_Transaction{Transaction: id}},
		"ListDocuments": &pb.ListDocumentsRequest{Parent: root, CollectionId: "open", ConsistencySelector: &pb.ListDocumentsRequest_Transaction{Transaction: id}},
		"RunQuery": &pb.RunQueryRequest{Parent: root, ConsistencySelector: &pb.RunQueryRequest_Transaction{Transaction: id},
			QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: &pb.StructuredQuery{From: from}}},
		"RunAggregationQuery": &pb.RunAggregationQueryRequest{Parent: root, ConsistencySelector: &pb.RunAggregationQueryRequest_Transaction{Transaction: id},
			QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
				QueryType:    &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: &pb.StructuredQuery{From: from}},
				Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{}}}},
			}}},
		"ExecutePipeline, reading": pipeline(source),
		"ExecutePipeline, writing": pipeline(source, into),
		"Rollback":                 &pb.RollbackRequest{Database: enterpriseDatabase, Transaction: id},
		"Commit":                   &pb.CommitRequest{Database: enterpriseDatabase, Transaction: id, Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: stolen}}}},
	}
}

// statusOfJSON is the code of an error in JSON.
var statusOfJSON = regexp.MustCompile(`"status":\s*("[A-Z_]+")`)

// caller sends a call over a transport and returns the code of the answer. It fills out if the call is
// BeginTransaction.
type caller func(method, token string, in, out proto.Message) codes.Code

// callers returns the transports that have calls with transactions.
func callers(t *testing.T, address string) map[string]caller {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return map[string]caller{
		"gRPC": func(method, token string, in, out proto.Message) codes.Code {
			ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), harness.WaitLimit)
			defer cancel()
			stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/google.firestore.v1.Firestore/"+method)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(stream.SendMsg(in), stream.CloseSend()); err != nil {
				t.Fatal(err)
			}
			for err == nil {
				err = stream.RecvMsg(out)
			}
			if errors.Is(err, io.EOF) {
				return codes.OK
			}
			return status.Code(err)
		},
		"REST": func(method, token string, in, out proto.Message) codes.Code {
			verb, path, body := restRequest(t, method, in)
			code, answer := harness.SendAs(t, verb, "http://"+address+path, token, body)
			if code == http.StatusOK {
				if method == "BeginTransaction" && protojson.Unmarshal([]byte(answer), out) != nil {
					t.Errorf("%s: %s", method, answer)
				}
				return codes.OK
			}
			var got codes.Code
			if found := statusOfJSON.FindStringSubmatch(answer); found == nil || got.UnmarshalJSON([]byte(found[1])) != nil {
				t.Errorf("%s: %d %s", method, code, answer)
			}
			return got
		},
	}
}

// restRequest returns a request over REST.
func restRequest(t *testing.T, method string, in proto.Message) (verb, path string, body map[string]any) {
	t.Helper()
	text, err := protojson.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	const documents = "/v1/" + enterpriseDatabase + "/documents"
	switch x := in.(type) {
	case *pb.GetDocumentRequest:
		return http.MethodGet, "/v1/" + x.GetName() + "?transaction=" + base64.URLEncoding.EncodeToString(x.GetTransaction()), nil
	case *pb.ListDocumentsRequest:
		return http.MethodGet, documents + "/open?transaction=" + base64.URLEncoding.EncodeToString(x.GetTransaction()), nil
	case *pb.BatchGetDocumentsRequest:
		method = "batchGet"
	}
	delete(body, "database")
	delete(body, "parent")
	return http.MethodPost, documents + ":" + strings.ToLower(method[:1]) + method[1:], body
}

// TestTransactionsAreBoundToTheirUsers begins a transaction over each transport and uses its id as another user and
// as the owner in each call, and then as the user with a new token.
func TestTransactionsAreBoundToTheirUsers(t *testing.T) {
	a := harness.Start(t, map[string]string{
		"firebase.json":   `{"firestore": [{"database": "pipes", "edition": "enterprise", "rules": "firestore.rules"}]}`,
		"firestore.rules": "service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write; } } }",
	})
	token := func(uid string, issued int64) string {
		return harness.Unsigned(t, map[string]any{
			"sub": uid, "user_id": uid, "aud": harness.Project, "iss": "https://securetoken.google.com/" + harness.Project, "iat": issued, "exp": time.Now().Add(time.Hour).Unix(),
		})
	}
	for transport, call := range callers(t, a.Firestore) {
		t.Run(transport, func(t *testing.T) {
			var begun pb.BeginTransactionResponse
			if code := call("BeginTransaction", token("ann", 1), &pb.BeginTransactionRequest{Database: enterpriseDatabase}, &begun); code != codes.OK || len(begun.GetTransaction()) == 0 {
				t.Fatalf("begin: %v, %x", code, begun.GetTransaction())
			}
			uses := usesOfTransactions(begun.GetTransaction())
			for who, stranger := range map[string]string{"another user": token("eve", 1), "the owner": "owner"} {
				for use, in := range uses {
					want := codes.Aborted
					if use == "Rollback" {
						want = codes.OK // as of a transaction that has ended
					}
					method, _, _ := strings.Cut(use, ",")
					if code := call(method, stranger, in, &emptypb.Empty{}); code != want {
						t.Errorf("%s by %s: %v, want %v", use, who, code, want)
					}
				}
			}
			for _, use := range []string{"BatchGetDocuments", "RunQuery", "ExecutePipeline, reading", "Commit"} {
				method, _, _ := strings.Cut(use, ",")
				if code := call(method, token("ann", 2), uses[use], &emptypb.Empty{}); code != codes.OK {
					t.Errorf("%s by the user with a new token: %v", use, code)
				}
			}
		})
	}
}
