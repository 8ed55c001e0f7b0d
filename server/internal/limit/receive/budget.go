package receive

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Options configures a Budget.
type Options struct {
	// Bytes is the maximum number of bytes of all requests together; zero means 96 MiB. Small requests may exceed it by a
	// quarter.
	Bytes int64
	// Wait is the time for which a request waits for the budget; zero means 3 s.
	Wait time.Duration
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Bytes == 0 {
		o.Bytes = 96 << 20
	}
	if o.Wait == 0 {
		o.Wait = 3 * time.Second
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
}

// Requests of up to small bytes are small. A request that has received less than slowRate bytes a second for slowAfter
// or longer is slow.
const (
	small     = 64 << 10
	slowRate  = 64 << 10
	slowAfter = time.Second
)

// Budget is the memory for requests, in bytes. It is safe for concurrent use.
type Budget struct {
	o Options
	// responses is the number of large responses that wait for their bytes.
	responses atomic.Int64
	// reads has an element for each read that has begun. It is never closed.
	reads chan struct{}
	mu    struct {
		sync.Mutex
		used  int64
		holds map[*Hold]struct{}
		// freed is closed and replaced if bytes are returned while requests wait.
		freed   chan struct{}
		waiting int
	}
}

// New returns a budget.
func New(o Options) *Budget {
	o.EnsureDefaults()
	b := &Budget{o: o, reads: make(chan struct{}, mostReads)}
	b.mu.holds = make(map[*Hold]struct{})
	b.mu.freed = make(chan struct{})
	return b
}

// Used returns how many bytes are held.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.used
}

// Hold is the share of one request, or one connection, in a budget.
type Hold struct {
	budget *Budget
	// evict ends the receiving; it is called at most once, by another goroutine. A hold without it is never slow.
	evict func()
	// The budget's lock guards the other fields: the held bytes, the time of the last received bytes, the time and the
	// number of received bytes at the start of the present second of measuring, and the rate of the previous second.
	held, received int64
	last, mark     time.Time
	marked         int64
	rate           float64
	// waits is set while the hold waits for the budget: the sender is not slow then. complete is set once all bytes are
	// received, and ended by Release.
	waits, complete, evicted, ended bool
}

// Hold returns an empty hold. The budget calls evict, which must not block, if the hold receives too slowly while
// others wait; nil means that the hold is never evicted.
func (b *Budget) Hold(evict func()) *Hold {
	now := b.o.Clock.Now()
	h := &Hold{budget: b, evict: evict, last: now, mark: now}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.holds[h] = struct{}{}
	return h
}

// Take takes n bytes of the budget for data that were or will be received. It waits for them. It returns Unavailable if
// there are none or the hold was evicted, and CANCELLED or DEADLINE_EXCEEDED if ctx is done; nothing was taken then.
func (h *Hold) Take(ctx context.Context, n int64) error {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.takeLocked(h, n) {
		return nil
	}
	late, stop := b.o.Clock.After(b.o.Wait)
	defer stop()
	b.mu.waiting++
	h.waits = true
	defer func() {
		b.mu.waiting--
		h.waits = false
		h.last = b.o.Clock.Now()
		h.mark, h.marked, h.rate = h.last, h.received, slowRate
	}()
	for !h.evicted {
		b.evictLocked()
		freed := b.mu.freed
		again, stopAgain := b.o.Clock.After(slowAfter / 4) // other holds may become slow during the wait
		b.mu.Unlock()
		var err error
		select {
		case <-freed:
		case <-again:
		case <-late:
			err = errFull()
		case <-ctx.Done():
			err = errGone(ctx)
		}
		stopAgain()
		b.mu.Lock()
		if err != nil {
			return err
		}
		if b.takeLocked(h, n) {
			return nil
		}
	}
	return errFull()
}

// Keep takes n bytes that have been received within the budget and are kept beyond their request. It does not wait and
// may exceed the budget until that request has been answered: the bytes are counted twice meanwhile.
func (h *Hold) Keep(n int64) {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.ended {
		return
	}
	b.mu.used += n
	h.held += n
	h.received += n
	h.last = b.o.Clock.Now()
}

// errFull returns the error for a request if the budget is used up.
func errFull() error {
	return fault.E(fault.Unavailable, "The server has too many large requests in progress. Try again.")
}

// errGone returns the error for a request that was canceled, or reached its deadline, while it waited.
func errGone(ctx context.Context) error {
	return fault.Ended(ctx.Err(), "The request was canceled while it waited.")
}

// takeLocked takes bytes if enough are free; mu is held.
func (b *Budget) takeLocked(h *Hold, n int64) bool {
	limit := b.o.Bytes
	if h.held+n <= small {
		limit += limit / 4
	}
	if h.evicted || b.mu.used+n > limit {
		return false
	}
	b.mu.used += n
	h.held += n
	h.received += n
	h.last = b.o.Clock.Now()
	if now := h.last; now.Sub(h.mark) >= slowAfter {
		h.rate = float64(h.received-h.marked) / now.Sub(h.mark).Seconds()
		h.mark, h.marked = now, h.received
	}
	return true
}

// slow reports whether a hold receives too slowly; the budget's lock is held.
func (h *Hold) slow(now time.Time) bool {
	if h.evict == nil || h.held == 0 || h.waits || h.complete || h.evicted {
		return false
	}
	return now.Sub(h.last) >= slowAfter || h.marked > 0 && h.rate < slowRate
}

// evictLocked evicts the slow hold that holds the most; mu is held.
func (b *Budget) evictLocked() {
	now := b.o.Clock.Now()
	var most *Hold
	for h := range b.mu.holds {
		if h.slow(now) && (most == nil || h.held > most.held) {
			most = h
		}
	}
	if most != nil {
		most.evicted = true
		most.evict()
	}
}

// Complete marks the request as received. From then on the hold is not slow, because it waits for the server and not
// for the client.
func (h *Hold) Complete() {
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.complete = true
}

// Return returns n bytes. If two goroutines share a hold, it may be called before the Take of some of them.
func (h *Hold) Return(n int64) {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.returnLocked(h, n)
}

// returnLocked returns bytes; mu is held.
func (b *Budget) returnLocked(h *Hold, n int64) {
	if h.ended {
		return
	}
	h.held -= n
	b.mu.used -= n
	if n > 0 && b.mu.waiting > 0 {
		close(b.mu.freed)
		b.mu.freed = make(chan struct{})
	}
}

// Release returns all bytes and ends the hold. It may be called more than once.
func (h *Hold) Release() {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.returnLocked(h, h.held)
	delete(b.mu.holds, h)
	h.evicted, h.ended = true, true
}
