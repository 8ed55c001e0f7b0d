package webchannel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"clave/server/internal/auth/token"
)

// testAddress is the address of the test stream's channel.
const testAddress = "/google.firestore.v1.Firestore/Test/channel?VER=8&database=projects%2Fp%2Fdatabases%2F(default)"

// fixture is a handler of one stream, Test, behind a real HTTP server.
type fixture struct {
	t      *testing.T
	h      *Handler
	url    string
	client *http.Client
	// stop ends the handler, but not its HTTP server.
	stop func()
}

// newFixture starts a handler whose stream is served by a function.
func newFixture(t *testing.T, o Options, serve func(ctx context.Context, c token.Caller, s *session) error) *fixture {
	t.Helper()
	return newFixtureOver(t, false, o, serve)
}

// newFixtureOver does the same as newFixture, over HTTP/2 if http2 is set.
func newFixtureOver(t *testing.T, http2 bool, o Options, serve func(ctx context.Context, c token.Caller, s *session) error) *fixture {
	t.Helper()
	o.Tokens = token.New(token.Options{Unsigned: true, Owner: true})
	o.Log = slog.New(slog.DiscardHandler)
	o.EnsureDefaults()
	h := newHandler(o, map[string]call{"Test": serve})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	srv := httptest.NewUnstartedServer(h)
	if srv.EnableHTTP2 = http2; http2 {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	t.Cleanup(func() {
		stop()
		srv.CloseClientConnections()
		srv.Close()
	})
	return &fixture{t: t, h: h, url: srv.URL, client: srv.Client(), stop: stop}
}

// echo is a stream that sends each message back.
func echo(ctx context.Context, _ token.Caller, s *session) error {
	for {
		m, err := s.recv(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		s.take()
		if err := s.send(ctx, []byte(m), false); err != nil {
			return err
		}
	}
}

// do sends a request and returns status and body.
func (h *fixture) do(method, address, body string, header ...string) (int, string) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+address, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := h.client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// form returns the body of a forward request. The first message has the given number.
func form(first int, messages ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "count=%d&ofs=%d", len(messages), first)
	for i, m := range messages {
		fmt.Fprintf(&b, "&req%d___data__=%s", i, url.QueryEscape(m))
	}
	return b.String()
}

// open performs a handshake with messages, as request 100, and returns the session's id.
func (h *fixture) open(messages ...string) (sid string) {
	h.t.Helper()
	status, body := h.do("POST", testAddress+"&RID=100&CVER=22&X-HTTP-Session-Id=gsessionid&t=1", form(0, messages...))
	if status != 200 {
		h.t.Fatalf("handshake = %d %q", status, body)
	}
	arrays, rest := parseArrays(h.t, []byte(body))
	if len(arrays) != 1 || len(rest) > 0 || arrays[0].id != 0 {
		h.t.Fatalf("handshake = %q, want one array of number 0", body)
	}
	var hello []any
	if err := json.Unmarshal(arrays[0].payload, &hello); err != nil || hello[0] != "c" {
		h.t.Fatalf("handshake = %q, %v", body, err)
	}
	sid, _ = hello[1].(string)
	return sid
}

// post sends messages of a session and returns the status and the body.
func (h *fixture) post(sid string, rid, ack, first int, messages ...string) (int, string) {
	h.t.Helper()
	return h.do("POST", fmt.Sprintf("%s&SID=%s&RID=%d&AID=%d&t=1", testAddress, sid, rid, ack), form(first, messages...))
}

// backResponse is the response of a back channel, read while it arrives.
type backResponse struct {
	t      *testing.T
	res    *http.Response
	body   *bufio.Reader
	cancel context.CancelFunc
}

// get opens a back channel after the array ack.
func (h *fixture) get(sid string, ack int, more string) *backResponse {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	address := fmt.Sprintf("%s%s&SID=%s&RID=rpc&AID=%d&TYPE=xmlhttp%s&t=1", h.url, testAddress, sid, ack, more)
	req, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	res, err := h.client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { cancel(); _ = res.Body.Close() })
	return &backResponse{t: h.t, res: res, body: bufio.NewReader(res.Body), cancel: cancel}
}

// next returns the arrays of the next chunk, or io.EOF.
func (b *backResponse) next() ([]array, error) {
	line, err := b.body.ReadString('\n')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		b.t.Fatalf("chunk length %q", line)
	}
	var text []byte
	for units := 0; units < n; {
		r, _, err := b.body.ReadRune()
		if err != nil {
			return nil, err
		}
		units += utf16.RuneLen(r)
		text = append(text, string(r)...)
	}
	return decodeArrays(b.t, text), nil
}

// want reads arrays until all payloads have arrived, ignores noops, and returns the number of the last array.
func (b *backResponse) want(payloads ...string) (last int) {
	b.t.Helper()
	for len(payloads) > 0 {
		arrays, err := b.next()
		if err != nil {
			b.t.Fatalf("back channel ended with %v before %q", err, payloads)
		}
		for _, a := range arrays {
			last = a.id
			if bytes.Equal(a.payload, noop) {
				continue
			}
			if len(payloads) == 0 || string(a.payload) != payloads[0] {
				b.t.Fatalf("array %d = %s, want %q", a.id, a.payload, payloads)
			}
			payloads = payloads[1:]
		}
	}
	return last
}

// parseArrays parses the complete chunks at the beginning of a back channel's bytes.
func parseArrays(t *testing.T, body []byte) (arrays []array, rest []byte) {
	t.Helper()
	for {
		line, after, ok := bytes.Cut(body, []byte("\n"))
		if !ok {
			return arrays, body
		}
		n, err := strconv.Atoi(string(line))
		if err != nil {
			t.Fatalf("chunk length %q", line)
		}
		end, units := 0, 0
		for _, r := range string(after) {
			if units >= n {
				break
			}
			units += utf16.RuneLen(r)
			end += len(string(r))
		}
		if units < n || end > len(after) {
			return arrays, body
		}
		arrays = append(arrays, decodeArrays(t, after[:end])...)
		body = after[end:]
	}
}

// decodeArrays decodes the arrays of one chunk.
func decodeArrays(t *testing.T, text []byte) []array {
	t.Helper()
	var raw [][2]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatalf("chunk %q: %v", text, err)
	}
	out := make([]array, len(raw))
	for i, r := range raw {
		id, err := strconv.Atoi(string(r[0]))
		if err != nil {
			t.Fatalf("array number %s", r[0])
		}
		out[i] = array{id: id, payload: r[1]}
	}
	return out
}
