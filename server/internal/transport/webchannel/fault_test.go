package webchannel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
)

// raw sends a request on its own connection and returns the connection, which the test reads and closes.
func (h *fixture) raw(method, address, body string) net.Conn {
	h.t.Helper()
	u, err := url.Parse(h.url)
	if err != nil {
		h.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		method, address, u.Host, len(body), body)
	if err != nil {
		h.t.Fatal(err)
	}
	return conn
}

// TestLongPollCutAtEveryByte closes the connection of a long poll after each byte of the answer, including the header
// and the chunk framing. The client then polls from its last array, which may or may not have been in the interrupted
// answer.
func TestLongPollCutAtEveryByte(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	poll := func(sid string, ack int) string {
		return fmt.Sprintf("%s&SID=%s&RID=rpc&AID=%d&CI=1&TYPE=xmlhttp&t=1", testAddress, sid, ack)
	}
	whole := 0
	for cut := 0; whole == 0 || cut <= whole; cut++ {
		sid := h.open(`{"a":1}`, `{"ñ":"😀"}`)
		conn := h.raw("GET", poll(sid, 0), "")
		if n, err := io.ReadFull(conn, make([]byte, cut)); errors.Is(err, io.ErrUnexpectedEOF) {
			whole = n
		} else if err != nil {
			t.Fatalf("%d bytes of the answer: %v", n, err)
		}
		_ = conn.Close()
		b := h.get(sid, 0, "&CI=1")
		have := 0
		for want := []string{`[{"a":1}]`, `[{"ñ":"😀"}]`}; len(want) > 0; {
			arrays, err := b.next()
			if errors.Is(err, io.EOF) {
				b = h.get(sid, have, "&CI=1")
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			for _, a := range arrays {
				if a.id != have+1 || string(a.payload) != want[0] {
					t.Fatalf("cut after %d bytes: array %d = %s, want %d = %s", cut, a.id, a.payload, have+1, want[0])
				}
				have, want = a.id, want[1:]
			}
		}
		h.do("POST", testAddress+"&TYPE=terminate&RID=9&SID="+sid, "")
	}
}

// TestForwardAnswerLost closes the connection of each forward request before the answer, and repeats the request. The
// stream must receive each message once.
func TestForwardAnswerLost(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	sid := h.open(`0`)
	want := []string{`[0]`}
	for i := 1; i <= 20; i++ {
		address := fmt.Sprintf("%s&SID=%s&RID=%d&AID=-1&t=1", testAddress, sid, 100+i)
		_ = h.raw("POST", address, form(i, fmt.Sprint(i))).Close()
		if status, body := h.post(sid, 100+i, -1, i, fmt.Sprint(i)); status != 200 {
			t.Fatalf("repeated POST %d = %d %q", i, status, body)
		}
		want = append(want, fmt.Sprintf("[%d]", i))
	}
	h.get(sid, 0, "&CI=0").want(want...)
}

// TestForwardRequestCutAtEveryByte sends the beginning of a forward request, closes the connection, and sends the
// request again.
func TestForwardRequestCutAtEveryByte(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	body := form(1, `{"ñ":"😀"}`, `2`)
	for cut := range len(body) {
		sid := h.open(`0`)
		address := fmt.Sprintf("%s&SID=%s&RID=101&AID=-1&t=1", testAddress, sid)
		u, _ := url.Parse(h.url)
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", address, u.Host, len(body), body[:cut])
		_ = conn.Close()
		if status, answer := h.do("POST", address, body); status != 200 {
			t.Fatalf("interrupted after %d bytes, then sent completely: %d %q", cut, status, answer)
		}
		h.get(sid, 0, "&CI=0").want(`[0]`, `[{"ñ":"😀"}]`, `[2]`)
		h.do("POST", testAddress+"&TYPE=terminate&RID=9&SID="+sid, "")
	}
}

// TestHalfOpenBackChannelEnds checks that a back channel ends whose client disappeared without closing the connection,
// and does not keep its session open.
func TestHalfOpenBackChannelEnds(t *testing.T) {
	h := newFixture(t, Options{BackLife: 20 * time.Millisecond, Idle: 60 * time.Millisecond, Linger: 60 * time.Millisecond}, echo)
	sid := h.open(`1`)
	conn := h.raw("GET", testAddress+"&RID=rpc&AID=0&CI=0&TYPE=xmlhttp&SID="+sid, "")
	reader := bufio.NewReader(conn) // reads, and never answers or closes
	res, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatalf("the back channel's answer ends with %v, want its end in good order", err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); h.h.Sessions() > 0; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the session of a disconnected client continues")
		}
	}
}

// once is a ResponseWriter that ends its request after the first write.
type once struct {
	*httptest.ResponseRecorder
	cancel context.CancelFunc
}

// Write implements http.ResponseWriter.
func (o *once) Write(b []byte) (int, error) {
	defer o.cancel()
	return o.ResponseRecorder.Write(b)
}

// FuzzServeHTTP sends arbitrary requests to the handler while a session exists. The handler must answer them, and the
// session's stream must remain intact.
func FuzzServeHTTP(f *testing.F) {
	f.Add("POST", "VER=8&RID=101&AID=0", "count=1&ofs=0&req0___data__=1", true)
	f.Add("POST", "VER=8&RID=7&CVER=22&%24httpHeaders=Authorization%3Ax", "headers=A%3Ab&count=0", false)
	f.Add("GET", "RID=rpc&AID=0&CI=1&TO=1", "", true)
	f.Add("GET", "RID=rpc&AID=-1&CI=0", "", true)
	f.Add("GET", "TYPE=terminate", "", false)
	f.Fuzz(func(t *testing.T, method, query, body string, ours bool) {
		if strings.Contains(query, "terminate") && ours {
			return // this request may end the session
		}
		h := newFixture(t, Options{KeepAlive: time.Millisecond, BackLife: 5 * time.Millisecond, MaxBody: 4096}, echo)
		sid := h.open()
		if ours {
			query += "&SID=" + sid
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := (&http.Request{
			Method: method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header), Host: "h",
			URL: &url.URL{Path: strings.TrimSuffix(testAddress[:strings.IndexByte(testAddress, '?')], "?"), RawQuery: query}, Body: io.NopCloser(strings.NewReader(body)),
		}).WithContext(ctx)
		w := &once{ResponseRecorder: httptest.NewRecorder(), cancel: cancel}
		h.h.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s ?%s %q = %d %q", method, query, body, w.Code, w.Body)
		}
		if h.h.find(sid, "Test") == nil {
			t.Errorf("%s ?%s %q ended the session", method, query, body)
		}
	})
}

// slowLink is a ResponseWriter with a rate of 1 KiB per second.
type slowLink struct {
	*httptest.ResponseRecorder
	manual   *clocktest.Manual
	deadline time.Time
}

// SetWriteDeadline is the method that http.ResponseController calls.
func (l *slowLink) SetWriteDeadline(at time.Time) error {
	l.deadline = at
	return nil
}

// Write implements http.ResponseWriter.
func (l *slowLink) Write(b []byte) (int, error) {
	if l.manual.Advance(time.Duration(len(b)) * time.Second / 1024); l.manual.Now().After(l.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	return l.ResponseRecorder.Write(b)
}

// TestSlowClientIsNotCutOff checks that a client may read a large chunk slowly as long as it makes progress.
func TestSlowClientIsNotCutOff(t *testing.T) {
	manual := clocktest.NewManual(clock.System().Now())
	o := Options{Clock: manual}
	o.EnsureDefaults()
	s := newSession(newHandler(o, nil), "s", 1)
	w := &slowLink{ResponseRecorder: httptest.NewRecorder(), manual: manual}
	large := []byte(strings.Repeat("x", 300<<10))
	b := newBack()
	b.begin(w, &http.Request{}, 0, true, manual.Now())
	b.arrays = []array{{id: 1, payload: large}}
	if _, ok := s.write(b); !ok || w.Body.Len() < len(large) {
		t.Errorf("a client that takes a KiB a second got %d of %d bytes", w.Body.Len(), len(large))
	}
}

// TestChunksAreSmall checks that waiting arrays are sent in chunks of a limited size, by long polls and by streaming
// responses. A client whose connection is cut keeps the complete chunks.
func TestChunksAreSmall(t *testing.T) {
	const messages, size = 40, 10_000
	for _, more := range []string{"&CI=0", "&CI=1"} {
		h := newFixture(t, Options{}, func(ctx context.Context, _ token.Caller, s *session) error {
			for range messages {
				if err := s.send(ctx, []byte(strings.Repeat("1", size)), false); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return ctx.Err()
		})
		sid := h.open()
		for h.h.find(sid, "Test").made() < messages {
		}
		b := h.get(sid, 0, more)
		for got := 0; got < messages; {
			arrays, err := b.next()
			if err != nil {
				t.Fatalf("%s: after %d of %d messages: %v", more, got, messages, err)
			}
			if len(arrays) > maxChunk/size+1 {
				t.Errorf("%s: a chunk of %d messages of %d bytes", more, len(arrays), size)
			}
			got += len(arrays)
		}
	}
}

// made returns the number of the latest array.
func (s *session) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.last
}
