package pebble

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/store"
)

// TestACallDuringClose starts a read on an open store while Close waits for a write. The read must return ErrClosed
// without waiting for Close.
func TestACallDuringClose(t *testing.T) {
	s, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	s.mu.RLock() // The write.
	drained := make(chan struct{})
	go func() {
		s.drain() // What Close does after isClosing reports true.
		close(drained)
	}()
	for s.mu.TryRLock() { // Until Close waits.
		s.mu.RUnlock()
		runtime.Gosched()
	}
	read := make(chan error, 1)
	go func() {
		_, _, err := s.Get([]byte("a"))
		read <- err
	}()
	select {
	case err = <-read:
	case <-time.After(30 * time.Second):
		err = errors.New("the read has not returned after 30 seconds")
	}
	s.mu.RUnlock()
	<-drained
	if !errors.Is(err, store.ErrClosed) {
		t.Errorf("a read while Close waits: %v, want ErrClosed", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
}
