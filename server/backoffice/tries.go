package backoffice

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"clave/server/internal/base/clock"
	ratelimit "clave/server/internal/limit/rate"
)

// An address may send maxTries wrong codes in triesWindow.
const (
	maxTries    = 5
	triesWindow = 15 * time.Minute
)

// wideTries are the numbers of wrong codes that the networks of a longer IPv6 prefix may send together in triesWindow.
// A customer of a hosting provider has a /48 and could otherwise use up allTries alone.
var wideTries = []struct{ bits, most int }{{48, 10}, {32, 20}}

// All addresses together may send allTries wrong codes at once, and one more every allInterval.
const (
	allTries    = 100
	allInterval = 36 * time.Second
)

// tries limits wrong codes by address and over all addresses together. The second limit also bounds how many addresses
// are kept. doc/decisions/0014-window-of-wrong-codes.md explains why the first one is a window and not a bucket of
// package rate.
type tries struct {
	clock clock.Clock
	// all has a token for each wrong code that is still allowed.
	all *rate.Limiter
	mu  struct {
		sync.Mutex
		// wrong holds the times of a network's wrong codes in the window, oldest first.
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
	all := windowsOf(from)
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	var wait time.Duration
	for _, w := range all {
		if recent := since(t.mu.wrong[w.network], now.Add(-triesWindow)); len(recent) >= w.most {
			wait = max(wait, recent[len(recent)-w.most].Add(triesWindow).Sub(now))
		}
	}
	if wait > 0 {
		return wait
	}
	if missing := 1 - t.all.TokensAt(now); missing > 0 {
		return time.Duration(missing * float64(allInterval))
	}
	if right {
		return 0
	}
	t.all.AllowN(now, 1)
	t.evictLocked(now)
	for _, w := range all {
		t.mu.wrong[w.network] = append(since(t.mu.wrong[w.network], now.Add(-triesWindow)), now)
	}
	return 0
}

// window is a network with the number of wrong codes that it may send in triesWindow.
type window struct {
	network netip.Prefix
	most    int
}

// windowsOf returns the networks of which an address is.
func windowsOf(from netip.Addr) []window {
	network := ratelimit.Network(from)
	all := []window{{network, maxTries}}
	if !network.Addr().Is6() {
		return all
	}
	for _, w := range wideTries {
		all = append(all, window{netip.PrefixFrom(network.Addr(), w.bits).Masked(), w.most})
	}
	return all
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
