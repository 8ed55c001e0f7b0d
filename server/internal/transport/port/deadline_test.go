package port

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// hourglass is a connection without data. A read lasts until its deadline, or fails with EOF if it has none.
type hourglass struct {
	net.Conn
	now, deadline time.Time
	// sets is the number of calls of SetReadDeadline.
	sets int
}

// SetReadDeadline implements net.Conn.
func (h *hourglass) SetReadDeadline(t time.Time) error {
	h.deadline = t
	h.sets++
	return nil
}

// Read implements net.Conn.
func (h *hourglass) Read([]byte) (int, error) {
	if h.deadline.IsZero() {
		return 0, io.EOF
	}
	if h.deadline.After(h.now) {
		h.now = h.deadline
	}
	return 0, os.ErrDeadlineExceeded
}

// TestDeadlinesOfReadsAreKept sets deadlines as net/http does. A read ends at the last one that was set, whichever the
// inner connection has.
func TestDeadlinesOfReadsAreKept(t *testing.T) {
	begun := time.Unix(1000, 0)
	at := func(s time.Duration) time.Time { return begun.Add(s * time.Second) }
	past := time.Unix(1, 0)
	for _, tt := range []struct {
		name string
		set  []time.Time
		end  time.Time // of a read; zero if it has no deadline
		sets int       // of the inner connection, before the read
	}{
		{"none", nil, time.Time{}, 0},
		{"one", []time.Time{at(10)}, at(10), 1},
		{"a later one", []time.Time{at(10), at(20)}, at(20), 1},
		{"an earlier one", []time.Time{at(20), at(10)}, at(10), 2},
		{"none any more", []time.Time{at(10), {}}, time.Time{}, 1},
		{"another one after none", []time.Time{at(10), {}, at(30)}, at(30), 1},
		{"one that has passed", []time.Time{at(10), past}, begun, 2},
		{"one after one that has passed", []time.Time{past, {}, at(10)}, at(10), 1},
		{"a request", []time.Time{at(120), {}, at(10), {}, at(30), {}, past, {}, at(121)}, at(121), 3},
	} {
		inner := &hourglass{now: begun}
		conn := &lazyDeadline{Conn: inner}
		for _, d := range tt.set {
			if err := conn.SetReadDeadline(d); err != nil {
				t.Fatal(err)
			}
		}
		if inner.sets != tt.sets {
			t.Errorf("%s: the inner connection has %d deadlines in turn, want %d", tt.name, inner.sets, tt.sets)
		}
		_, err := conn.Read(nil)
		if tt.end.IsZero() != errors.Is(err, io.EOF) || !tt.end.IsZero() && !inner.now.Equal(tt.end) {
			t.Errorf("%s: a read ends at %v with %v, want %v", tt.name, inner.now, err, tt.end)
		}
	}
}
