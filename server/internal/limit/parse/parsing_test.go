package parse_test

import (
	"context"
	"net/netip"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
)

// TestRequestsWaitForTheLimit uses up a limit: a further request waits until bytes are returned, or until its context
// ends.
func TestRequestsWaitForTheLimit(t *testing.T) {
	l := parse.New(100)
	first, err := l.Admit(t.Context(), netip.Addr{}, 60)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := l.Admit(ended, netip.Addr{}, 41); !fault.Is(err, fault.Canceled) {
		t.Errorf("Admit beyond the limit with an ended context = %v, want CANCELLED", err)
	}
	late, end := context.WithTimeout(t.Context(), 0)
	defer end()
	if _, err := l.Admit(late, netip.Addr{}, 41); !fault.Is(err, fault.DeadlineExceeded) {
		t.Errorf("Admit beyond the limit after the deadline = %v, want DEADLINE_EXCEEDED", err)
	}
	if s, err := l.Admit(t.Context(), netip.Addr{}, 40); err != nil {
		t.Errorf("Admit of the rest = %v", err)
	} else {
		s.Release()
	}
	admitted := make(chan error, 1)
	go func() {
		alone, err := l.Admit(t.Context(), netip.Addr{}, 1000)
		alone.Release()
		admitted <- err
	}()
	first.Shrink(20)
	first.Shrink(70) // holds less already
	select {
	case <-admitted:
		t.Error("a request that needs the whole limit did not wait")
	default:
	}
	first.Release()
	first.Release()
	if err := <-admitted; err != nil {
		t.Errorf("Admit of more than the limit, alone = %v", err)
	}
	if n := l.Used(); n != 0 {
		t.Errorf("%d bytes are used when all shares are returned", n)
	}
}

// TestANetworkHasHalf lets requests of a network hold its part, as they do while they wait for locks. A further one
// must wait, and those of other networks must be admitted.
func TestANetworkHasHalf(t *testing.T) {
	l := parse.New(100)
	first, other := netip.MustParseAddr("203.0.113.1"), netip.MustParseAddr("203.0.113.2")
	held, err := l.Admit(t.Context(), first, 50)
	if err != nil {
		t.Fatal(err)
	}
	admitted := make(chan error, 1)
	go func() {
		further, err := l.Admit(t.Context(), first, 1)
		further.Release()
		admitted <- err
	}()
	for range 3 {
		s, err := l.Admit(t.Context(), other, 50)
		if err != nil {
			t.Fatal(err)
		}
		s.Release()
	}
	select {
	case err := <-admitted:
		t.Errorf("a further request of the network did not wait: %v", err)
	default:
	}
	held.Release()
	if err := <-admitted; err != nil {
		t.Error(err)
	}
	if n := l.Used(); n != 0 {
		t.Errorf("%d bytes are used when all shares are returned", n)
	}
}

// TestACallHoldsAShare checks of which calls the share is asked for, and that it is released once.
func TestACallHoldsAShare(t *testing.T) {
	l := parse.New(100)
	call := parse.Within(t.Context())
	below, cancel := context.WithCancel(call)
	defer cancel()
	if parse.Pressed(t.Context()) != nil || parse.Pressed(below) != nil {
		t.Error("a call without a share is asked for one")
	}
	call.Hold(nil) // a small message
	if parse.Pressed(below) != nil {
		t.Error("a call with a small message is asked for a share")
	}
	share, err := l.Admit(t.Context(), netip.Addr{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if call.Hold(share); parse.Pressed(below) == nil {
		t.Error("a call with a share is not asked for it")
	}
	if parse.Pressed(parse.With(t.Context(), share)) == nil || parse.With(t.Context(), nil) != t.Context() {
		t.Error("a call with one request is not asked for its share, or one with a small request differs")
	}
	call.Release()
	call.Release()
	if parse.Pressed(below) != nil || l.Used() != 0 {
		t.Errorf("after the release %d bytes are used", l.Used())
	}
}

// TestElements counts what is outside of strings.
func TestElements(t *testing.T) {
	for text, want := range map[string]int{`{}`: 2, `[]`: 2, `{"a": 1, "b": [2, 3]}`: 7, `{"a,:[{\\\"": "\",,"}`: 3, `"`: 1, `"\`: 1} {
		if got := parse.Elements([]byte(text)); got != want {
			t.Errorf("Elements(%s) = %d, want %d", text, got, want)
		}
	}
}

// TestValues counts the values of texts.
func TestValues(t *testing.T) {
	for text, want := range map[string]int64{`{}`: 1, `[]`: 2, `{"a": 1, "b": [2, 3]}`: 6} {
		if got := parse.Values(text); got != want {
			t.Errorf("Values(%s) = %d, want %d", text, got, want)
		}
	}
}
