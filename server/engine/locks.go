package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"clave/server/clock"
	"clave/server/document"
)

// How locks work. An owner, which is a transaction or a commit without one, locks documents by name, shared or exclusive, and ranges
// by query (ranges.go). Each document has a queue: a request that the holders stand against waits at its end, so nobody overtakes, but
// for one whose owner holds the document already; that goes first, since those behind it wait for the owner anyway. Requests about ranges
// have one queue for the whole table.
//
// Before an owner waits, the table looks for a cycle: whom the request waits for, what they wait for, and so on. The youngest owner
// of a cycle gives way: its request answers Aborted and it loses all locks. So the oldest owner always comes to its end, and a transaction
// that is retried keeps its age. Whoever waits longer than the deadline gives way, too.
//
// Two readers of one document that both want to write it would give way to each other again and again. After the first such conflict
// the document is hot: for some time transactions read it exclusively.

// lockMode is how a document is locked.
type lockMode uint8

// The modes.
const (
	// shared lets others read and keeps them from writing.
	shared lockMode = iota + 1
	// exclusive keeps others from reading in transactions and from writing.
	exclusive
)

// hotFor is how long after a conflict of two readers that both wanted to write transactions read a document exclusively,
// so that they wait for each other instead of undoing each other. Every one that has to wait prolongs it.
const hotFor = 2 * time.Second

// owner is who holds locks: a transaction, or a commit without one. All but age is guarded by the table.
type owner struct {
	// age orders owners: in a deadlock the one with the greatest gives way.
	age     uint64
	held    map[string]lockMode
	ranges  []*rangeLock
	intents []document.Change // what a commit that no longer waits is about to change
	waiting *request
	// doomed is why every further request fails, once set.
	doomed error
	// gaveWay says that it was the youngest of a deadlock.
	gaveWay bool
}

// request is a lock that is waited for.
type request struct {
	o *owner
	// lock and mode are the document and how it is to be locked; lock is nil for a request about ranges.
	lock *docLock
	mode lockMode
	// seen is a range to be locked. If it and lock are nil, changes are what a commit is about to do.
	seen    *rangeLock
	changes []document.Change
	// done receives the outcome. Room for one; sent by whoever takes the request out of its queue.
	done chan error
}

// docLock is the lock of one document.
type docLock struct {
	path    string
	holders map[*owner]lockMode
	queue   []*request
	// hotUntil is when transactions may again share the document.
	hotUntil time.Time
}

// lockTable is the locks of one database: of documents by name, and of ranges by query (ranges.go). Waiters are served
// in the order of their coming. A cycle of waiters is found when it closes and its youngest gives way.
type lockTable struct {
	clock    clock.Clock
	deadline time.Duration
	mu       struct {
		sync.Mutex
		docs    map[string]*docLock
		ranges  map[*rangeLock]struct{}
		writers map[*owner]struct{} // owners with intents
		waiters []*request          // requests about ranges, in the order of their coming
		closed  bool
	}
}

// newLockTable returns an empty table whose waiters give up after deadline.
func newLockTable(c clock.Clock, deadline time.Duration) *lockTable {
	t := &lockTable{clock: c, deadline: deadline}
	t.mu.docs = make(map[string]*docLock)
	t.mu.ranges = make(map[*rangeLock]struct{})
	t.mu.writers = make(map[*owner]struct{})
	return t
}

// newOwner returns an owner without locks.
func newOwner(age uint64) *owner { return &owner{age: age, held: make(map[string]lockMode)} }

// lock locks a document, waiting for those before. It answers Aborted when the owner gives way to an older one or
// the deadline passes. reading marks the shared lock of a transaction's read, which is made exclusive while the
// document is hot.
func (t *lockTable) lock(ctx context.Context, o *owner, path string, mode lockMode, reading bool) error {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return err
	}
	l := t.mu.docs[path]
	if l == nil {
		l = &docLock{path: path, holders: make(map[*owner]lockMode, 1)}
		t.mu.docs[path] = l
	}
	hot := reading && mode == shared && l.hot(t.clock)
	if hot {
		mode = exclusive
	}
	had := o.held[path]
	if had >= mode {
		t.mu.Unlock()
		return nil
	}
	if l.compatible(o, mode) && (had != 0 || len(l.queue) == 0) {
		l.holders[o], o.held[path] = mode, mode
		t.mu.Unlock()
		return nil
	}
	r := &request{o: o, lock: l, mode: mode, done: make(chan error, 1)}
	if had != 0 || hot {
		l.hotUntil = t.clock.Now().Add(hotFor)
	}
	if had != 0 {
		l.queue = slices.Insert(l.queue, 0, r) // It can't be served after those that wait for it.
	} else {
		l.queue = append(l.queue, r)
	}
	return t.wait(ctx, r)
}

// hot reports whether transactions may not share the document.
func (l *docLock) hot(c clock.Clock) bool { return !l.hotUntil.IsZero() && c.Now().Before(l.hotUntil) }

// refusal is why an owner gets no more locks, if so; the table is locked.
func (t *lockTable) refusal(o *owner) error {
	if t.mu.closed {
		return ErrClosed
	}
	return o.doomed
}

// compatible reports whether nobody but o holds the lock in a way that mode can't stand.
func (l *docLock) compatible(o *owner, mode lockMode) bool {
	for h, m := range l.holders {
		if h != o && (mode == exclusive || m == exclusive) {
			return false
		}
	}
	return true
}

// wait waits for a request that is in its queue. The table is locked on entry and not on return.
func (t *lockTable) wait(ctx context.Context, r *request) error {
	r.o.waiting = r
	t.breakCycles(r.o)
	t.mu.Unlock()
	timeout, stop := t.clock.After(t.deadline)
	defer stop()
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return t.giveUp(r, ctx.Err())
	case <-timeout:
		return t.giveUp(r, contention())
	}
}

// giveUp takes a request out of its queue because of err, unless it has been decided meanwhile. Its owner lets go of all.
func (t *lockTable) giveUp(r *request, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case decided := <-r.done:
		return decided
	default:
	}
	t.refuse(r, err)
	t.dropLocked(r.o, contention())
	return <-r.done
}

// refuse takes a waiting request out of its queue with an error, and serves those behind it; the table is locked.
func (t *lockTable) refuse(r *request, err error) {
	r.o.waiting = nil
	r.done <- err
	if r.lock == nil {
		t.mu.waiters = slices.DeleteFunc(t.mu.waiters, func(x *request) bool { return x == r })
		t.serveRanges() // Those behind it may have waited for it alone.
		return
	}
	r.lock.queue = slices.DeleteFunc(r.lock.queue, func(x *request) bool { return x == r })
	t.serve(r.lock)
}

// serve grants what can be granted at a lock, in order, and forgets a lock that nobody wants; the table is locked.
func (t *lockTable) serve(l *docLock) {
	for len(l.queue) > 0 {
		r := l.queue[0]
		if !l.compatible(r.o, r.mode) {
			return
		}
		l.queue = l.queue[1:]
		l.holders[r.o], r.o.held[l.path] = r.mode, r.mode
		r.o.waiting = nil
		r.done <- nil
	}
	if len(l.holders) == 0 && !l.hot(t.clock) {
		delete(t.mu.docs, l.path)
	}
}

// release lets go of all that an owner holds, for good.
func (t *lockTable) release(o *owner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o.waiting != nil {
		t.refuse(o.waiting, expired())
	}
	t.dropLocked(o, expired())
}

// dropLocked makes an owner that doesn't wait let go of all, and refuses it everything from now on because of err; the
// table is locked.
func (t *lockTable) dropLocked(o *owner, err error) {
	if o.doomed == nil {
		o.doomed = err
	}
	for path := range o.held {
		l := t.mu.docs[path]
		delete(l.holders, o)
		t.serve(l)
	}
	clear(o.held)
	if len(o.ranges) > 0 || o.intents != nil {
		t.releaseRanges(o)
	}
}

// gaveWay reports whether an owner was the youngest of a deadlock.
func (t *lockTable) gaveWay(o *owner) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return o.gaveWay
}

// alive returns why an owner gets no more locks, nil if it does.
func (t *lockTable) alive(o *owner) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refusal(o)
}

// cool forgets hot locks that nobody wants any more.
func (t *lockTable) cool() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.mu.docs {
		if len(l.holders) == 0 {
			t.serve(l)
		}
	}
}

// close refuses all who wait and all who come.
func (t *lockTable) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.closed = true
	for _, l := range t.mu.docs {
		for len(l.queue) > 0 {
			t.refuse(l.queue[0], ErrClosed)
		}
	}
	for len(t.mu.waiters) > 0 {
		t.refuse(t.mu.waiters[0], ErrClosed)
	}
}

// breakCycles makes the youngest of every cycle of waiters through o give way; the table is locked.
func (t *lockTable) breakCycles(o *owner) {
	for o.waiting != nil {
		cycle := t.cycle(o, o, map[*owner]bool{})
		if cycle == nil {
			return
		}
		victim := slices.MaxFunc(cycle, func(a, b *owner) int { return compareAges(a, b) })
		t.refuse(victim.waiting, contention())
		t.dropLocked(victim, contention())
		victim.gaveWay = true
	}
}

// compareAges orders owners by age.
func compareAges(a, b *owner) int {
	switch {
	case a.age < b.age:
		return -1
	case a.age > b.age:
		return 1
	}
	return 0
}

// cycle returns the owners on a way from one owner to another over who waits for whom, or nil.
func (t *lockTable) cycle(from, to *owner, seen map[*owner]bool) []*owner {
	if from.waiting == nil || seen[from] {
		return nil
	}
	seen[from] = true
	for _, b := range t.blockers(from.waiting) {
		if b == to {
			return []*owner{from}
		}
		if way := t.cycle(b, to, seen); way != nil {
			return append(way, from)
		}
	}
	return nil
}

// blockers returns who a request waits for: those that hold the lock against it, and those before it in the queue.
func (t *lockTable) blockers(r *request) []*owner {
	switch {
	case r.seen != nil:
		return t.rangeBlockers(r)
	case r.lock == nil:
		return t.announceBlockers(r)
	}
	var out []*owner
	for h, m := range r.lock.holders {
		if h != r.o && (r.mode == exclusive || m == exclusive) {
			out = append(out, h)
		}
	}
	for _, before := range r.lock.queue {
		if before == r {
			break
		}
		out = append(out, before.o)
	}
	return out
}
