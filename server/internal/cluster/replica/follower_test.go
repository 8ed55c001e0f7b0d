package replica

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/base/process"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/store"
	"clave/server/internal/store/release"
)

// reading reads by a stack that has everything that was acknowledged, or can't tell.
type reading struct {
	reads
	stack *Stack
	now   error
}

func (r reading) Current() (*Stack, bool)           { return r.stack, r.stack != nil }
func (r reading) Now(context.Context, *Stack) error { return r.now }

// TestAReadThatAFollowerCannotServeIsForwarded reads over REST at a follower, which either serves the read or responds
// that it cannot.
func TestAReadThatAFollowerCannotServeIsForwarded(t *testing.T) {
	const body = `{"structuredQuery": {}}`
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusServiceUnavailable: false} {
		s := &Stack{Stack: new(stack.Stack), ending: process.NewEnding(), cut: process.NewEnding()}
		s.REST = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			w.WriteHeader(status)
		})
		f := &Follower{reads: reading{stack: s}}
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/projects/p/databases/d/documents:runQuery", strings.NewReader(body))
		if got := f.answer(w, r); got != want {
			t.Errorf("a read that gets %d here: answer = %v, want %v", status, got, want)
		}
		if text, err := io.ReadAll(r.Body); !want && (string(text) != body || err != nil) {
			t.Errorf("the read is forwarded with the body %q, %v", text, err)
		}
		s.mu.inProgress.Wait() // it is no longer in progress here
	}
}

// TestAStackThatEndsTakesNoRows gives a row to a stack that ends.
func TestAStackThatEndsTakesNoRows(t *testing.T) {
	s := &Stack{ending: process.NewEnding()}
	s.End()
	// The release is not decoded.
	s.applied(t.Context(), []store.Op{{Kind: store.Set, Key: release.Key(), Value: []byte("not a release")}})
}

// TestReached asks whether the replica has everything: without one, before it serves reads, and with and without a
// leader.
func TestReached(t *testing.T) {
	s := &Stack{Stack: new(stack.Stack), ending: process.NewEnding(), cut: process.NewEnding()}
	for name, test := range map[string]struct {
		f    *Follower
		want bool
	}{
		"no replica":         {nil, false},
		"no reads yet":       {&Follower{reads: reading{}}, false},
		"no leader":          {&Follower{reads: reading{stack: s, now: errors.New("no leader")}}, false},
		"everything is here": {&Follower{reads: reading{stack: s}}, true},
	} {
		n := NewReads(Options{})
		n.follower.Store(test.f)
		if got := n.Reached(t.Context()); got != test.want {
			t.Errorf("%s: Reached = %v, want %v", name, got, test.want)
		}
		s.mu.inProgress.Wait() // the question has ended
	}
}
