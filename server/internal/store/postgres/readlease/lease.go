package readlease

import (
	"sync/atomic"
	"time"
)

// Lease is the lease of a node for reads by T. The zero Lease is none. It is safe for concurrent use.
type Lease[T comparable] struct{ p atomic.Pointer[granted[T]] }

// granted is for whose reads a lease was granted, and when it ends.
type granted[T comparable] struct {
	by    T
	until time.Duration
}

// Put replaces the lease by one that lasts for a duration from the time at which its request was sent. Times are those
// of a monotonic clock. The node must have all that the response names.
func (l *Lease[T]) Put(by T, sent, lasts time.Duration) {
	l.p.Store(&granted[T]{by, sent + lasts})
}

// Drop ends the lease. After Drop, a further request may be sent.
func (l *Lease[T]) Drop() { l.p.Store(nil) }

// Valid reports whether reads by T at the present time, which now returns, need no read index. The lease is loaded
// before the time is read: it was not dropped then, and lasted longer than that.
func (l *Lease[T]) Valid(by T, now func() time.Duration) bool {
	g := l.p.Load()
	return g != nil && g.by == by && now() < g.until
}
