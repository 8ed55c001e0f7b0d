// Package fair divides the time of the processors between clients. A Queue has a few workers. Calls that read keys of
// the store count them: a call that reads few needs no turn while no call waits for one. One that reads more needs a
// worker, and passes it on after a slice of work if others wait. Other work, such as the hashing of a password, has a
// worker from its beginning to its end (Do).
//
// Waiting clients take turns, whatever the number of calls of each. A flood of expensive queries of one network
// therefore delays that network's own queries, and leaves a processor to the calls that need no turn.
package fair

import (
	"context"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Costs are in keys. A document counts as a key for each KiB besides.
const (
	// free is the cost up to which a call needs no turn while none waits.
	free = 64
	// slice is the cost after which a call passes its turn on if others wait: a few milliseconds of work.
	slice = 1024
	// mostBegun is the number of calls of one client that may wait after their first turn before a further one gets its
	// first. These calls hold iterators and results.
	mostBegun = 16
	// lentTime is the time for which a call may keep its turn while it waits for its client and others wait.
	lentTime = 2 * time.Millisecond
)

// Options configure a Queue.
type Options struct {
	// Workers is the number of calls that have a turn at the same time; zero means all processors but one, and at least
	// one.
	Workers int
	// Waiting is the maximum number of calls of one client that wait for their first turn; zero means 512, and a negative
	// number no limit.
	Waiting int
	// Full is the error of a call when that many wait; nil means Unavailable.
	Full error
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Workers == 0 {
		o.Workers = max(runtime.GOMAXPROCS(0)-1, 1)
	}
	if o.Waiting == 0 {
		o.Waiting = 512
	}
	if o.Waiting < 0 {
		o.Waiting = math.MaxInt
	}
	if o.Full == nil {
		o.Full = fault.E(fault.Unavailable, "Too many queries of the client's network are in progress. Try again.")
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
}

// Queue holds the calls that wait for a turn. It is safe for concurrent use.
type Queue struct {
	o Options
	// waiting is the number of waiting calls. It is changed under mu.
	waiting atomic.Int64
	mu      struct {
		sync.Mutex
		idle int
		// held has the calls that have a turn.
		held map[*Turn]struct{}
		// queues holds the waiting calls of each client, and order the clients in the order of their turns.
		queues map[string]*clientQueue
		order  []*clientQueue
		// watched is set while watch runs.
		watched bool
	}
}

// clientQueue holds the waiting calls of one client.
type clientQueue struct {
	client string
	// fresh calls have not had a turn yet; begun ones have.
	fresh, begun []*Turn
	// continued is set if the last turn was a begun call's.
	continued bool
}

// New returns a queue.
func New(o Options) *Queue {
	o.EnsureDefaults()
	q := &Queue{o: o}
	q.mu.idle = o.Workers
	q.mu.held = make(map[*Turn]struct{})
	q.mu.queues = make(map[string]*clientQueue)
	return q
}

// Waiting returns the number of calls that wait for a turn.
func (q *Queue) Waiting() int { return int(q.waiting.Load()) }

// enter waits for a turn.
func (q *Queue) enter(ctx context.Context, t *Turn) error {
	q.mu.Lock()
	if q.mu.idle > 0 {
		q.mu.idle--
		q.mu.held[t] = struct{}{}
		q.mu.Unlock()
		return nil
	}
	l := q.mu.queues[t.client]
	if l == nil {
		l = &clientQueue{client: t.client}
		q.mu.queues[t.client] = l
		q.mu.order = append(q.mu.order, l)
	}
	if !t.begun && len(l.fresh) >= q.o.Waiting {
		q.mu.Unlock()
		return q.o.Full
	}
	t.granted = make(chan struct{})
	if t.begun {
		l.begun = append(l.begun, t)
	} else {
		l.fresh = append(l.fresh, t)
	}
	q.waiting.Add(1)
	if !q.mu.watched {
		q.mu.watched = true
		go q.watch()
	}
	q.mu.Unlock()
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	if !q.withdraw(l, t) {
		q.leave(t) // The turn came at the same time.
	}
	return ctx.Err()
}

// withdraw takes a call out of its queue and reports whether it was still there.
func (q *Queue) withdraw(l *clientQueue, t *Turn) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(l.fresh) + len(l.begun)
	is := func(other *Turn) bool { return other == t }
	l.fresh, l.begun = slices.DeleteFunc(l.fresh, is), slices.DeleteFunc(l.begun, is)
	if len(l.fresh)+len(l.begun) == before {
		return false
	}
	q.waiting.Add(-1)
	if before == 1 {
		delete(q.mu.queues, l.client)
		q.mu.order = slices.DeleteFunc(q.mu.order, func(o *clientQueue) bool { return o == l })
	}
	return true
}

// leave passes a call's turn on to the client whose turn it is.
func (q *Queue) leave(t *Turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leaveLocked(t)
}

// leaveLocked is leave while mu is held.
func (q *Queue) leaveLocked(t *Turn) {
	delete(q.mu.held, t)
	if len(q.mu.order) == 0 {
		q.mu.idle++
		return
	}
	l := q.mu.order[0]
	q.mu.order = q.mu.order[1:]
	next := l.next()
	q.waiting.Add(-1)
	q.mu.held[next] = struct{}{}
	close(next.granted)
	if len(l.fresh)+len(l.begun) == 0 {
		delete(q.mu.queues, l.client)
		return
	}
	q.mu.order = append(q.mu.order, l)
}

// next removes and returns the call whose turn it is. Fresh and begun calls alternate, unless many have begun.
func (l *clientQueue) next() *Turn {
	from := &l.fresh
	if l.continued = len(l.fresh) == 0 || len(l.begun) >= mostBegun || len(l.begun) > 0 && !l.continued; l.continued {
		from = &l.begun
	}
	t := (*from)[0]
	(*from)[0] = nil
	*from = (*from)[1:]
	return t
}

// watch passes the turns of calls on that wait for their clients, while other calls wait.
func (q *Queue) watch() {
	seen := make(map[*Turn]uint64)
	for ok := true; ok; {
		again, _ := q.o.Clock.After(lentTime)
		<-again
		seen, ok = q.takeLent(seen)
	}
}

// takeLent takes the turns that have been lent since seen, which maps each lent turn to its uses, and returns the map
// for the next call. It returns false if no call waits. A call whose turn is taken can get another one only afterwards,
// because the lock is held meanwhile.
func (q *Queue) takeLent(seen map[*Turn]uint64) (now map[*Turn]uint64, waiting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now = make(map[*Turn]uint64)
	for _, t := range slices.Collect(maps.Keys(q.mu.held)) {
		if len(q.mu.order) == 0 {
			break
		}
		n := t.uses.Load()
		if n&lent == 0 || n&taken != 0 {
			continue
		}
		if now[t] = n; seen[t] == n && t.uses.CompareAndSwap(n, n|taken) {
			q.leaveLocked(t)
		}
	}
	if len(q.mu.order) == 0 {
		q.mu.watched = false
		return nil, false
	}
	return now, true
}
