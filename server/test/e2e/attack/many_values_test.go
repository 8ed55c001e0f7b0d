package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// TestBodiesOfManyValuesDoNotFillTheMemory sends the largest requests with the most values over all transports, as
// clients without credentials. A parsed value takes many times the memory of its bytes. The resident set must stay
// bounded, and the server must answer a small request.
func TestBodiesOfManyValuesDoNotFillTheMemory(t *testing.T) {
	harness.Parallel(t)
	if testing.Short() {
		t.Skip("hundreds of megabytes are sent")
	}
	for _, size := range []int{3 * harness.Mib, 10 * harness.Mib} {
		fields := `{"fields":{"a":{"arrayValue":{"values":[` + strings.TrimSuffix(strings.Repeat("{},", size/3), ",") + `]}}}`
		name := fmt.Sprintf("projects/%s/databases/(default)/documents/open/a", harness.RealProject)
		writes := fmt.Sprintf(`{"database":%q,"writes":[{"update":%s,"name":%q}}]}`, strings.TrimSuffix(name, "/documents/open/a"), fields, name)
		commit := commitOfMaps(name, size)
		for _, f := range []requestFlood{
			{"REST create", 20, 290, func(ctx context.Context, s *harness.SlowReader) error {
				return posts(ctx, s, "/v1/"+s.Database()+"/documents/open", fields+"}")
			}},
			{"REST commit", 12, 290, func(ctx context.Context, s *harness.SlowReader) error {
				return posts(ctx, s, "/v1/"+s.Database()+"/documents:commit", writes)
			}},
			{"WebChannel Write", 30, 300, func(ctx context.Context, s *harness.SlowReader) error { return channelFails(ctx, s, writes) }},
			{"gRPC Commit", 12, 800, func(ctx context.Context, s *harness.SlowReader) error { return commitFails(ctx, s, commit) }},
		} {
			t.Run(fmt.Sprintf("%s of %d MiB", f.name, size/harness.Mib), f.run)
		}
	}
	account := `{"returnSecureToken":true,"a":[` + strings.TrimSuffix(strings.Repeat(`{"a":0},`, harness.Mib/8-8), ",") + `]}`
	signUps := requestFlood{"accounts:signUp", 96, 290, func(ctx context.Context, s *harness.SlowReader) error {
		return posts(ctx, s, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any", account)
	}}
	t.Run(signUps.name+" of 1 MiB", signUps.run)
}

// requestFlood is a number of equal requests at the same time, and the maximum of the server's resident set in MiB.
type requestFlood struct {
	name           string
	requests, most int
	send           func(context.Context, *harness.SlowReader) error
}

// run sends the requests to a server of their own.
func (f requestFlood) run(t *testing.T) {
	dir := harness.ProductionFolder(t)
	harness.WriteFile(t, dir+"/firestore.rules", harness.SlowRules)
	p := harness.Serve(t, dir, false, "--trust-proxy", "--data", t.TempDir())
	s := &harness.SlowReader{T: t, Origin: p.URL, Project: harness.RealProject}
	ctx, cancel := context.WithTimeout(t.Context(), 6*harness.WaitLimit)
	defer cancel()
	began := time.Now()
	var all sync.WaitGroup
	for range f.requests {
		all.Go(func() {
			// The connection of a request that is refused before it is read is closed.
			if err := f.send(ctx, s); err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	peak := harness.MemoryOf(t, p.Cmd, "VmHWM")
	t.Logf("%d requests in %v: %d MiB at most", f.requests, time.Since(began).Round(time.Millisecond), peak)
	if peak > f.most {
		t.Errorf("the resident set reached %d MiB, want at most %d", peak, f.most)
	}
	if code, _ := p.Request(t, http.MethodGet, "/v1/"+s.Database()+"/documents/other/a", "", nil); code != http.StatusNotFound {
		t.Errorf("a small request: %d, want 404", code)
	}
}

// commitOfMaps returns the binary form of a commit of about size bytes, of a document with an array of maps that have
// one field each.
func commitOfMaps(name string, size int) []byte {
	field := func(number protowire.Number, message []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), message)
	}
	entry := func(value []byte) []byte { return append(field(1, []byte("a")), field(2, value)...) }
	number := protowire.AppendVarint(protowire.AppendTag(nil, pb.FieldValueIntegerValue, protowire.VarintType), 0)
	one := field(pb.FieldArrayValueValues, field(pb.FieldValueMapValue, field(pb.FieldMapValueFields, entry(number))))
	array := field(pb.FieldValueArrayValue, bytes.Repeat(one, size/len(one)))
	document := append(field(pb.FieldDocumentName, []byte(name)), field(pb.FieldDocumentFields, entry(array))...)
	database, _, _ := strings.Cut(name, "/documents/")
	return append(field(pb.FieldCommitRequestDatabase, []byte(database)), field(pb.FieldCommitRequestWrites, field(pb.FieldWriteUpdate, document))...)
}

// rawMessage is the binary form of a message, and rawMessages the codec that sends it.
type (
	rawMessage  []byte
	rawMessages struct{}
)

// Marshal implements encoding.Codec.
func (rawMessages) Marshal(m any) ([]byte, error) { return m.(rawMessage), nil }

// Unmarshal implements encoding.Codec.
func (rawMessages) Unmarshal([]byte, any) error { return nil }

// Name implements encoding.Codec.
func (rawMessages) Name() string { return "proto" }

// commitFails sends a commit over gRPC, which must be refused as invalid or for lack of room.
func commitFails(ctx context.Context, s *harness.SlowReader, commit []byte) error {
	_, address, _ := strings.Cut(s.Origin, "//")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodec(rawMessages{})))
	if err != nil {
		return err
	}
	defer conn.Close()
	err = conn.Invoke(ctx, "/google.firestore.v1.Firestore/Commit", rawMessage(commit), nil)
	if code := status.Code(err); code == codes.InvalidArgument || code == codes.Unavailable || code == codes.ResourceExhausted {
		return nil
	}
	return fmt.Errorf("a commit of many values: %w", err)
}

// posts posts a body, which must not fail otherwise than for lack of room.
func posts(ctx context.Context, s *harness.SlowReader, path, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Origin+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	res, err := s.Client().Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 == 5 && res.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("%s %.200s", res.Status, text)
	}
	return err
}

// channelFails begins a Write stream over WebChannel with a message. It returns when the stream has failed, or when the
// server has refused the request or ended the session for lack of room.
func channelFails(ctx context.Context, s *harness.SlowReader, message string) error {
	const form = "application/x-www-form-urlencoded"
	channel := s.Origin + "/google.firestore.v1.Firestore/Write/channel?VER=8&database=" + url.QueryEscape(s.Database())
	c := s.Client()
	hello, err := channelRequest(ctx, c, http.MethodPost, channel+"&RID=1&CVER=22&t=1", form, "count=1&ofs=0&req0___data__="+message)
	if err != nil {
		return err
	}
	session := harness.SessionPattern.FindStringSubmatch(hello)
	if session == nil {
		if strings.Contains(hello, "too many large requests") {
			return nil
		}
		return fmt.Errorf("no session in %.200s", hello)
	}
	text, err := channelRequest(ctx, c, http.MethodGet, channel+"&SID="+url.QueryEscape(session[1])+"&RID=rpc&AID=0&CI=0&TYPE=xmlhttp&t=1", form, "")
	ended := strings.Contains(text, "Unknown SID") || strings.HasSuffix(text, `[[1,["noop"]]]`)
	if err == nil && !ended && !strings.Contains(text, `"error"`) {
		err = fmt.Errorf("the stream has not failed: %.200s", text)
	}
	return err
}

// channelRequest returns the answer to a request of a session, up to the error of its stream.
func channelRequest(ctx context.Context, c *http.Client, method, address, kind, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", kind)
	res, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var text bytes.Buffer
	for !bytes.Contains(text.Bytes(), []byte(`"error"`)) {
		if _, err := io.CopyN(&text, res.Body, 1); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", err
		}
	}
	return text.String(), nil
}
