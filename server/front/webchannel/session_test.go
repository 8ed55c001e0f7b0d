package webchannel

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/clock"
	"clave/server/fault"
	"clave/server/front/places"
	"clave/server/token"
)

// attached matches the response to a POST of a session with a back channel: its length, 1, the number of the last array sent, and the number of
// unacknowledged bytes.
var attached = regexp.MustCompile(`^[78]\n\[1,[123],\d+\]$`)

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

// TestBackChannelCutAtEveryByte reads the back channel up to each byte, closes the connection, and continues after the last complete array. No
// message may be lost.
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

// TestForwardRepeatedAndReordered sends requests in any order, each several times. The stream must receive each message once.
func TestForwardRepeatedAndReordered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := newFixture(t, Options{}, echo)
	for range 20 {
		type request struct {
			rid, first int
			messages   []string
		}
		var requests []request
		var want []string
		sid, n := h.open(`0`), 1
		want = append(want, `[0]`)
		for rid := 101; rid <= 110; rid++ {
			q := request{rid: rid, first: n}
			for range r.IntN(3) {
				q.messages = append(q.messages, fmt.Sprint(n))
				want = append(want, fmt.Sprintf("[%d]", n))
				n++
			}
			requests = append(requests, q, q)
		}
		r.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
		for _, q := range requests {
			if status, body := h.post(sid, q.rid, -1, q.first, q.messages...); status != 200 {
				t.Fatalf("POST %d = %d %q", q.rid, status, body)
			}
		}
		h.get(sid, 0, "&CI=0").want(want...)
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

func TestTerminate(t *testing.T) {
	for _, method := range []string{"POST", "GET"} {
		begun, ended := make(chan struct{}), make(chan error, 1)
		h := newFixture(t, Options{}, func(ctx context.Context, _ token.Caller, s *session) error {
			close(begun)
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		})
		sid := h.open()
		<-begun
		if status, body := h.do(method, testAddress+"&RID=9&TYPE=terminate&SID="+sid, "", "Content-Type", "text/plain"); status != 200 || body != "" {
			t.Errorf("%s terminate = %d %q, want 200 and nothing", method, status, body)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the stream of a terminated session ended with %v", err)
		}
		status, body := h.post(sid, 101, 0, 0, `1`)
		if status != 400 || strings.Index(body, "Unknown SID") < 1 {
			t.Errorf("POST to a terminated session = %d %q, want 400 with Unknown SID inside", status, body)
		}
		if n := h.h.Sessions(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	}
}

func TestErrorIsSentInBand(t *testing.T) {
	h := newFixture(t, Options{}, func(context.Context, token.Caller, *session) error {
		return fault.E(fault.NotFound, "no <such> thing")
	})
	sid := h.open()
	h.get(sid, 0, "&CI=1").want(`[{"error":{"code":404,"message":"no \u003csuch\u003e thing","status":"NOT_FOUND"}}]`)
	if status, _ := h.post(sid, 101, 1, 0, `1`); status != 200 {
		t.Errorf("POST after the stream's end = %d, want 200: only the error reaches the client", status)
	}
}

// wind advances a clock by single seconds until done returns true. It returns the total.
func wind(c *clock.Hand, done func() bool) (turned time.Duration) {
	for ; !done(); turned += time.Second {
		if turned > time.Hour {
			return turned
		}
		for c.Timers() == 0 && !done() {
		}
		c.Advance(time.Second)
	}
	return turned
}

func TestIdleSessionExpires(t *testing.T) {
	hand := clock.NewHand(clock.System().Now())
	ended := make(chan struct{})
	h := newFixture(t, Options{Clock: hand}, func(ctx context.Context, _ token.Caller, _ *session) error {
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})
	h.open()
	took := wind(hand, func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	if took < 90*time.Second || took > 10*time.Minute {
		t.Errorf("an idle session ended after %v, want 90 s and little more", took)
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

func TestLimits(t *testing.T) {
	h := newFixture(t, Options{MaxSessions: 1, MaxBody: 1000}, echo)
	sid := h.open(`0`)
	h.get(sid, 0, "&CI=0").want(`[0]`)
	if status, _ := h.do("POST", testAddress+"&RID=1", form(0)); status != 503 {
		t.Errorf("a session too many = %d, want 503", status)
	}
	if status, _ := h.post(sid, 101, 0, 0, strings.Repeat("x", 2000)); status != 413 {
		t.Errorf("a body too large = %d, want 413", status)
	}
	if status, _ := h.post(sid, 500, 0, 0, "1"); status != 400 {
		t.Errorf("a request far ahead = %d, want 400", status)
	}
	for _, c := range []struct {
		method, address, body string
		want                  int
	}{
		{"GET", testAddress, "", 400},
		{"PUT", testAddress, "", 405},
		{"POST", testAddress, "count=0", 400},
		{"POST", testAddress + "&RID=x", "count=0", 400},
		{"POST", testAddress + "&RID=1", "count=%zz", 400},
		{"POST", testAddress + "&RID=1&SID=nobody", "count=0", 400},
		{"GET", strings.Replace(testAddress, "Test", "Listen", 1) + "&RID=rpc&SID=" + sid, "", 404},
		{"GET", testAddress + "&RID=rpc&AID=x&SID=" + sid, "", 400},
	} {
		if got, body := h.do(c.method, c.address, c.body); got != c.want {
			t.Errorf("%s %s %q = %d %q, want %d", c.method, c.address, c.body, got, body, c.want)
		}
	}
}

func TestAbandonedSessionsAreEndedFirst(t *testing.T) {
	h := newFixture(t, Options{MaxSessions: 2}, echo)
	held := h.open(`0`)
	back := h.get(held, 0, "&CI=0")
	back.want(`[0]`)
	abandoned := h.open()
	h.open()
	if got := h.h.Sessions(); got != 2 {
		t.Errorf("%d sessions, want 2", got)
	}
	if status, body := h.post(abandoned, 101, -1, 0, "1"); status != 400 {
		t.Errorf("the abandoned session = %d %q, want 400: it was ended for another", status, body)
	}
	if status, body := h.post(held, 101, -1, 1, "1"); status != 200 {
		t.Errorf("the session of a connected client = %d %q, want 200", status, body)
	}
	back.want(`[1]`)
}

// TestLargestSessionIsEndedFirst checks that clients that read nothing, or send messages that their streams do not read, cannot fill the memory
// together, and that other sessions are not affected.
func TestLargestSessionIsEndedFirst(t *testing.T) {
	h := newFixture(t, Options{MaxHeld: 10_000, MaxBody: 8000}, func(ctx context.Context, c token.Caller, s *session) error {
		if m, err := s.recv(ctx); err != nil || m == `"deaf"` {
			<-ctx.Done()
			return ctx.Err()
		}
		s.take()
		return echo(ctx, c, s)
	})
	modest := h.open(`0`)
	back := h.get(modest, 0, "&CI=0")
	long := strings.Repeat("7", 3000)
	for i := range 6 {
		message := `"deaf"`
		if i%2 == 0 {
			message = `"echo"`
		}
		sid := h.open(message)
		for rid := 101; rid < 103; rid++ {
			h.do("POST", fmt.Sprintf("%s&SID=%s&RID=%d&AID=-1", testAddress, sid, rid), form(rid-100, long))
		}
		if held := h.h.held.Load(); held > 20_000 {
			t.Errorf("%d bytes are held, want about 10,000 at most", held)
		}
	}
	if got := h.h.Sessions(); got > 4 {
		t.Errorf("%d sessions are left, want the modest one and what fits", got)
	}
	if status, body := h.post(modest, 101, 0, 1, "1"); status != 200 {
		t.Errorf("the modest session = %d %q, want 200", status, body)
	}
	back.want(`[1]`)
	for _, s := range h.h.all() {
		h.h.drop(s)
	}
	if held := h.h.held.Load(); held != 0 {
		t.Errorf("%d bytes are counted when no session is left", held)
	}
}

// TestFewestSessionsAreEnded sends more on many streams at once than all sessions may hold. As many sessions as fit must remain.
func TestFewestSessionsAreEnded(t *testing.T) {
	const (
		sessions = 200
		fit      = 120
		each     = 1000
	)
	o := Options{MaxHeld: fit * (each + len("[]")), MaxUnacked: 10 * each, Log: slog.New(slog.DiscardHandler)}
	o.EnsureDefaults()
	for range 20 {
		h := newHandler(o, nil)
		all := make([]*session, sessions)
		for i := range all {
			all[i] = newSession(h, strconv.Itoa(i), 1)
			h.mu.sessions[all[i].id] = all[i]
		}
		var sent sync.WaitGroup
		for _, s := range all {
			sent.Go(func() { _ = s.send(t.Context(), make([]byte, each), false) }) // fails for a session that was ended
		}
		sent.Wait()
		if got := h.Sessions(); got != fit {
			t.Fatalf("%d sessions are left, want %d", got, fit)
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

func TestEarlyRequestsHaveALimit(t *testing.T) {
	h := newFixture(t, Options{MaxBody: 4000}, echo)
	sid := h.open()
	refused := false
	for rid := 102; rid < 102+10 && !refused; rid++ { // request 101 is missing
		status, _ := h.post(sid, rid, -1, rid, strings.Repeat("7", 1000))
		refused = status == 400
	}
	if !refused {
		t.Error("ten requests of 1000 bytes waited for one that never came, want no more than 4000 bytes to wait")
	}
	if got := h.h.Sessions(); got != 0 {
		t.Errorf("%d sessions are kept after the refusal, want 0", got)
	}
}

func TestCredentialsAreThoseOfTheHandshake(t *testing.T) {
	callers := make(chan token.Caller, 1)
	h := newFixture(t, Options{}, func(ctx context.Context, c token.Caller, s *session) error {
		callers <- c
		return echo(ctx, c, s)
	})
	owner := "headers=X-Other%3A1%0D%0AAuthorization%3ABearer%20owner%0D%0A&count=0"
	for _, c := range []struct {
		name, address, body string
		header              []string
		want                bool
	}{
		{"nobody", "&RID=1", "count=0", nil, false},
		{"body", "&RID=1", owner, nil, true},
		{"address", "&RID=1&%24httpHeaders=Authorization%3ABearer%20owner%0D%0A", "count=0", nil, true},
		{"header", "&RID=1", "count=0", []string{"Authorization", "Bearer owner"}, true},
	} {
		if status, body := h.do("POST", testAddress+c.address, c.body, c.header...); status != 200 {
			t.Fatalf("%s: handshake = %d %q", c.name, status, body)
		}
		if got := <-callers; got.Privileged != c.want {
			t.Errorf("%s: privileged = %v, want %v", c.name, got.Privileged, c.want)
		}
	}
}

func TestBadTokenIsAnsweredInBand(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	status, body := h.do("POST", testAddress+"&RID=1", "headers=Authorization%3ABearer%20x.y&count=0")
	if status != 200 {
		t.Fatalf("handshake = %d, want 200: a status would be a failure of transport", status)
	}
	arrays, _ := parseArrays(t, []byte(body))
	sid := strings.Split(string(arrays[0].payload), `"`)[3]
	arrays, err := h.get(sid, 0, "&CI=1").next()
	if err != nil || !strings.Contains(string(arrays[0].payload), `"status":"UNAUTHENTICATED"`) {
		t.Errorf("a bad token receives %v, %v, want UNAUTHENTICATED", arrays, err)
	}
}

func TestHostPrefix(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	var names []string
	for range prefixNames {
		names = append(names, h.h.hostPrefix("localhost:8080", "http://localhost:5173"))
	}
	slices.Sort(names)
	if got := len(slices.Compact(names)); got != prefixNames {
		t.Errorf("%d sessions have %d names, want as many", prefixNames, got)
	}
	if got := h.h.hostPrefix("localhost:8080", "http://localhost:8080"); got != "" {
		t.Errorf("a page of the same origin is given the prefix %q, which its content security policy may forbid", got)
	}
	for _, host := range []string{"127.0.0.1:8080", "example.com", "localhost.example.com", "[::1]:80", ""} {
		if got := h.h.hostPrefix(host, ""); got != "" {
			t.Errorf("hostPrefix(%q) = %q, want none", host, got)
		}
	}
}

func TestRunEndsSessions(t *testing.T) {
	o := Options{Tokens: token.New(token.Options{Unsigned: true})}
	o.EnsureDefaults()
	h := newHandler(o, map[string]call{"Test": echo})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	s := h.register("Test", 1)
	h.starts <- s
	cancel()
	if err := <-ended; err != nil || h.Sessions() != 0 {
		t.Errorf("Run() = %v with %d sessions left", err, h.Sessions())
	}
}

// TestSessionsHavePlaces opens more sessions than there are places, and another one after the end of one.
func TestSessionsHavePlaces(t *testing.T) {
	p := places.New(places.Options{All: 2})
	h := newFixture(t, Options{Streams: p}, echo)
	sid := h.open(`0`)
	h.open(`0`)
	if status, body := h.do("POST", testAddress+"&RID=100&CVER=22", form(0, `0`)); status != 503 {
		t.Errorf("a third session = %d %q, want 503", status, body)
	}
	if got := h.h.Sessions(); got != 2 {
		t.Errorf("%d sessions, want 2", got)
	}
	h.h.drop(h.h.find(sid, "Test"))
	h.open(`0`)
	for _, s := range h.h.all() {
		h.h.drop(s)
	}
	if got := p.Taken(); got != 0 {
		t.Errorf("%d places are taken when no session is left", got)
	}
}
