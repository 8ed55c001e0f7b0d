package identity

import (
	"net/netip"
	"sync"
	"time"

	"clave/server/clock"
)

// action is what is limited.
type action string

// The limited actions.
const (
	limitSignIn action = "sign-in"
	limitSignUp action = "sign-up"
	limitCode   action = "code"
	limitFactor action = "factor"
)

// allowance is how often something may happen: burst at once, and once more each refill.
type allowance struct {
	burst  int
	refill time.Duration
}

// Allowances by network address and by account. New accounts are Firebase's 100 an hour for an address.
var (
	byAddress = map[action]allowance{
		limitSignIn: {60, 2 * time.Second}, limitSignUp: {100, 36 * time.Second}, limitCode: {30, 24 * time.Second}, limitFactor: {60, 2 * time.Second},
	}
	byAccount = map[action]allowance{
		limitSignIn: {10, 30 * time.Second}, limitCode: {5, 5 * time.Minute}, limitFactor: {5, time.Minute},
	}
)

// limiter counts what happens by key, in token buckets.
type limiter struct {
	clock clock.Clock
	mu    struct {
		sync.Mutex
		buckets map[string]*bucket
	}
}

// bucket is full when it is as old as burst refills.
type bucket struct {
	// since is the moment from which refills count.
	since time.Time
	life  time.Duration
}

// newLimiter returns a limiter.
func newLimiter(c clock.Clock) *limiter {
	l := &limiter{clock: c}
	l.mu.buckets = make(map[string]*bucket)
	return l
}

// maxBuckets is how many keys are remembered; full buckets are forgotten first.
const maxBuckets = 100_000

// allow takes one from a key's allowance and reports whether there was one.
func (l *limiter) allow(key string, a allowance) bool {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	life := time.Duration(a.burst) * a.refill
	b := l.mu.buckets[key]
	if b == nil {
		if len(l.mu.buckets) >= maxBuckets {
			l.sweepLocked(now)
		}
		b = &bucket{since: now.Add(-life), life: life}
		l.mu.buckets[key] = b
	}
	if oldest := now.Add(-life); b.since.Before(oldest) {
		b.since = oldest
	}
	next := b.since.Add(a.refill)
	if next.After(now) {
		return false
	}
	b.since = next
	return true
}

// sweepLocked forgets full buckets, and all of them when that is not enough.
func (l *limiter) sweepLocked(now time.Time) {
	for key, b := range l.mu.buckets {
		if now.Sub(b.since) >= b.life {
			delete(l.mu.buckets, key)
		}
	}
	if len(l.mu.buckets) >= maxBuckets {
		clear(l.mu.buckets)
	}
}

// forget gives a key its whole allowance back, as after a good sign-in.
func (l *limiter) forget(what action, account string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.mu.buckets, accountKey(what, account))
}

// accountKey is the key of an account's bucket. What is too long to name an account is cut, so that keys stay small.
func accountKey(what action, account string) string {
	const longest = 512
	return string(what) + "\x00a\x00" + account[:min(len(account), longest)]
}

// networkKey is the key of the bucket of whoever holds a network address: an IPv4 address, or the 64 bits of an IPv6 one
// that a household or a server is given to choose addresses from.
func networkKey(what action, address string) string {
	holder := address
	if a, err := netip.ParseAddr(address); err == nil {
		a = a.Unmap().WithZone("")
		holder = a.String()
		const household = 64
		if p, err := a.Prefix(household); a.Is6() && err == nil {
			holder = p.String()
		}
	}
	return string(what) + "\x00n\x00" + holder
}

// limit counts an action of a client by its address and by the account that it is about, if any.
func (s *Service) limit(c Call, what action, account string) error {
	if !s.o.RateLimits {
		return nil
	}
	if c.Address != "" && !s.limits.allow(networkKey(what, c.Address), byAddress[what]) {
		return no("TOO_MANY_ATTEMPTS_TRY_LATER")
	}
	if account == "" {
		return nil
	}
	if a, ok := byAccount[what]; ok && !s.limits.allow(accountKey(what, c.Tenant+"\x00"+account), a) {
		return no("TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts.")
	}
	return nil
}
