package webchannel

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/limit/slots"
)

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

// TestLargestSessionIsEndedFirst checks that clients that read nothing, or send messages that their streams do not
// read, cannot fill the memory together, and that other sessions are not affected.
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

// TestFewestSessionsAreEnded sends more on many streams at once than all sessions may hold. As many sessions as fit
// must remain.
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

// TestSessionsHaveSlots opens more sessions than there are slots, and another one after the end of one.
func TestSessionsHaveSlots(t *testing.T) {
	p := slots.New(slots.Options{All: 2})
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
		t.Errorf("%d slots are taken when no session is left", got)
	}
}

// TestHandshakesOfflineAreRefused refuses sessions of a database that a fault makes unreachable.
func TestHandshakesOfflineAreRefused(t *testing.T) {
	var offline atomic.Bool
	h := newFixture(t, Options{Offline: func(database string) bool { return offline.Load() && database == "projects/p/databases/(default)" }}, echo)
	for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusOK} {
		if got, body := h.do("POST", testAddress+"&RID=100&CVER=22&t=1", form(0)); got != want {
			t.Errorf("a handshake: %d %q, want %d", got, body, want)
		}
		offline.Store(!offline.Load())
	}
}
