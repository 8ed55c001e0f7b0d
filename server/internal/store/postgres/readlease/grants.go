package readlease

import (
	"errors"
	"sync"
	"time"

	"clave/server/internal/base/clock"
)

// The default durations: of a lease, and of the time without a change after which leases are granted. While there are
// many changes, leases would only cost messages.
const (
	Longest = 300 * time.Millisecond
	Quiet   = 20 * time.Millisecond
)

// A node measures a lease as 1/marginPart shorter than its leader.
const marginPart = 32

// Options configure Grants.
type Options struct {
	// Leading returns the time for which this node is certain to lead, by the monotonic clock; at most 0 if it does not
	// lead.
	Leading func() time.Duration
	// Longest is the duration of a lease; zero means the default. Quiet is the time without a change after which leases
	// are granted; zero means the default, and a negative time none.
	Longest, Quiet time.Duration
	// Clock is the source of time; nil means the machine's clock. It must be monotonic.
	Clock clock.Clock
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Longest == 0 {
		o.Longest = Longest
	}
	if o.Quiet == 0 {
		o.Quiet = Quiet
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Leading == nil {
		return errors.New("readlease: grants need Leading")
	}
	return nil
}

// Holder is what a leader keeps of one sequence of requests of a node. A zero Holder has made no requests. Grants guard
// it.
type Holder struct {
	// until is the time until which the node may use a lease, and next what it will be once the node has processed the
	// last response. A zero time stands for no lease.
	until, next time.Time
}

// Grants are the leases that a leader grants. It is safe for concurrent use.
type Grants struct {
	o  Options
	mu struct {
		sync.Mutex
		closed bool
		// changing is the number of changes in progress, changes the number of changes so far, and ended the time at which
		// the last one has ended.
		changing int
		changes  uint64
		ended    time.Time
		// out holds the nodes that may use a lease.
		out map[*Holder]bool
		// turned is closed when a change begins, when the last one ends, and when the end of a lease is confirmed.
		turned chan struct{}
	}
}

// New returns Grants without leases.
func New(o Options) (*Grants, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	g := &Grants{o: o}
	g.mu.ended, g.mu.out, g.mu.turned = o.Clock.Now(), make(map[*Holder]bool), make(chan struct{})
	return g, nil
}

// turnLocked wakes those who wait for a change of the state. mu is held.
func (g *Grants) turnLocked() {
	close(g.mu.turned)
	g.mu.turned = make(chan struct{})
}

// Change is a change at the leader that is in progress.
type Change struct{ g *Grants }

// Change begins a change. No leases are granted until its end, and those in use are recalled.
func (g *Grants) Change() Change {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.beginLocked()
	return Change{g}
}

// beginLocked begins a change. mu is held.
func (g *Grants) beginLocked() {
	g.mu.changing++
	g.mu.changes++
	if len(g.mu.out) > 0 {
		g.turnLocked()
	}
}

// Wait waits until no node uses a lease: each has confirmed the end of its lease, or the lease has ended by time.
func (c Change) Wait() {
	for {
		left, turned := c.g.left()
		if left <= 0 {
			return
		}
		over, stop := c.g.o.Clock.After(left)
		select {
		case <-turned:
		case <-over:
		}
		stop()
	}
}

// End ends the change, which readers see by now, or which has failed.
func (c Change) End() {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	c.g.mu.changing--
	c.g.mu.ended = c.g.o.Clock.Now()
}

// left returns the time until all leases that may be in use have ended, or 0, and a channel that is closed when that
// may have changed.
func (g *Grants) left() (time.Duration, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, most := time.Time{}, time.Duration(0)
	for h := range g.mu.out {
		if now.IsZero() {
			now = g.o.Clock.Now()
		}
		if left := h.until.Sub(now); left > 0 {
			most = max(most, left)
			continue
		}
		h.until = time.Time{}
		delete(g.mu.out, h)
	}
	return most, g.mu.turned
}

// Close ends the granting of leases permanently, and waits until no node uses one.
func (g *Grants) Close() {
	g.mu.Lock()
	if !g.mu.closed {
		g.mu.closed = true
		g.beginLocked()
	}
	g.mu.Unlock()
	Change{g}.Wait()
}

// Arrived records the arrival of a node's request: the node has processed the response to its last one.
func (g *Grants) Arrived(h *Holder) {
	g.mu.Lock()
	defer g.mu.Unlock()
	had := !h.until.IsZero()
	h.until, h.next = h.next, time.Time{}
	if had && h.until.IsZero() {
		delete(g.mu.out, h)
		if g.mu.changing > 0 {
			g.turnLocked()
		}
	}
}

// Due reports whether the leader should respond now to a node's last request: to recall the node's lease, to replace it
// by a later one, or to grant the first one. If it should not yet, it may
// have to after a time, or once the channel is closed. requested is set if the request is for a lease.
func (g *Grants) Due(h *Holder, requested bool) (due bool, after time.Duration, turned <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.o.Clock.Now()
	end := g.endLocked(now)
	switch has := h.until.After(now); {
	case has && g.mu.changing > 0:
		return true, 0, nil
	case !requested || end.IsZero():
		after = g.o.Longest
	case has:
		// A third of the lease is over, and it can be replaced by a whole one. A node asks for the next one as soon as it has
		// one, and its leases last from the request on: two thirds pass until it has the next one. If half of the lease were
		// over, the next one would come at the end of the present one, and some reads would find neither.
		after = h.until.Add(g.o.Longest / 3).Sub(end)
	default:
		after = g.mu.ended.Add(g.o.Quiet).Sub(now)
	}
	if after <= 0 {
		return true, 0, nil
	}
	return false, after, g.mu.turned
}

// Recalled reports whether a node has a lease that is recalled. The channel is closed when that may have changed; it is
// nil without a lease.
func (g *Grants) Recalled(h *Holder) (recalled bool, turned <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !h.until.After(g.o.Clock.Now()) {
		return false, nil
	}
	return g.mu.changing > 0, g.mu.turned
}

// endLocked returns the end of a lease that would be granted now, and a zero time if none can be. mu is held.
func (g *Grants) endLocked(now time.Time) time.Time {
	if g.mu.closed || g.mu.changing > 0 {
		return time.Time{}
	}
	d := min(g.o.Longest, g.o.Leading())
	if d < g.o.Longest/4 {
		return time.Time{}
	}
	return now.Add(d)
}

// Mark is a moment without a change in progress.
type Mark struct {
	changes uint64
	valid   bool
}

// Mark returns the present moment.
func (g *Grants) Mark() Mark {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Mark{g.mu.changes, g.mu.changing == 0 && g.o.Clock.Now().Sub(g.mu.ended) >= g.o.Quiet}
}

// Grant grants a lease in the response to a node's request. received is a time between the arrival of the request and
// Mark. Before Grant and after Mark, the caller has found that the node has all that this leader shows. Grant returns
// the duration of the lease, counted from the time at which the node sent the request. It returns 0 if there is no
// lease, because there was a change since Mark, or shortly before.
func (g *Grants) Grant(h *Holder, m Mark, received time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !m.valid || m.changes != g.mu.changes {
		return 0
	}
	end := g.endLocked(g.o.Clock.Now())
	if end.IsZero() {
		return 0
	}
	h.next = end
	if end.After(h.until) {
		h.until = end
	}
	g.mu.out[h] = true
	d := end.Sub(received)
	return d - d/marginPart
}
