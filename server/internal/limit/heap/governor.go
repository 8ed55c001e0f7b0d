package heap

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"clave/server/internal/base/clock"
)

// The limits of garbage, in percent of the live heap: requests make much short-lived garbage beside a small live heap,
// and frequent collections take a tenth of the time. Garbage is limited to mostGarbage while the collector has little
// to scan for pointers: blocks of bytes, such as the store's tables and responses that wait for slow readers, are not
// scanned. With a large live heap the limit falls to leastGarbage, so that garbage and live heap take at most
// garbageSum bytes together while that is possible.
const (
	mostPercent  = 400
	leastPercent = 10
	mostGarbage  = 40 * mib
	leastGarbage = 16 * mib
	garbageSum   = 120 * mib
)

// The governor checks at each checkInterval whether a burst of work is over: fewer than burstBytes were allocated in
// the interval, and the heap holds at least minFreed bytes that are not live.
const (
	checkInterval = 5 * time.Second
	burstBytes    = 8 * mib
	minFreed      = 16 * mib
)

// minFreePages is the minimum of free pages, in bytes, that the heap keeps. With a much smaller one the heap would
// return pages that it needs again at once.
const minFreePages = 8 * mib

// Governor adjusts the garbage collector to the live heap.
type Governor struct {
	clock clock.Clock
	// limit is the program's memory limit.
	limit int64
	// rest lets the parts return the memory of a burst of work.
	rest func(context.Context)
	mu   struct {
		sync.Mutex
		percent int
		stopped bool
	}
}

// NewGovernor returns a governor, which works while Run is called. limit is the program's memory limit in bytes; 0
// means none. rest is called when a burst of work is over, before its memory is returned; it must return when its
// context ends.
func NewGovernor(c clock.Clock, limit int64, rest func(context.Context)) *Governor {
	if limit == 0 {
		limit = math.MaxInt64
	}
	return &Governor{clock: c, limit: limit, rest: rest}
}

// Percent returns the allowed garbage beside a live heap of live bytes, of which the collector scans scanned bytes for
// pointers, in percent of live, as debug.SetGCPercent expects it.
func Percent(live, scanned int64) int {
	if live <= 0 {
		return mostPercent
	}
	garbage := max(min(mostGarbage, max(leastGarbage, garbageSum-live)), min(scanned, live/2))
	return int(min(max(garbage*100/live, leastPercent), mostPercent))
}

// Ceiling returns the number of bytes from which on the heap returns free pages to the system: the heap's size before
// the next cycle of the collector, the memory beside objects, and some free pages. live and percent are as for Percent.
func Ceiling(live int64, percent int, beside int64) int64 {
	return live + live/100*int64(percent) + beside + minFreePages + live/32
}

// Run adjusts the garbage collector until ctx is done.
func (g *Governor) Run(ctx context.Context) error {
	g.adjust()
	g.afterEach()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.mu.stopped = true
	}()
	last := read()
	busy := true // memory that the start needed is returned, too
	for {
		if clock.Sleep(ctx, g.clock, checkInterval) != nil {
			return nil
		}
		now := read()
		switch {
		case now.allocated-last.allocated >= burstBytes:
			busy = true
		case busy && now.held-now.live >= minFreed:
			g.rest(ctx)
			debug.FreeOSMemory()
			now, busy = read(), false
		}
		last = now
	}
}

// sentinel is an object without references. Its finalizer runs at the end of the collector's cycle.
type sentinel struct{ _ [16]byte }

// afterEach calls adjust after each cycle of the collector, until the governor has stopped.
func (g *Governor) afterEach() {
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		if g.adjust() {
			g.afterEach()
		}
	})
}

// adjust sets the collector's percentage for the live heap of the last cycle. It returns false once the governor has
// stopped.
func (g *Governor) adjust() bool {
	now := read()
	percent := Percent(now.live, now.scanned)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.stopped {
		return false
	}
	// A change stops all goroutines for a moment, so small changes are omitted.
	if d := percent - g.mu.percent; d*10 > g.mu.percent || -d*10 > g.mu.percent {
		g.mu.percent = percent
		debug.SetGCPercent(percent)
	}
	debug.SetMemoryLimit(min(g.limit, Ceiling(now.live, g.mu.percent, now.beside)))
	return true
}

// sizes holds the sizes that the runtime reports, in bytes.
type sizes struct {
	// live is the live heap of the last cycle; held is the system's memory that the heap holds.
	live, held int64
	// scanned is the part of the live heap that the collector scans for pointers.
	scanned int64
	// allocated counts all allocations since the start.
	allocated int64
	// beside is memory outside objects and free pages: stacks, unused parts of pages, and the runtime's own structures.
	beside int64
}

// read reads the runtime's sizes.
func read() sizes {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/scan/heap:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	n := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	objects, unused, free, all, released := n(2), n(3), n(4), n(6), n(7)
	return sizes{live: n(0), allocated: n(1), held: objects + unused + free, scanned: n(5), beside: all - released - objects - free}
}
