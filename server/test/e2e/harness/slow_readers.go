package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/internal/base/clock"
)

// The collection that slow readers query.
const (
	slowDocuments = 256
	slowBytes     = 16 << 10
)

// SlowRules allow anyone to read and write.
const SlowRules = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write; } } }"

// SlowReader is a client that reads the beginning of a large answer and nothing more.
type SlowReader struct {
	T               *testing.T
	Origin, Project string
	// Settings configures TLS; nil means no TLS.
	Settings *tls.Config
	// At is the time of the queries; zero means now.
	At time.Time
}

// narrowBuffer is the size of a slow reader's receive buffer: a few packets of the loopback interface.
const narrowBuffer = 128 << 10

// narrow connects with a small receive buffer, so that unread data wait at the server.
func narrow(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var set error
		err := c.Control(func(fd uintptr) {
			set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, narrowBuffer)
		})
		if err == nil {
			err = set
		}
		return err
	}}
	return d.DialContext(ctx, network, address)
}

// Database is the database's name.
func (s *SlowReader) Database() string { return "projects/" + s.Project + "/databases/(default)" }

// query requests the whole collection.
func (s *SlowReader) query() *pb.StructuredQuery {
	return &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "large"}}}
}

// Client returns a client that opens a new connection for each request.
func (s *SlowReader) Client() *http.Client {
	transport := &http.Transport{TLSClientConfig: s.Settings.Clone(), DialContext: narrow, DisableKeepAlives: true, ReadBufferSize: 1 << 10}
	s.T.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// grpc opens a stream, sends its first message and reads its first answer.
func (s *SlowReader) grpc(ctx context.Context, method string, first, answer any) error {
	transport := insecure.NewCredentials()
	if s.Settings != nil {
		transport = credentials.NewTLS(s.Settings.Clone())
	}
	_, address, _ := strings.Cut(s.Origin, "//")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return narrow(ctx, "tcp", address) }))
	if err != nil {
		return err
	}
	s.T.Cleanup(func() { _ = conn.Close() })
	ctx = metadata.AppendToOutgoingContext(ctx, "google-cloud-resource-prefix", s.Database())
	ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/"+method)
	if err != nil {
		return err
	}
	if err := ss.SendMsg(first); err != nil {
		return err
	}
	if method == "RunQuery" { // RunQuery has a single request message.
		if err := ss.CloseSend(); err != nil {
			return err
		}
	}
	return ss.RecvMsg(answer)
}

// OverQueryCall requests a query's results over gRPC.
func (s *SlowReader) OverQueryCall(ctx context.Context) error {
	in := &pb.RunQueryRequest{Parent: s.Database() + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: s.query()}}
	if !s.At.IsZero() {
		in.ConsistencySelector = &pb.RunQueryRequest_ReadTime{ReadTime: timestamppb.New(s.At)}
	}
	return s.grpc(ctx, "RunQuery", in, &pb.RunQueryResponse{})
}

// OverListenCall opens a live query over gRPC.
func (s *SlowReader) OverListenCall(ctx context.Context) error {
	return s.grpc(ctx, "Listen", &pb.ListenRequest{Database: s.Database(), TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
		TargetId: 2, TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{Parent: s.Database() + "/documents", QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: s.query()}}},
	}}}, &pb.ListenResponse{})
}

// begin sends a request and reads the first bytes of its answer, or all of it.
func (s *SlowReader) begin(ctx context.Context, c *http.Client, method, path, kind, body string, all bool) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.Origin+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", kind)
	res, err := c.Do(r)
	if err != nil {
		return "", err
	}
	s.T.Cleanup(func() { _ = res.Body.Close() })
	text := make([]byte, 16)
	if all {
		text, err = io.ReadAll(res.Body)
	} else {
		_, err = io.ReadFull(res.Body, text)
	}
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s %s", method, path, res.Status, text)
	}
	return string(text), err
}

// OverREST requests a query's results over REST.
func (s *SlowReader) OverREST(ctx context.Context) error {
	at := ""
	if !s.At.IsZero() {
		at = fmt.Sprintf(`, "readTime": %q`, s.At.UTC().Format(time.RFC3339Nano))
	}
	_, err := s.begin(ctx, s.Client(), http.MethodPost, "/v1/"+s.Database()+"/documents:runQuery", "application/json", `{"structuredQuery": {"from": [{"collectionId": "large"}]}`+at+`}`, false)
	return err
}

// SessionPattern matches a session's id in the answer to a handshake.
var SessionPattern = regexp.MustCompile(`\["c","([^"]+)"`)

// OverChannel opens a live query over WebChannel.
func (s *SlowReader) OverChannel(ctx context.Context) error {
	const form = "application/x-www-form-urlencoded"
	channel := "/google.firestore.v1.Firestore/Listen/channel?VER=8&database=" + url.QueryEscape(s.Database())
	target := fmt.Sprintf(`{"database": %q, "addTarget": {"targetId": 2, "query": {"parent": %q, "structuredQuery": {"from": [{"collectionId": "large"}]}}}}`, s.Database(), s.Database()+"/documents")
	c := s.Client()
	hello, err := s.begin(ctx, c, http.MethodPost, channel+"&RID=1&CVER=22&t=1", form, "count=1&ofs=0&req0___data__="+url.QueryEscape(target), true)
	if err != nil {
		return err
	}
	session := SessionPattern.FindStringSubmatch(hello)
	if session == nil {
		return fmt.Errorf("no session in %s", hello)
	}
	_, err = s.begin(ctx, c, http.MethodGet, channel+"&SID="+url.QueryEscape(session[1])+"&RID=rpc&AID=0&CI=0&TYPE=xmlhttp&t=1", form, "", false)
	if err != nil && strings.Contains(err.Error(), "Unknown SID") {
		return nil // The server ends the largest sessions when all sessions together hold too much data.
	}
	return err
}

// Fill writes the large documents.
func (s *SlowReader) Fill(round int) {
	s.T.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s.Settings.Clone()}, Timeout: WaitLimit}
	defer client.CloseIdleConnections()
	const each = 32
	for from := 0; from < slowDocuments; from += each {
		var writes []Object
		for i := from; i < from+each; i++ {
			writes = append(writes, Object{"update": Object{"name": fmt.Sprintf("%s/documents/large/d%03d", s.Database(), i), "fields": Object{
				"round": Object{"integerValue": fmt.Sprint(round)}, "text": Object{"bytesValue": bytes.Repeat([]byte{byte(round)}, slowBytes)},
			}}})
		}
		body, err := json.Marshal(Object{"writes": writes})
		if err != nil {
			s.T.Fatal(err)
		}
		res, err := client.Post(s.Origin+"/v1/"+s.Database()+"/documents:commit", "application/json", bytes.NewReader(body))
		if err != nil {
			s.T.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			s.T.Fatalf("write: %s %s", res.Status, text)
		}
	}
}

// OverAll runs slow readers over all transports. The resident set of a server must have stayed below most MiB since its
// start.
func (s *SlowReader) OverAll(p *Production, most int) {
	t := s.T
	t.Helper()
	const (
		each   = 125
		rounds = 5
	)
	kinds := map[string]func(context.Context) error{
		"gRPC RunQuery": s.OverQueryCall, "gRPC Listen": s.OverListenCall, "REST runQuery": s.OverREST, "WebChannel Listen": s.OverChannel,
	}
	// The time is for each transport and the writes after them.
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(len(kinds)+1)*WaitLimit)
	defer cancel()
	before := MemoryOf(t, p.Cmd, "VmRSS")
	for name, open := range kinds {
		var opened sync.WaitGroup
		for range each {
			opened.Go(func() {
				if err := open(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		opened.Wait()
		t.Logf("%d × %s: %d MiB, at most %d", each, name, MemoryOf(t, p.Cmd, "VmRSS"), MemoryOf(t, p.Cmd, "VmHWM"))
	}
	for round := range rounds {
		s.Fill(round + 1)
	}
	began := clock.System().Now()
	if code, _ := p.Request(t, http.MethodGet, "/v1/"+s.Database()+"/documents/other/a", "", nil); code != http.StatusNotFound {
		t.Errorf("a small request: %d, want 404", code)
	}
	peak := MemoryOf(t, p.Cmd, "VmHWM")
	t.Logf("before %d MiB, with %d slow readers and %d documents written %d, at most %d; a small request took %v",
		before, 4*each, rounds*slowDocuments, MemoryOf(t, p.Cmd, "VmRSS"), peak, clock.System().Now().Sub(began).Round(time.Millisecond))
	if peak > most {
		t.Errorf("the resident set reached %d MiB, want at most %d", peak, most)
	}
}
