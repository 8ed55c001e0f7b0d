package harness

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	pb "clave/server/internal/model/wire/firestorepb"
)

// ChannelDatabase is the database of the tests of streams.
const ChannelDatabase = "projects/" + Project + "/databases/(default)"

// ListenTransport opens Listen streams over one transport of a server.
type ListenTransport func(t *testing.T, address, authorization string) ListenEnd

// ListenEnd is the client's end of a Listen stream.
type ListenEnd interface {
	// Send sends a message.
	Send(r *pb.ListenRequest)
	// Receive returns the next message, or the status with which the stream ended.
	Receive() (*pb.ListenResponse, *status.Status)
	// Attached waits until the server can send to the client.
	Attached()
}

// grpcEnd is a stream over gRPC.
type grpcEnd struct {
	t  *testing.T
	ss grpc.ClientStream
}

// OverGRPC opens a Listen stream on a new connection.
func OverGRPC(t *testing.T, address, authorization string) ListenEnd {
	t.Helper()
	return &grpcEnd{t: t, ss: GrpcStream(t, address, authorization, "Listen")}
}

// TransportsOf returns the transports of Listen streams of a database, by their names.
func TransportsOf(database string) map[string]ListenTransport {
	return map[string]ListenTransport{
		"gRPC": func(t *testing.T, address, authorization string) ListenEnd {
			t.Helper()
			return &grpcEnd{t: t, ss: grpcStreamOf(t, database, address, authorization, "Listen")}
		},
		"WebChannel": webChannelOf(database, http.DefaultClient, "Listen", false),
	}
}

// GrpcStream opens a stream of a Firestore method on a new connection.
func GrpcStream(t *testing.T, address, authorization, method string) grpc.ClientStream {
	t.Helper()
	return grpcStreamOf(t, ChannelDatabase, address, authorization, method)
}

// grpcStreamOf is grpcStream for a database.
func grpcStreamOf(t *testing.T, database, address, authorization, method string) grpc.ClientStream {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ctx := metadata.AppendToOutgoingContext(t.Context(), "google-cloud-resource-prefix", database, "authorization", authorization)
	ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/"+method)
	if err != nil {
		t.Fatal(err)
	}
	return ss
}

// Send implements listenEnd.
func (g *grpcEnd) Send(r *pb.ListenRequest) {
	g.t.Helper()
	if err := g.ss.SendMsg(r); err != nil {
		g.t.Fatal(err)
	}
}

// Receive implements listenEnd.
func (g *grpcEnd) Receive() (*pb.ListenResponse, *status.Status) {
	var m pb.ListenResponse
	if err := g.ss.RecvMsg(&m); err != nil {
		return nil, status.Convert(err)
	}
	return &m, nil
}

// Attached implements listenEnd.
func (g *grpcEnd) Attached() {}

// ChannelEnd is a stream over WebChannel, as the web SDK uses it.
type ChannelEnd struct {
	t      *testing.T
	client *http.Client
	// URL is the channel's address with the session's id, and more is the part that each GET adds.
	URL, more string
	// rid and maps number the requests and the messages sent.
	rid, maps int
	// have is the number of the last received array.
	have atomic.Int64
	// received delivers the messages. listen sets failed and then closes it.
	received chan json.RawMessage
	failed   error
}

// OverWebChannel opens a Listen session whose GETs stream or, with poll set, end after each answer.
func OverWebChannel(poll bool) ListenTransport { return WebChannel(http.DefaultClient, "Listen", poll) }

// WebChannel opens a session of a Firestore method by a client. Of messages of methods other than Listen only the
// common fields are read.
func WebChannel(client *http.Client, method string, poll bool) ListenTransport {
	return webChannelOf(ChannelDatabase, client, method, poll)
}

// webChannelOf is webChannel for a database.
func webChannelOf(database string, client *http.Client, method string, poll bool) ListenTransport {
	return func(t *testing.T, address, authorization string) ListenEnd {
		more := "&CI=0"
		if poll {
			more = "&CI=1"
		}
		c := &ChannelEnd{t: t, client: client, more: more, rid: 100, received: make(chan json.RawMessage, 1000), URL: fmt.Sprintf("http://%s/google.firestore.v1.Firestore/%s/channel?VER=8&database=%s",
			address, method, url.QueryEscape(database))}
		headers := "headers=" + url.QueryEscape("X-Goog-Api-Client:gl-js/ fire/12.18.0\r\nAuthorization:"+authorization+"\r\n") + "&count=0"
		body, err := c.request(http.MethodPost, fmt.Sprintf("&RID=%d&CVER=22&X-HTTP-Session-Id=gsessionid&t=1", c.rid), headers)
		if err != nil {
			t.Fatal(err)
		}
		hello, err := chunk(bufio.NewReader(body))
		if err != nil || len(hello) != 1 {
			t.Fatalf("handshake = %v, %v", hello, err)
		}
		var words []any
		if err := json.Unmarshal(hello[0][1], &words); err != nil || words[0] != "c" {
			t.Fatalf("handshake = %s, %v", hello[0][1], err)
		}
		c.URL += "&SID=" + url.QueryEscape(fmt.Sprint(words[1]))
		over := make(chan struct{})
		go func() {
			defer close(over)
			defer close(c.received)
			c.failed = c.listen()
		}()
		t.Cleanup(func() { <-over }) // The test's context has ended, and with it the GET.
		return c
	}
}

// request sends a request and returns its answer's body, which stays open until the test ends.
func (c *ChannelEnd) request(method, more, form string) (io.Reader, error) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.URL+more, strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	c.t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s = %s", method, more, res.Status)
	}
	return res.Body, nil
}

// Send implements listenEnd.
func (c *ChannelEnd) Send(r *pb.ListenRequest) {
	c.t.Helper()
	text, err := protojson.Marshal(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.post(fmt.Sprintf("count=1&ofs=%d&req0___data__=%s", c.maps, url.QueryEscape(string(text))))
	c.maps++
}

// post sends a request of the forward channel and reports whether the server had a back channel.
func (c *ChannelEnd) post(form string) bool {
	c.t.Helper()
	c.rid++
	body, err := c.request(http.MethodPost, fmt.Sprintf("&RID=%d&AID=%d&t=1", c.rid, c.have.Load()), form)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := io.ReadAll(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.Contains(string(answer), "[1,")
}

// Attached implements listenEnd.
func (c *ChannelEnd) Attached() {
	c.t.Helper()
	for !c.post("count=0") {
	}
}

// listen keeps a back channel open until the test ends.
func (c *ChannelEnd) listen() error {
	for {
		body, err := c.request(http.MethodGet, fmt.Sprintf("&RID=rpc&AID=%d&TYPE=xmlhttp%s&t=1", c.have.Load(), c.more), "")
		if err != nil {
			return err
		}
		for r := bufio.NewReader(body); ; {
			arrays, err := chunk(r)
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			if err := c.take(arrays); err != nil {
				return err
			}
		}
	}
}

// take handles the arrays of a chunk.
func (c *ChannelEnd) take(arrays [][2]json.RawMessage) error {
	for _, a := range arrays {
		id, err := strconv.ParseInt(string(a[0]), 10, 64)
		if err != nil {
			return err
		}
		c.have.Store(id)
		var one []json.RawMessage
		if err := json.Unmarshal(a[1], &one); err != nil {
			return err
		}
		if string(one[0]) != `"noop"` {
			c.received <- one[0]
		}
	}
	return nil
}

// chunk reads the arrays of the next chunk.
func chunk(b *bufio.Reader) ([][2]json.RawMessage, error) {
	line, err := b.ReadString('\n')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for units := 0; units < n; {
		r, _, err := b.ReadRune()
		if err != nil {
			return nil, err
		}
		units += utf16.RuneLen(r)
		text.WriteRune(r)
	}
	var arrays [][2]json.RawMessage
	return arrays, json.Unmarshal([]byte(text.String()), &arrays)
}

// Receive implements listenEnd.
func (c *ChannelEnd) Receive() (*pb.ListenResponse, *status.Status) {
	text, ok := <-c.received
	if !ok {
		return nil, status.Convert(c.failed)
	}
	var failed struct {
		Error *struct{ Status, Message string }
	}
	if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
		var code codes.Code
		if err := code.UnmarshalJSON([]byte(strconv.Quote(failed.Error.Status))); err != nil {
			return nil, status.Convert(err)
		}
		return nil, status.New(code, failed.Error.Message)
	}
	var m pb.ListenResponse
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, &m); err != nil {
		return nil, status.Newf(codes.DataLoss, "%s: %v", text, err)
	}
	return &m, nil
}
