package harness

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	pb "clave/server/internal/model/wire/firestorepb"
)

// Object is a JSON object.
type Object = map[string]any

// Read sends a GET request and returns the answer.
func Read(t *testing.T, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Do(t, client, r)
}

// SendAs sends a body as JSON with a bearer token and returns the answer. In the body the project «demo» stands for
// that of the tests.
func SendAs(t *testing.T, method, url, bearer string, body any) (int, string) {
	t.Helper()
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(bytes.ReplaceAll(text, []byte("projects/demo/"), []byte("projects/"+Project+"/")))
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	req.Header.Set("Content-Type", "application/json")
	answer, text := Do(t, http.DefaultClient, req) //nolint:bodyclose // Do closes it
	return answer.StatusCode, text
}

// Unsigned returns an unsigned token, which only a development server accepts.
func Unsigned(t *testing.T, claims map[string]any) string {
	t.Helper()
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	e := base64.RawURLEncoding
	return e.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + e.EncodeToString(text) + "."
}

// Transports lists the transports of a stream. All of them use real sockets.
var Transports = []struct {
	Name string
	Open ListenTransport
}{
	{"grpc", OverGRPC},
	{"webchannel, streaming", OverWebChannel(false)},
	{"webchannel, long polling", OverWebChannel(true)},
}

// CollectionTarget returns a message that listens to a collection.
func CollectionTarget(id int32, collection string) *pb.ListenRequest {
	return &pb.ListenRequest{Database: ChannelDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
		TargetId: id, TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{
			Parent: ChannelDatabase + "/documents",
			QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: &pb.StructuredQuery{
				From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: collection}},
			}},
		}},
	}}}
}

// Put writes a document or the rules with the owner's token.
func Put(t *testing.T, method, address, path string, body Object) {
	t.Helper()
	if code, answer := SendAs(t, method, "http://"+address+path, "owner", body); code != http.StatusOK {
		t.Fatalf("%s %s = %d %v", method, path, code, answer)
	}
}

// SignUp creates an anonymous user and returns their token and uid.
func SignUp(t *testing.T, address string) (token, uid string) {
	t.Helper()
	code, answer := SendAs(t, http.MethodPost, "http://"+address+"/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", "", Object{"returnSecureToken": true})
	var user struct{ IDToken, LocalID string }
	if err := json.Unmarshal([]byte(answer), &user); code != http.StatusOK || err != nil || user.IDToken == "" {
		t.Fatalf("sign up = %d %s", code, answer)
	}
	return user.IDToken, user.LocalID
}
