package quota

import (
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/rate"
)

// Options configure a Quota.
type Options struct {
	// Bytes is the maximum number of bytes of all shares together.
	Bytes int64
	// Network is the maximum number of bytes of one network; zero means no limit of its own.
	Network int64
	// Pressed is the time after which a request that waits asks those that hold bytes to return them (Quota.Pressed); zero
	// means 3 s.
	Pressed time.Duration
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Full is the error of a Take for which there is no room; nil means Unavailable.
	Full error
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Pressed == 0 {
		o.Pressed = 3 * time.Second
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Full == nil {
		o.Full = fault.E(fault.Unavailable, "The server has too many large requests in progress. Try again.")
	}
}

// Network returns the name of a client's network: an IPv4 address or an IPv6 /64. It is empty for clients at this
// machine and without an address, which only the limit of all clients applies to.
func Network(address netip.Addr) string {
	if !address.IsValid() || address.Unmap().IsLoopback() {
		return ""
	}
	return rate.Network(address).String()
}

// Quota counts the bytes of all shares. It is safe for concurrent use.
type Quota struct {
	o    Options
	used atomic.Int64
	// waiting is the number of waiting shares. It is changed under mu.
	waiting atomic.Int64
	mu      struct {
		sync.Mutex
		// networks holds the networks that hold bytes or wait.
		networks map[string]*network
		// pressed is closed and replaced when a request has waited for long.
		pressed chan struct{}
		// order has the networks with waiting shares, in the order of their turns.
		order []*network
	}
}

// network is what a network holds. The empty name is that of all clients that have none.
type network struct {
	name string
	used atomic.Int64
	// shares is the number of shares that refer to the network, and waiting those that wait, the first one first. Both
	// are guarded by Quota.mu.
	shares  int
	waiting []*request
}

// request is a request of a share that waits.
type request struct {
	bytes   int64
	granted chan struct{}
}

// New returns a quota of which nothing is used.
func New(o Options) *Quota {
	o.EnsureDefaults()
	q := &Quota{o: o}
	q.mu.networks = make(map[string]*network)
	q.mu.pressed = make(chan struct{})
	return q
}

// Pressed returns a channel that is closed when a request has waited for Options.Pressed. Who holds bytes and waits for
// something else should return them then: that may depend on the request.
func (q *Quota) Pressed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.pressed
}

// press closes the channel of Pressed.
func (q *Quota) press() {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.mu.pressed)
	q.mu.pressed = make(chan struct{})
}

// Most returns the number of bytes that all shares may hold.
func (q *Quota) Most() int64 { return q.o.Bytes }

// Used returns the number of bytes that are held.
func (q *Quota) Used() int64 { return q.used.Load() }

// room is the result of an attempt to take bytes.
type room int

// The results of an attempt: there is room, or the network or all clients hold too much.
const (
	enough room = iota
	networkFull
	allFull
)

// try takes bytes for a network; nil stands for clients without one. A network that holds nothing may exceed its part
// if alone is set.
func (q *Quota) try(of *network, n int64, alone bool) room {
	limited := of != nil && of.name != "" && q.o.Network > 0
	if limited && !add(&of.used, n, q.o.Network, alone) {
		return networkFull
	}
	if add(&q.used, n, q.o.Bytes, false) {
		return enough
	}
	if limited {
		of.used.Add(-n)
	}
	return allFull
}

// add adds n to a count unless the sum exceeds most. It may exceed it if alone is set and the count is zero.
func add(count *atomic.Int64, n, most int64, alone bool) bool {
	for {
		before := count.Load()
		if before+n > most && (!alone || before > 0) {
			return false
		}
		if count.CompareAndSwap(before, before+n) {
			return true
		}
	}
}

// give returns bytes of a network, and serves those that wait for them.
func (q *Quota) give(of *network, n int64) {
	if of != nil && of.name != "" && q.o.Network > 0 {
		of.used.Add(-n)
	}
	q.used.Add(-n)
	q.serve()
}

// serve grants the requests for which there is room, if any wait.
func (q *Quota) serve() {
	if q.waiting.Load() == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.serveLocked()
}

// serveLocked grants the requests for which there is room; mu is held.
func (q *Quota) serveLocked() {
	for i := 0; i < len(q.mu.order); {
		of := q.mu.order[i]
		r := of.waiting[0]
		switch q.try(of, r.bytes, true) {
		case allFull:
			return // Those behind must not pass, or a large request would never find room.
		case networkFull:
			i++
		case enough:
			close(r.granted)
			q.removeLocked(of, r)
			q.mu.order = slices.Delete(q.mu.order, i, i+1)
			if len(of.waiting) > 0 { // The others have their turns first.
				q.mu.order = append(q.mu.order, of)
			}
		}
	}
}
