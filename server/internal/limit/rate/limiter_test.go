package rate_test

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/limit/rate"
)

// start is the initial time of the tests' clocks.
var start = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

// allowed counts how many of n successive events are allowed.
func allowed(n int, allow func() bool) int {
	count := 0
	for range n {
		if allow() {
			count++
		}
	}
	return count
}

func TestLimiterBurstAndRefill(t *testing.T) {
	c := clocktest.NewManual(start)
	l := rate.New(rate.Options{Clock: c})
	r := rate.Rate{Burst: 3, Every: 10 * time.Second}
	take := func() bool { return l.Allow("k", r) }
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, 3}, {9 * time.Second, 0}, {time.Second, 1}, {20 * time.Second, 2}, {time.Hour, 3}} {
		c.Advance(step.pass)
		if got := allowed(5, take); got != step.want {
			t.Errorf("after %v more: %d events were allowed, want %d", step.pass, got, step.want)
		}
	}
	if wait := l.Take(rate.Demand{Key: "k", Rate: r}); wait != 10*time.Second {
		t.Errorf("the wait for the next token is %v, want 10s", wait)
	}
	if !l.Allow("another", r) {
		t.Error("a key was limited by another's events")
	}
}

func TestLimiterReturnAndReset(t *testing.T) {
	l := rate.New(rate.Options{Clock: clocktest.NewManual(start)})
	r := rate.Rate{Burst: 2, Every: time.Minute}
	d := rate.Demand{Key: "k", Rate: r}
	take := func() bool { return l.Take(d) == 0 }
	allowed(2, take)
	l.Return(d)
	if got := allowed(3, take); got != 1 {
		t.Errorf("after one token was returned %d events were allowed, want 1", got)
	}
	for range 5 {
		l.Return(d)
	}
	if got := allowed(5, take); got != 2 {
		t.Errorf("after more tokens were returned than taken %d events were allowed, want the burst of 2", got)
	}
	l.Reset("k")
	if got := allowed(5, take); got != 2 {
		t.Errorf("after a reset %d events were allowed, want 2", got)
	}
}

func TestLimiterTakesAllOrNothing(t *testing.T) {
	l := rate.New(rate.Options{Clock: clocktest.NewManual(start)})
	narrow, wide := rate.Demand{Key: "n", Rate: rate.Rate{Burst: 1, Every: time.Minute}}, rate.Demand{Key: "w", Rate: rate.Rate{Burst: 2, Every: time.Minute}}
	if got := allowed(10, func() bool { return l.Take(narrow, wide) == 0 }); got != 1 {
		t.Errorf("%d events were allowed, want 1", got)
	}
	if !l.Allow("w", wide.Rate) {
		t.Error("events that one key refused were counted for the other")
	}
}

// TestLimiterKeepsEmptyBucketsUnderAttack fills a Limiter with more keys than it can hold. An exhausted key must remain
// exhausted.
func TestLimiterKeepsEmptyBucketsUnderAttack(t *testing.T) {
	const keys = 1000
	l := rate.New(rate.Options{Clock: clocktest.NewManual(start), MaxKeys: keys})
	r := rate.Rate{Burst: 3, Every: time.Minute}
	allowed(3, func() bool { return l.Allow("target", r) })
	for i := range 20 * keys {
		l.Allow(fmt.Sprint("other ", i), r)
	}
	if l.Allow("target", r) {
		t.Error("an exhausted key was dropped when other keys arrived")
	}
	if n := l.Len(); n > keys {
		t.Errorf("%d keys are remembered, want %d at most", n, keys)
	}
}

func TestLimiterDropsFullBuckets(t *testing.T) {
	c := clocktest.NewManual(start)
	l := rate.New(rate.Options{Clock: c})
	r := rate.Rate{Burst: 3, Every: time.Second}
	for i := range 1000 {
		l.Allow(fmt.Sprint("old ", i), r)
	}
	c.Advance(time.Minute)
	for i := range 500 {
		l.Allow(fmt.Sprint("new ", i), r)
	}
	if n := l.Len(); n > 500 {
		t.Errorf("%d keys are remembered, want 500: the older ones are full again", n)
	}
}

func TestLimiterConcurrently(t *testing.T) {
	l := rate.New(rate.Options{Clock: clocktest.NewManual(start), MaxKeys: 50})
	r := rate.Rate{Burst: 100, Every: time.Hour}
	var all sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for w := range 8 {
		all.Go(func() {
			n := 0
			for i := range 200 {
				if l.Allow("shared", r) {
					n++
				}
				l.Allow(fmt.Sprint(w, i), r)
			}
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
	}
	all.Wait()
	if total != 100 {
		t.Errorf("%d events of the shared key were allowed, want 100", total)
	}
}

func TestAddresses(t *testing.T) {
	one := rate.Rate{Burst: 4, Every: time.Minute}
	tests := []struct {
		name  string
		total rate.Rate
		next  func(i int) string
		want  int
	}{
		{"one IPv4 address", rate.Rate{}, func(int) string { return "192.0.2.1" }, 4},
		{"IPv4 written as IPv6", rate.Rate{}, func(i int) string { return []string{"192.0.2.1", "::ffff:192.0.2.1"}[i%2] }, 4},
		{"addresses of one /64", rate.Rate{}, func(i int) string { return fmt.Sprintf("2001:db8:1:1::%x", i+1) }, 4},
		{"zones", rate.Rate{}, func(i int) string { return fmt.Sprintf("fe80::1%%eth%d", i) }, 4},
		{"many /64 of one /48", rate.Rate{}, func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i) }, 32},
		{"many /48 of one /32", rate.Rate{}, func(i int) string { return fmt.Sprintf("2001:db8:%x::1", i) }, 256},
		{"IPv4 addresses", rate.Rate{}, func(i int) string { return fmt.Sprintf("198.51.%d.%d", i/256, i%256) }, 1000},
		{"IPv4 addresses with a total", rate.Rate{Burst: 7, Every: time.Minute}, func(i int) string { return fmt.Sprintf("198.51.%d.%d", i/256, i%256) }, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := rate.NewAddresses(rate.AddressOptions{Options: rate.Options{Clock: clocktest.NewManual(start)}, Rate: one, Total: tt.total})
			i := -1
			got := allowed(1000, func() bool { i++; return a.Allow(netip.MustParseAddr(tt.next(i))) })
			if got != tt.want {
				t.Errorf("%d of 1000 events were allowed, want %d", got, tt.want)
			}
		})
	}
}

func TestReturnRefillsAnAddress(t *testing.T) {
	a := rate.NewAddresses(rate.AddressOptions{
		Options: rate.Options{Clock: clocktest.NewManual(start)}, Rate: rate.Rate{Burst: 1, Every: time.Minute}, Total: rate.Rate{Burst: 1, Every: time.Minute},
	})
	from := netip.MustParseAddr("2001:db8::1")
	for i := range 3 {
		if !a.Allow(from) {
			t.Fatalf("event %d was refused though all before it were returned", i)
		}
		a.Return(from)
	}
	if wait := a.Take(netip.Addr{}); wait != 0 {
		t.Errorf("an event without address has to wait %v, want 0", wait)
	}
	if wait := a.Take(netip.Addr{}); wait != time.Minute {
		t.Errorf("a second event without address has to wait %v, want 1m", wait)
	}
}

func BenchmarkTake(b *testing.B) {
	l := rate.New(rate.Options{})
	r := rate.Rate{Burst: 100, Every: time.Second}
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = fmt.Sprint("192.0.2.", i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Allow(keys[i%len(keys)], r)
	}
}
