package readlease

import (
	"sync/atomic"
	"time"
)

// Held is the lease that a node holds for reads by T. The zero Held is no lease. It is safe for concurrent use.
type Held[T comparable] struct{ p atomic.Pointer[held[T]] }

// held is a lease.
type held[T comparable] struct {
	by    T
	until time.Duration
}

// Put replaces the lease by one that lasts for a duration from the time at which its request was sent. Times are those
// of a monotonic clock. The node must have all that the response names.
func (h *Held[T]) Put(by T, sent, lasts time.Duration) {
	h.p.Store(&held[T]{by, sent + lasts})
}

// Drop ends the lease. After Drop, a further request may be sent.
func (h *Held[T]) Drop() { h.p.Store(nil) }

// Valid reports whether reads by T at the present time, which now returns, need no read index. The lease is loaded
// before the time is read: it was not dropped then, and lasted longer than that.
func (h *Held[T]) Valid(by T, now func() time.Duration) bool {
	l := h.p.Load()
	return l != nil && l.by == by && now() < l.until
}
