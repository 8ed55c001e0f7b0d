package engine

import (
	"slices"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// waitingClock records the waits of a committer, which end at once: by the arrival of all commits, or by time.
type waitingClock struct {
	clock.Clock
	s     *sequencer
	full  bool
	waits []time.Duration
}

// After implements clock.Clock.
func (c *waitingClock) After(d time.Duration) (<-chan time.Time, func()) {
	c.waits = append(c.waits, d)
	passed := make(chan time.Time, 1)
	if c.full {
		close(c.s.mu.full)
	} else {
		passed <- time.Time{}
	}
	return passed, func() {}
}

// TestACommittersWaitGrowsAndShrinks has committers wait for a second commit after writes of 400 µs. The limit of a
// wait grows while all commits arrive, and shrinks while they do not.
func TestACommittersWaitGrowsAndShrinks(t *testing.T) {
	s := &sequencer{took: 400 * time.Microsecond}
	c := &waitingClock{s: s}
	s.clock = c
	for _, full := range []bool{false, true, true, true, false, false, false} {
		c.full = full
		s.mu.expected, s.mu.clients, s.mu.queue = 2, 1, []*pending{{}}
		s.gather()
	}
	want := []time.Duration{200, 200, 400, 800, 800, 400, 200}
	for i := range want {
		want[i] *= time.Microsecond
	}
	if !slices.Equal(c.waits, want) {
		t.Errorf("the limits of the waits are %v, want %v", c.waits, want)
	}
	s.took = 50 * time.Millisecond
	s.mu.expected, s.mu.clients, s.mu.queue = 2, 1, []*pending{{}}
	s.gather()
	if got := c.waits[len(c.waits)-1]; got != maxGather {
		t.Errorf("the limit after a slow write is %v, want %v", got, maxGather)
	}
}

// TestCommittersDoNotWaitForTheBackground has a committer write the commits of one client and of a burst in the
// background. The next committer must wait for one client only, and until that client arrives.
func TestCommittersDoNotWaitForTheBackground(t *testing.T) {
	s := &openOwn(t, Options{}).seq
	enqueue := func(background bool) {
		s.enqueue(&pending{background: background, wake: make(chan bool, 1)})
	}
	enqueue(false)
	enqueue(true)
	enqueue(true)
	s.commitGroup(t.Context())
	if s.mu.expected != 1 {
		t.Errorf("after a group of one client and two in the background %d are expected, want 1", s.mu.expected)
	}
	full := make(chan struct{})
	s.mu.full = full
	enqueue(true)
	if s.mu.full == nil {
		t.Error("a commit in the background ended the wait for a client")
	}
	enqueue(false)
	select {
	case <-full:
	default:
		t.Error("the client's commit did not end the wait for it")
	}
	s.commitGroup(t.Context())
}

// TestTogether puts the operations of commits in columns, unless one of the group is not a commit.
func TestTogether(t *testing.T) {
	ops := func(keys ...string) (out []store.Op) {
		for _, key := range keys {
			out = append(out, store.Op{Key: []byte(key)})
		}
		return out
	}
	a, b, none := &pending{ops: ops("a1", "a2", "a3")}, &pending{ops: ops("b1", "b2")}, &pending{}
	other := &pending{aside: ops("x1", "x2")}
	for _, tt := range []struct {
		name  string
		group []*pending
		want  []string
	}{
		{"one commit", []*pending{a}, []string{"a1", "a2", "a3"}},
		{"two commits", []*pending{a, none, b}, []string{"a1", "b1", "a2", "b2", "a3"}},
		{"commits and something else", []*pending{a, other, b}, []string{"a1", "a2", "a3", "x1", "x2", "b1", "b2"}},
		{"something else alone", []*pending{other}, []string{"x1", "x2"}},
		{"nothing", []*pending{none}, nil},
	} {
		var got []string
		for _, op := range operationsOf(tt.group) {
			got = append(got, string(op.Key))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
