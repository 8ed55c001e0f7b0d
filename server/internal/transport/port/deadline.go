package port

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// lazyDeadline is a connection whose deadline of reads is set when it is needed. net/http sets it about eight times for
// a request, mostly to a later time or to none: then the earlier deadline remains, and when it passes during a read,
// the read sets the present one and continues.
type lazyDeadline struct {
	net.Conn
	mu struct {
		sync.Mutex
		// present is the deadline of reads, and inner the one that the inner connection has; zero means none.
		present, inner time.Time
	}
}

// SetReadDeadline implements net.Conn.
func (l *lazyDeadline) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.present = t
	if t.IsZero() || !l.mu.inner.IsZero() && !t.Before(l.mu.inner) {
		return nil
	}
	return l.setLocked()
}

// SetDeadline implements net.Conn.
func (l *lazyDeadline) SetDeadline(t time.Time) error {
	return errors.Join(l.SetReadDeadline(t), l.SetWriteDeadline(t))
}

// setLocked gives the present deadline to the inner connection; mu is held.
func (l *lazyDeadline) setLocked() error {
	l.mu.inner = l.mu.present
	return l.Conn.SetReadDeadline(l.mu.present)
}

// Read implements net.Conn.
func (l *lazyDeadline) Read(p []byte) (int, error) {
	for {
		n, err := l.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !l.renew() {
			return n, err
		}
	}
}

// renew gives the present deadline to the inner connection, whose one has passed. It returns false if the present one
// has passed.
func (l *lazyDeadline) renew() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.mu.inner.Equal(l.mu.present) && l.setLocked() == nil
}
