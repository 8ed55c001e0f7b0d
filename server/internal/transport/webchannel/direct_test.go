package webchannel

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
)

// heldLink is a ResponseWriter whose writes block, once hold is set, until their deadline is in the past.
type heldLink struct {
	*httptest.ResponseRecorder
	hold bool
	mu   sync.Mutex
	// deadline is that of writes, or zero. changed is closed and replaced when it is set.
	deadline time.Time
	changed  chan struct{}
}

// newHeldLink returns a link that does not hold.
func newHeldLink() *heldLink {
	return &heldLink{ResponseRecorder: httptest.NewRecorder(), changed: make(chan struct{})}
}

// SetWriteDeadline is the method that http.ResponseController calls.
func (l *heldLink) SetWriteDeadline(at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = at
	close(l.changed)
	l.changed = make(chan struct{})
	return nil
}

// Write implements http.ResponseWriter. While the link holds, it waits for the deadline.
func (l *heldLink) Write(b []byte) (int, error) {
	if !l.hold {
		return l.ResponseRecorder.Write(b)
	}
	for {
		l.mu.Lock()
		deadline, changed := l.deadline, l.changed
		l.mu.Unlock()
		var passed <-chan time.Time
		if !deadline.IsZero() {
			passed = time.After(time.Until(deadline))
		}
		select {
		case <-changed:
		case <-passed:
			return 0, os.ErrDeadlineExceeded
		}
	}
}

// openBack serves a back channel of a new session on w until the session ends or the channel must. It returns when the
// channel waits for output.
func openBack(t *testing.T, w http.ResponseWriter) (s *session, left chan struct{}) {
	t.Helper()
	o := Options{Log: slog.New(slog.DiscardHandler)}
	o.EnsureDefaults()
	s, left = newSession(newHandler(o, nil), "s", 1), make(chan struct{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	b := s.attach(0)
	go func() {
		defer close(left)
		s.serveBack(w, r, b, 0, backQuery{streaming: true, hold: o.KeepAlive})
	}()
	synctest.Wait()
	return s, left
}

// TestSmallMessagesAreWrittenBySend checks that a small message has been written when send returns, and that send does
// not wait for the write of a larger one.
func TestSmallMessagesAreWrittenBySend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHeldLink()
		s, left := openBack(t, w)
		for i, text := range []string{"1", `"é"`, strings.Repeat("2", smallPiece)} {
			if err := s.send(t.Context(), []byte(text), false); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(w.Body.String(), "["+text+"]") {
				t.Errorf("message %d is not written when send returns", i)
			}
			synctest.Wait()
		}
		w.hold = true
		if err := s.send(t.Context(), []byte(strings.Repeat("3", piece+1)), false); err != nil {
			t.Fatal(err)
		}
		_ = w.SetWriteDeadline(clock.Passed()) // the write fails, and the channel ends
		<-left
		s.close()
	})
}

// TestStuckWriteIsCut blocks the stream's goroutine in a write to a client that does not read, and opens another back
// channel. The write must fail, the old channel must end, and the new one must have the message.
func TestStuckWriteIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHeldLink()
		s, left := openBack(t, w)
		w.hold = true
		sent := make(chan error)
		go func() { sent <- s.send(t.Context(), []byte("7"), false) }()
		synctest.Wait()
		began := time.Now()
		newer := s.attach(1)
		<-left
		if took := time.Since(began); took > leaveAfter {
			t.Errorf("the old channel ended after %v, want at most %v", took, leaveAfter)
		}
		if err := <-sent; err != nil {
			t.Errorf("send = %v, want that the message waits for the new channel", err)
		}
		if arrays, _ := s.unsent(nil, newer, 1, maxChunk); len(arrays) != 1 || string(arrays[0].payload) != "[7]" {
			t.Errorf("the new channel has %v, want the message", arrays)
		}
		s.close()
		if err := s.send(t.Context(), []byte("8"), false); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("send to an ended session = %v", err)
		}
	})
}
