package memory

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"clave/server/clock"
)

// How much garbage there may be beside what is live, in percent of it: requests make much short-lived garbage beside a small
// live heap, and collecting it often takes a tenth of the time. The garbage never exceeds mostGarbage while little is to be looked
// through for pointers: blocks of bytes, such as the store's tables and answers that wait for slow readers, cost a collection nothing.
// Where much is live it falls to leastGarbage, so that both stay within together as long as they can.
const (
	mostPercent  = 400
	leastPercent = 10
	mostGarbage  = 40 * mib
	leastGarbage = 16 * mib
	together     = 120 * mib
)

// The governor looks every look whether a burst is over: less than quiet bytes were allocated meanwhile, and at least
// worthwhile bytes that are not live are held. release is the number of bytes that must have been allocated since the
// last return.
const (
	look       = 5 * time.Second
	quiet      = 8 * mib
	worthwhile = 16 * mib
)

// slack is the least of free pages that the heap keeps before it returns them to the system. Much less would return pages that are
// needed again at once.
const slack = 8 * mib

// Governor adjusts the garbage collector to the live heap.
type Governor struct {
	clock clock.Clock
	// limit is the program's memory limit.
	limit int64
	// rest lets the parts return what a burst of work took.
	rest func(context.Context)
	mu   struct {
		sync.Mutex
		percent int
		stopped bool
	}
}

// NewGovernor returns a governor that works once it is run. limit is the program's memory limit in bytes; 0 means none. rest is called
// when a burst of work is over, before its memory is returned; it must return when its context ends.
func NewGovernor(c clock.Clock, limit int64, rest func(context.Context)) *Governor {
	if limit == 0 {
		limit = math.MaxInt64
	}
	return &Governor{clock: c, limit: limit, rest: rest}
}

// Percent returns the garbage that is allowed beside a live heap of so many bytes, of which the collector looks through so many for
// pointers, in percent of the live ones, as debug.SetGCPercent takes it.
func Percent(live, scanned int64) int {
	if live <= 0 {
		return mostPercent
	}
	garbage := max(min(mostGarbage, max(leastGarbage, together-live)), min(scanned, live/2))
	return int(min(max(garbage*100/live, leastPercent), mostPercent))
}

// Ceiling returns how much memory the program may take before free pages of the heap are returned to the system: the heap's size
// before the next cycle of the collector, what beside objects is needed, and some free pages. live and percent are as for Percent.
func Ceiling(live int64, percent int, beside int64) int64 {
	return live + live/100*int64(percent) + beside + slack + live/32
}

// Run adjusts until ctx is done.
func (g *Governor) Run(ctx context.Context) error {
	g.adjust()
	g.afterEach()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.mu.stopped = true
	}()
	last := read()
	busy := true // what starting took is returned, too
	for {
		if clock.Sleep(ctx, g.clock, look) != nil {
			return nil
		}
		now := read()
		switch {
		case now.allocated-last.allocated >= quiet:
			busy = true
		case busy && now.held-now.live >= worthwhile:
			g.rest(ctx)
			debug.FreeOSMemory()
			now, busy = read(), false
		}
		last = now
	}
}

// sentinel is an object that nothing refers to: the collector finds it at the end of each cycle.
type sentinel struct{ _ [16]byte }

// afterEach adjusts after each cycle of the collector, until the governor has stopped.
func (g *Governor) afterEach() {
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		if g.adjust() {
			g.afterEach()
		}
	})
}

// adjust sets the collector's percentage for the heap that the last cycle found live; it reports false once the governor has stopped.
func (g *Governor) adjust() bool {
	now := read()
	percent := Percent(now.live, now.scanned)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.stopped {
		return false
	}
	// Setting it stops the program for a moment, so small changes are let be.
	if d := percent - g.mu.percent; d*10 > g.mu.percent || -d*10 > g.mu.percent {
		g.mu.percent = percent
		debug.SetGCPercent(percent)
	}
	debug.SetMemoryLimit(min(g.limit, Ceiling(now.live, g.mu.percent, now.beside)))
	return true
}

// sizes holds the sizes that the runtime reports, in bytes.
type sizes struct {
	// live was found live by the last cycle; held is what the heap holds of the system's memory.
	live, held int64
	// scanned is how much of the heap the collector has to look through for pointers.
	scanned int64
	// allocated is all that was ever allocated.
	allocated int64
	// beside is the memory that neither objects take nor free pages: stacks, unused parts of pages, and what the runtime needs itself.
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
