package webchannel

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/auth/token"
)

func TestStreaming(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	sid := h.open(`{"n":0}`)
	b := h.get(sid, 0, "&CI=0")
	b.want(`[{"n":0}]`)
	// The echo may be sent before the POST is answered, so the number of the last array is 1 to 3.
	if status, body := h.post(sid, 101, 1, 1, `{"n":1}`, `{"n":"é😀"}`); status != 200 || !attached.MatchString(body) {
		t.Errorf("POST = %d %q, want 200 with an attached back channel", status, body)
	}
	b.want(`[{"n":1}]`, `[{"n":"é😀"}]`)
	if got := b.res.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("X-Content-Type-Options = %q", got)
	}
}

// TestHTTP2 checks a session over one HTTP/2 connection. The handshake must allow the client concurrent requests.
func TestHTTP2(t *testing.T) {
	h := newFixtureOver(t, true, Options{}, echo)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+testAddress+"&RID=1", strings.NewReader("count=0"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := h.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Header.Get("X-Client-Wire-Protocol"); res.ProtoMajor != 2 || got != "h2" {
		t.Errorf("a handshake over %s has %q, want h2", res.Proto, got)
	}
	sid := h.open(`0`)
	b := h.get(sid, 0, "&CI=0")
	want := []string{`[0]`}
	var sending sync.WaitGroup
	for i := 1; i <= 10; i++ {
		want = append(want, fmt.Sprintf("[%d]", i))
		sending.Go(func() { h.post(sid, 100+i, -1, i, fmt.Sprint(i)) })
	}
	last := b.want(want...)
	sending.Wait()
	newer := h.get(sid, last, "&CI=0")
	if _, err := b.next(); !errors.Is(err, io.EOF) {
		t.Errorf("the replaced back channel has %v, want its end", err)
	}
	h.post(sid, 111, last, 11, `"é😀"`)
	newer.want(`["é😀"]`)
	if status, _ := h.do("POST", testAddress+"&TYPE=terminate&RID=9&SID="+sid, ""); status != 200 {
		t.Errorf("terminate = %d", status)
	}
	for { // until the back channel of the terminated session ends
		if _, err := newer.next(); err != nil {
			break
		}
	}
}

func TestFirstChunkComesAtOnce(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	b := h.get(h.open(), 0, "&CI=0")
	arrays, err := b.next()
	if err != nil || len(arrays) != 1 || string(arrays[0].payload) != `["noop"]` {
		t.Errorf("first chunk of a quiet stream = %v, %v, want a noop", arrays, err)
	}
}

func TestLongPollingEndsEachAnswer(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	sid := h.open(`1`)
	b := h.get(sid, 0, "&CI=1")
	last := b.want(`[1]`)
	if _, err := b.next(); !errors.Is(err, io.EOF) {
		t.Fatalf("after its data a long poll has %v, want its end", err)
	}
	if status, body := h.post(sid, 101, last, 1, `2`); status != 200 || !strings.HasPrefix(body, "7\n[0,") {
		t.Errorf("POST between two polls = %d %q, want 200 without back channel", status, body)
	}
	h.get(sid, last, "&CI=1").want(`[2]`)
}

func TestLongPollTimesOut(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	b := h.get(h.open(), 0, "&CI=1&TO=20")
	if arrays, err := b.next(); err != nil || string(arrays[0].payload) != `["noop"]` {
		t.Errorf("a quiet poll = %v, %v, want a noop", arrays, err)
	}
	if _, err := b.next(); !errors.Is(err, io.EOF) {
		t.Errorf("a poll without data continues with %v, want its end", err)
	}
}

// TestBackChannelCutAtEveryByte reads the back channel up to each byte, closes the connection, and continues after the
// last complete array. No message may be lost.
func TestBackChannelCutAtEveryByte(t *testing.T) {
	want := []string{`[{"a":1}]`, `[{"ñ":"😀"}]`, `[3]`}
	var chunk bytes.Buffer
	w := bufio.NewWriter(&chunk)
	if err := errors.Join(writeArrays(w, []array{{1, []byte(want[0])}, {2, []byte(want[1])}, {3, []byte(want[2])}}), w.Flush()); err != nil {
		t.Fatal(err)
	}
	whole := chunk.Bytes()
	h := newFixture(t, Options{}, echo)
	for cut := 0; cut <= len(whole); cut++ {
		sid := h.open(`{"a":1}`, `{"ñ":"😀"}`, `3`)
		b := h.get(sid, 0, "&CI=0")
		begun := make([]byte, cut)
		if _, err := io.ReadFull(b.body, begun); err != nil {
			t.Fatal(err)
		}
		b.cancel()
		got, _ := parseArrays(t, begun)
		last, have := 0, 0
		for _, a := range got {
			if last = a.id; string(a.payload) != string(noop) {
				have++
			}
		}
		h.get(sid, last, "&CI=0").want(want[have:]...)
		if status, _ := h.do("POST", testAddress+"&TYPE=terminate&RID=9&SID="+sid, ""); status != 200 {
			t.Fatalf("terminate = %d", status)
		}
	}
}

func TestNewerBackChannelReplacesHalfOpenOne(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	sid := h.open(`1`)
	old := h.get(sid, 0, "&CI=0")
	last := old.want(`[1]`)
	newer := h.get(sid, last, "&CI=0") // the client never closes the old one
	if _, err := old.next(); !errors.Is(err, io.EOF) {
		t.Errorf("the replaced back channel has %v, want its end", err)
	}
	h.post(sid, 101, last, 1, `2`)
	newer.want(`[2]`)
}

func TestAcknowledgedArraysAreDropped(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	sid := h.open(`1`, `2`)
	h.get(sid, 0, "&CI=1").want(`[1]`, `[2]`)
	h.get(sid, 2, "&CI=1&TO=1")
	if status, body := h.do("GET", testAddress+"&RID=rpc&CI=1&AID=0&SID="+sid, ""); status != 400 {
		t.Errorf("GET before what was acknowledged = %d %q, want 400", status, body)
	}
	if status, _ := h.do("GET", testAddress+"&RID=rpc&CI=1&AID=99&SID="+sid, ""); status != 400 {
		t.Errorf("GET after what was sent = %d, want 400", status)
	}
}

func TestQuietBackChannelGetsNoops(t *testing.T) {
	h := newFixture(t, Options{KeepAlive: 10 * time.Millisecond}, echo)
	b := h.get(h.open(), 0, "&CI=0")
	for i := range 3 {
		if arrays, err := b.next(); err != nil || string(arrays[0].payload) != `["noop"]` {
			t.Fatalf("quiet chunk %d = %v, %v, want a noop", i, arrays, err)
		}
	}
}

func TestBackChannelEndsForAcknowledgement(t *testing.T) {
	h := newFixture(t, Options{BackBytes: 100}, echo)
	long := `"` + strings.Repeat("x", 200) + `"`
	b := h.get(h.open(long), 0, "&CI=0")
	b.want("[" + long + "]")
	if _, err := b.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after %d bytes the back channel has %v, want its end", len(long), err)
	}
}

func TestSlowClientHoldsTheStreamBack(t *testing.T) {
	const messages, size = 50, 1000
	sent := make(chan int, messages)
	h := newFixture(t, Options{MaxUnacked: 5 * size}, func(ctx context.Context, _ token.Caller, s *session) error {
		for i := range messages {
			if err := s.send(ctx, []byte(strings.Repeat("1", size)), false); err != nil {
				return err
			}
			sent <- i
		}
		<-ctx.Done()
		return ctx.Err()
	})
	sid := h.open()
	for range 4 {
		<-sent
	}
	s := h.h.find(sid, "Test")
	s.mu.Lock()
	held := s.mu.outBytes
	s.mu.Unlock()
	if most := 6 * size; held > most { // the limit and one message
		t.Errorf("%d bytes are held for a client that reads nothing, want at most %d", held, most)
	}
	got, last := 0, 0
	for got < messages {
		arrays, err := h.get(sid, last, "&CI=1").next()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range arrays {
			if a.id != last+1 {
				t.Fatalf("array %d after %d", a.id, last)
			}
			last = a.id
			got++
		}
	}
}

// TestMessagesThatBelongTogetherAreWrittenTogether checks which messages of a stream notify the back channel.
func TestMessagesThatBelongTogetherAreWrittenTogether(t *testing.T) {
	o := Options{MaxUnacked: 4 * maxChunk, Log: slog.New(slog.DiscardHandler)}
	o.EnsureDefaults()
	h := newHandler(o, nil)
	s := newSession(h, "s", 1)
	send := func(size int, more, want bool) {
		t.Helper()
		if err := s.send(t.Context(), make([]byte, size), more); err != nil {
			t.Fatal(err)
		}
		written := len(s.output) > 0
		if written {
			<-s.output
		}
		if written != want {
			t.Errorf("a message of %d bytes, more to come %v: written %v, want %v", size, more, written, want)
		}
	}
	send(10, true, false)
	send(10, true, false)
	send(10, false, true)
	send(maxChunk, true, true) // a large amount is not held back
	send(10, true, false)
	// Waiting messages are written at the limit: only acknowledgements free space.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.send(ctx, make([]byte, 4*maxChunk), true) }()
	<-s.output
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a message beyond the limit: %v", err)
	}
}
