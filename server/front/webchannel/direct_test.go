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
)

// heldLink is a ResponseWriter whose writes block, once hold is set, until their deadline is in the past.
type heldLink struct {
	*httptest.ResponseRecorder
	hold bool
	// cut is closed at a deadline in the past.
	cut  chan struct{}
	once sync.Once
}

// SetWriteDeadline is the method that http.ResponseController calls.
func (l *heldLink) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() && at.Before(time.Now()) {
		l.once.Do(func() { close(l.cut) })
	}
	return nil
}

// Write implements http.ResponseWriter.
func (l *heldLink) Write(b []byte) (int, error) {
	if l.hold {
		<-l.cut
		return 0, os.ErrDeadlineExceeded
	}
	return l.ResponseRecorder.Write(b)
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
		w := &heldLink{ResponseRecorder: httptest.NewRecorder(), cut: make(chan struct{})}
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
		close(w.cut) // the write fails, and the channel ends
		<-left
		s.close()
	})
}

// TestStuckWriteIsCut blocks the stream's goroutine in a write to a client that does not read, and opens another back
// channel. The write must fail, the old channel must end, and the new one must have the message.
func TestStuckWriteIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &heldLink{ResponseRecorder: httptest.NewRecorder(), cut: make(chan struct{})}
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
