package backoffice

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"clave/server/clock"
	"clave/server/ratelimit"
)

// An address may send maxTries wrong codes in triesWindow.
const (
	maxTries    = 5
	triesWindow = 15 * time.Minute
)

// All addresses together may send allTries wrong codes at once, and one more every allInterval. This also limits clients with
// many addresses, such as a /48 of IPv6.
const (
	allTries    = 100
	allInterval = 36 * time.Second
)

// tries limits wrong codes by address and over all addresses together. The second limit also bounds how many addresses
// are kept. doc/decisions/0014-window-of-wrong-codes.md explains why the first one is a window and not a bucket of package ratelimit.
type tries struct {
	clock clock.Clock
	// all has a token for each wrong code that is still allowed.
	all *rate.Limiter
	mu  struct {
		sync.Mutex
		// wrong holds the times of an address's wrong codes in the window, oldest first, at most maxTries.
		wrong map[netip.Prefix][]time.Time
	}
}

// newTries returns a limiter without tries.
func newTries(c clock.Clock) *tries {
	t := &tries{clock: c, all: rate.NewLimiter(rate.Every(allInterval), allTries)}
	t.mu.wrong = make(map[netip.Prefix][]time.Time)
	return t
}

// count counts a try and returns zero if its code may be compared, and otherwise the time to wait before the next try.
// A right code is not counted, and a refused try does not extend the wait.
func (t *tries) count(from netip.Addr, right bool) time.Duration {
	key := ratelimit.Network(from)
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	recent := since(t.mu.wrong[key], now.Add(-triesWindow))
	if len(recent) >= maxTries {
		return recent[0].Add(triesWindow).Sub(now)
	}
	if missing := 1 - t.all.TokensAt(now); missing > 0 {
		return time.Duration(missing * float64(allInterval))
	}
	if right {
		return 0
	}
	t.all.AllowN(now, 1)
	t.evictLocked(now)
	t.mu.wrong[key] = append(recent, now)
	return 0
}

// evictLocked removes the addresses whose window has passed. The caller holds the lock.
func (t *tries) evictLocked(now time.Time) {
	for key, times := range t.mu.wrong {
		if !times[len(times)-1].After(now.Add(-triesWindow)) {
			delete(t.mu.wrong, key)
		}
	}
}

// since returns the times after start, in a new slice.
func since(times []time.Time, start time.Time) []time.Time {
	kept := make([]time.Time, 0, maxTries)
	for _, at := range times {
		if at.After(start) {
			kept = append(kept, at)
		}
	}
	return kept
}
