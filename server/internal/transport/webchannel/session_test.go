package webchannel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/test/kit/wait"
)

// attached matches the response to a POST of a session with a back channel: its length, 1, the number of the last array
// sent, and the number of unacknowledged bytes.
var attached = regexp.MustCompile(`^[78]\n\[1,[123],\d+\]$`)

// TestForwardRepeatedAndReordered sends requests in any order, each several times. The stream must receive each message
// once.
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
func wind(c *clocktest.Manual, done func() bool) (turned time.Duration) {
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
	manual := clocktest.NewManual(clock.System().Now())
	ended := make(chan struct{})
	h := newFixture(t, Options{Clock: manual}, func(ctx context.Context, _ token.Caller, _ *session) error {
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})
	h.open()
	took := wind(manual, func() bool {
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

// TestStreamsEndWithTheHandler ends the handler while streams wait. Each client with a back channel must receive
// UNAVAILABLE.
func TestStreamsEndWithTheHandler(t *testing.T) {
	for name, serve := range map[string]func(ctx context.Context, c token.Caller, s *session) error{
		"a stream that receives": echo,
		"a stream that works": func(ctx context.Context, _ token.Caller, _ *session) error {
			<-ctx.Done()
			return fault.Ended(ctx.Err(), "The operation was cancelled.")
		},
	} {
		for _, more := range []string{"&CI=0", "&CI=1"} {
			h := newFixture(t, Options{}, serve)
			sid := h.open()
			got := make(chan string)
			go func() { // a poll has no response before the end
				_, text := h.do("GET", fmt.Sprintf("%s&SID=%s&RID=rpc&AID=0&TYPE=xmlhttp%s&t=1", testAddress, sid, more), "")
				got <- text
			}()
			wait.Until(t, "a back channel", h.h.find(sid, "Test").listening)
			h.stop()
			if text := <-got; !strings.Contains(text, `"status":"UNAVAILABLE"`) {
				t.Errorf("%s, %s: the client receives %q, want UNAVAILABLE", name, more, text)
			}
		}
	}
}

// listening reports whether the session has a back channel that is open.
func (s *session) listening() bool {
	s.mu.Lock()
	b := s.mu.back
	s.mu.Unlock()
	if b == nil {
		return false
	}
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	return b.open
}

// TestStuckClientsDoNotDelayTheEnd ends the handler while a client does not read. Run must return.
func TestStuckClientsDoNotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Tokens: token.New(token.Options{Unsigned: true})}
		o.EnsureDefaults()
		h := newHandler(o, map[string]call{"Test": echo})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		s := h.register("Test", 1)
		h.starts <- s
		w := newHeldLink()
		left := make(chan struct{})
		b := s.attach(0)
		go func() {
			defer close(left)
			s.serveBack(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), b, 0, backQuery{streaming: true, hold: o.KeepAlive})
		}()
		synctest.Wait()
		w.hold = true
		began := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > resultsWait+leaveAfter {
			t.Errorf("Run has ended after %v, want at most %v", took, resultsWait+leaveAfter)
		}
		<-left // the channel may be in a write of its own, until the deadline of that
	})
}
