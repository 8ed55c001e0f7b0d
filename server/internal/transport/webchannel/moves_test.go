package webchannel

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// TestASessionContinuesAtAnotherHandler ends a handler while the streams of sessions wait. A client that has received
// nothing keeps its session: its back channel ends as usual, and the next handler receives its messages again, in
// order. A client that has received something gets the end.
func TestASessionContinuesAtAnotherHandler(t *testing.T) {
	moves := NewMoves()
	var current atomic.Pointer[Handler]
	received := make(chan string, 10)
	waits := func(ctx context.Context, _ token.Caller, s *session) error {
		for {
			m, err := s.recv(ctx)
			if err != nil {
				return err
			}
			s.take()
			if m == "answer" {
				if err := s.send(ctx, []byte(`"answered"`), false); err != nil {
					return err
				}
			}
			received <- m
		}
	}
	first := newFixture(t, Options{Moves: moves}, waits)
	second := newFixture(t, Options{Moves: moves}, echo)
	current.Store(first.h)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	client := &fixture{t: t, h: first.h, url: srv.URL, client: srv.Client()}
	fresh := client.open(`"one"`)
	<-received
	if status, body := client.post(fresh, 101, 0, 1, `"two"`); status != 200 {
		t.Fatalf("a message: %d %s", status, body)
	}
	<-received
	answered := client.open("answer")
	<-received
	back, told := client.get(fresh, 0, "&CI=0"), client.get(answered, 0, "&CI=0")
	told.want(`["answered"]`)
	first.stop()
	for {
		arrays, err := back.next()
		if err != nil {
			break
		}
		for _, a := range arrays {
			if string(a.payload) != string(noop) {
				t.Errorf("the client that has received nothing receives %s", a.payload)
			}
		}
	}
	if arrays, err := told.next(); err != nil || !strings.Contains(string(arrays[0].payload), fault.Unavailable.String()) {
		t.Errorf("the client that has received something receives %v, %v; want UNAVAILABLE", arrays, err)
	}
	current.Store(second.h)
	if status, body := client.post(fresh, 102, 0, 2, `"three"`); status != 200 {
		t.Fatalf("a message after the end of the handler: %d %s", status, body)
	}
	client.get(fresh, 0, "&CI=0").want(`["one"]`, `["two"]`, `["three"]`)
	if first.h.Sessions() != 0 || second.h.Sessions() != 1 {
		t.Errorf("the handlers have %d and %d sessions, want 0 and 1", first.h.Sessions(), second.h.Sessions())
	}
}
