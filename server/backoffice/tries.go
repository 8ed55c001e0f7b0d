package backoffice

import (
	"net/netip"
	"sync"
	"time"

	"clave/server/clock"
)

// An address may be wrong so many times in so long a time.
const (
	maxTries    = 5
	triesWindow = 15 * time.Minute
)

// maxAddresses bounds the memory spent on addresses; past it the one that was wrong longest ago is forgotten.
const maxAddresses = 1 << 14

// tries counts wrong codes by address.
type tries struct {
	clock clock.Clock
	mu    struct {
		sync.Mutex
		// wrong holds the moments of an address's wrong codes in the window, oldest first, at most maxTries.
		wrong map[netip.Prefix][]time.Time
	}
}

// newTries returns a counter that has seen nothing.
func newTries(c clock.Clock) *tries {
	t := &tries{clock: c}
	t.mu.wrong = make(map[netip.Prefix][]time.Time)
	return t
}

// count notes a try and returns how long its sender must wait before it is looked at: zero when it may be now. A
// right code is not counted, and a refused try does not make the wait longer.
func (t *tries) count(from netip.Addr, right bool) time.Duration {
	key := network(from)
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	recent := since(t.mu.wrong[key], now.Add(-triesWindow))
	if len(recent) >= maxTries {
		t.mu.wrong[key] = recent
		return recent[0].Add(triesWindow).Sub(now)
	}
	if right {
		return 0
	}
	if _, known := t.mu.wrong[key]; !known && len(t.mu.wrong) >= maxAddresses {
		t.forgetLocked(now)
	}
	t.mu.wrong[key] = append(recent, now)
	return 0
}

// forgetLocked drops the addresses whose window has passed, or else the one that was wrong longest ago.
func (t *tries) forgetLocked(now time.Time) {
	var oldest netip.Prefix
	var when time.Time
	for key, moments := range t.mu.wrong {
		last := moments[len(moments)-1]
		if last.Add(triesWindow).Before(now) {
			delete(t.mu.wrong, key)
			continue
		}
		if when.IsZero() || last.Before(when) {
			oldest, when = key, last
		}
	}
	if len(t.mu.wrong) >= maxAddresses {
		delete(t.mu.wrong, oldest)
	}
}

// since returns the moments after start, in a slice of their own.
func since(moments []time.Time, start time.Time) []time.Time {
	kept := make([]time.Time, 0, maxTries)
	for _, m := range moments {
		if m.After(start) {
			kept = append(kept, m)
		}
	}
	return kept
}

// network returns what one visitor holds of the address space: an IPv4 address, or the /64 of an IPv6 one.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}
