// Package locks implements the locks of transactions, on documents by name and on ranges by query, and detects
// deadlocks.
package locks

import (
	"context"
	"slices"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/document"
)

// How locks work. An owner, which is a transaction or a commit without one, locks documents by name, shared or
// exclusive, and ranges by query (ranges.go). Each document has a queue. A request that conflicts with the holders, or
// finds others waiting, is queued at the end. The exception is a request of an owner that holds the document already:
// it is queued first, since the others wait for that owner anyway. Requests for ranges have one queue for the whole
// table.
//
// Before an owner waits, the table searches the graph of waiting owners for a cycle. The youngest owner of a cycle is
// the victim of the deadlock: its request fails with Aborted, and all its locks are released. So the oldest owner
// always finishes. A retried transaction has the age of the attempt that it names. A request that waits longer than the
// deadline also fails with Aborted, and so does one whose call has a large message in memory (package parse) while
// another message has waited for that memory for long: it may be the one that would release the lock.
//
// Two transactions that have both read a document and both write it deadlock, and their retries would deadlock again.
// After the first such conflict the document is hot: for some time transactions take exclusive locks to read it.

// Mode is the mode of a lock on a document.
type Mode uint8

// The modes.
const (
	// Shared excludes writers, but not other readers.
	Shared Mode = iota + 1
	// Exclusive excludes writers and transactional readers.
	Exclusive
)

// hotFor is the time for which transactions read a document exclusively after a conflict of two readers that both write
// it, so that they wait for each other instead of being aborted. Each one that has to wait extends that time.
const hotFor = 2 * time.Second

// Owner is a holder of locks: a transaction, or a commit without one. The table guards all fields but age.
type Owner struct {
	// age orders owners: the one with the greatest age is the victim of a deadlock.
	age     uint64
	held    []*docLock
	ranges  []*Range
	intents []document.Change // the changes that a commit has announced
	waiting *request
	// doomed, once set, is the error of every further request.
	doomed error
	// victim is set if the owner was the victim of a deadlock.
	victim bool
}

// request is a waiting request for a lock.
type request struct {
	o *Owner
	// lock and mode are the document and the requested mode. lock is nil for a request about ranges.
	lock *docLock
	mode Mode
	// writes is set if a commit is going to write the document.
	writes bool
	// optional is set if the request ends, without the lock and without an error, when it would be part of a deadlock.
	optional bool
	// order is greater than that of all requests before this one in the lock's queue.
	order int
	// seen is a range to be locked. If it and lock are nil, changes are the changes that a commit announces, or, if ahead
	// is set, the documents for whose ranges it waits before it locks them.
	seen    *Range
	changes []document.Change
	ahead   bool
	// done, of capacity one, receives the outcome. The goroutine that removes the request from its queue sends it.
	done chan error
}

// docLock is the lock of one document.
type docLock struct {
	path    string
	holders []holder
	first   [1]holder // the memory of holders while there is one
	queue   []*request
	// hotUntil is the time after which transactions may share the document again.
	hotUntil time.Time
}

// holder is an owner that holds a lock. A lock mostly has one.
type holder struct {
	o    *Owner
	mode Mode
}

// held returns the mode in which an owner holds the lock, or 0.
func (l *docLock) held(o *Owner) Mode {
	for _, h := range l.holders {
		if h.o == o {
			return h.mode
		}
	}
	return 0
}

// grant gives the lock to an owner, which may hold it in a weaker mode.
func (l *docLock) grant(o *Owner, mode Mode) {
	for i := range l.holders {
		if l.holders[i].o == o {
			l.holders[i].mode = mode
			return
		}
	}
	l.holders = append(l.holders, holder{o, mode})
	o.held = append(o.held, l)
}

// Table holds the locks of one database, on documents by name and on ranges by query (ranges.go). Waiting requests are
// granted in the order of arrival. A deadlock is detected as soon as it arises, and its youngest owner is the victim.
type Table struct {
	clock    clock.Clock
	deadline time.Duration
	mu       struct {
		sync.Mutex
		docs    map[string]*docLock
		queued  map[*docLock]struct{} // the documents for which requests wait
		ranges  map[*Range]struct{}
		writers map[*Owner]struct{} // owners with intents
		waiters []*request          // requests about ranges, in the order of arrival
		closed  error               // the error of all requests, once set
	}
}

// New returns an empty table whose requests time out after deadline.
func New(c clock.Clock, deadline time.Duration) *Table {
	t := &Table{clock: c, deadline: deadline}
	t.mu.docs = make(map[string]*docLock)
	t.mu.queued = make(map[*docLock]struct{})
	t.mu.ranges = make(map[*Range]struct{})
	t.mu.writers = make(map[*Owner]struct{})
	return t
}

// NewOwner returns an owner without locks.
func NewOwner(age uint64) *Owner { return &Owner{age: age} }

// Lock locks a document. It waits for conflicting holders and earlier requests. It returns Aborted if the owner is the
// victim of a deadlock or the deadline passes. reading marks the shared lock of a transaction's read, which becomes
// exclusive while the document is hot.
func (t *Table) Lock(ctx context.Context, o *Owner, path string, mode Mode, reading bool) error {
	return t.lockPath(ctx, path, &request{o: o, mode: mode, writes: mode == Exclusive && !reading}, reading)
}

// lockPath grants a request for a document, or waits.
func (t *Table) lockPath(ctx context.Context, path string, r *request, reading bool) error {
	o := r.o
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return err
	}
	l := t.mu.docs[path]
	if l == nil {
		l = &docLock{path: path}
		l.holders = l.first[:0]
		t.mu.docs[path] = l
	}
	hot := reading && r.mode == Shared && l.hot(t.clock)
	if hot {
		r.mode = Exclusive
	}
	had := l.held(o)
	if had >= r.mode {
		t.mu.Unlock()
		return nil
	}
	// A request waits behind others even if it is compatible with the holders. Otherwise a continuous stream of readers
	// would starve a writer.
	if l.compatible(o, r.mode) && (had != 0 || len(l.queue) == 0) {
		l.grant(o, r.mode)
		t.mu.Unlock()
		return nil
	}
	r.lock, r.done = l, make(chan error, 1)
	// The owner has read the document and has to wait to write it, so it conflicts with another reader.
	if had != 0 || hot {
		l.hotUntil = t.clock.Now().Add(hotFor)
	}
	l.enqueue(r, had != 0)
	t.mu.queued[l] = struct{}{}
	return t.wait(ctx, r)
}

// enqueue adds a request to the queue. That of an owner that holds the lock comes first: the others wait for this owner
// anyway.
func (l *docLock) enqueue(r *request, holds bool) {
	if n := len(l.queue); holds && n > 0 {
		r.order = l.queue[0].order - 1
	} else if n > 0 {
		r.order = l.queue[n-1].order + 1
	}
	if holds {
		l.queue = slices.Insert(l.queue, 0, r)
		return
	}
	l.queue = append(l.queue, r)
}

// hot reports whether transactions may not share the document.
func (l *docLock) hot(c clock.Clock) bool { return !l.hotUntil.IsZero() && c.Now().Before(l.hotUntil) }

// refusal returns the error for which an owner gets no more locks, or nil. The table is locked.
func (t *Table) refusal(o *Owner) error {
	if t.mu.closed != nil {
		return t.mu.closed
	}
	return o.doomed
}

// compatible reports whether no owner but o holds the lock in a mode that conflicts with mode.
func (l *docLock) compatible(o *Owner, mode Mode) bool {
	for _, h := range l.holders {
		if h.o != o && (mode == Exclusive || h.mode == Exclusive) {
			return false
		}
	}
	return true
}

// wait waits for a queued request. The table is locked on entry and unlocked on return.
func (t *Table) wait(ctx context.Context, r *request) error {
	r.o.waiting = r
	t.breakCycles(r.o)
	t.mu.Unlock()
	timeout, stop := t.clock.After(t.deadline)
	defer stop()
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return t.withdraw(r, ctx.Err())
	case <-timeout:
		return t.withdraw(r, Contention())
	case <-parse.Pressed(ctx): // The holder of the lock may wait until this call's request is no longer in memory.
		return t.withdraw(r, Contention())
	}
}

// withdraw removes a request from its queue with err, unless the request has been decided meanwhile. It releases all
// locks of the owner.
func (t *Table) withdraw(r *request, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case decided := <-r.done:
		return decided
	default:
	}
	t.refuse(r, err)
	t.dropLocked(r.o, Contention())
	return <-r.done
}

// refuse removes a waiting request from its queue with an error, or nil if it is optional, and serves those behind it.
// The table is locked.
func (t *Table) refuse(r *request, err error) {
	r.o.waiting = nil
	r.done <- err
	if r.lock == nil {
		t.mu.waiters = slices.DeleteFunc(t.mu.waiters, func(x *request) bool { return x == r })
		t.serveRanges() // Requests behind it may have waited only for it.
		return
	}
	r.lock.queue = slices.DeleteFunc(r.lock.queue, func(x *request) bool { return x == r })
	t.serve(r.lock)
}

// serve grants, in order, the requests for a lock that can be granted, and removes a lock without holders and waiting
// requests. The table is locked.
func (t *Table) serve(l *docLock) {
	for len(l.queue) > 0 {
		r := l.queue[0]
		if !l.compatible(r.o, r.mode) {
			return
		}
		l.queue = l.queue[1:]
		l.grant(r.o, r.mode)
		r.o.waiting = nil
		r.done <- nil
	}
	delete(t.mu.queued, l)
	if len(l.holders) == 0 && !l.hot(t.clock) {
		delete(t.mu.docs, l.path)
	}
}

// Release releases all locks of an owner and refuses it further ones.
func (t *Table) Release(o *Owner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o.waiting != nil {
		t.refuse(o.waiting, Expired())
	}
	t.dropLocked(o, Expired())
}

// Clear releases all locks of an owner that doesn't wait. It may get further ones.
func (t *Table) Clear(o *Owner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.freeLocked(o)
}

// dropLocked releases all locks of an owner that doesn't wait. Its further requests fail with err. The table is locked.
func (t *Table) dropLocked(o *Owner, err error) {
	if o.doomed == nil {
		o.doomed = err
	}
	t.freeLocked(o)
}

// freeLocked releases all locks of an owner that doesn't wait. The table is locked.
func (t *Table) freeLocked(o *Owner) {
	held := o.held
	o.held = nil
	for _, l := range held {
		l.holders = slices.DeleteFunc(l.holders, func(h holder) bool { return h.o == o })
		t.serve(l)
	}
	if len(o.ranges) > 0 || o.intents != nil {
		t.releaseRanges(o)
	}
}

// Victim reports whether an owner was the victim of a deadlock.
func (t *Table) Victim(o *Owner) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return o.victim
}

// Err returns the reason why an owner receives no more locks, or nil.
func (t *Table) Err(o *Owner) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refusal(o)
}

// DropUnused removes locks that are no longer taken exclusively on read and have neither holders nor waiting requests.
func (t *Table) DropUnused() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.mu.docs {
		if len(l.holders) == 0 {
			t.serve(l)
		}
	}
}

// Close fails all waiting and later requests with an error.
func (t *Table) Close(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.closed = err
	for _, l := range t.mu.docs {
		for len(l.queue) > 0 {
			t.refuse(l.queue[0], err)
		}
	}
	for len(t.mu.waiters) > 0 {
		t.refuse(t.mu.waiters[0], err)
	}
}

// breakCycles aborts the youngest owner of every cycle of waiting owners through o, unless a request in the cycle is
// optional. The table is locked.
func (t *Table) breakCycles(o *Owner) {
	for o.waiting != nil && t.awaited(o) {
		// o may close several cycles. The loop ends when o no longer waits, as the victim or because a victim's locks were
		// released, or when no cycle is left.
		cycle := newSearch(t, o).from(o)
		if cycle == nil {
			return
		}
		if i := slices.IndexFunc(cycle, func(w *Owner) bool { return w.waiting.optional }); i >= 0 {
			t.refuse(cycle[i].waiting, nil)
			continue
		}
		victim := slices.MaxFunc(cycle, func(a, b *Owner) int { return compareAges(a, b) })
		t.refuse(victim.waiting, Contention())
		t.dropLocked(victim, Contention())
		victim.victim = true
	}
}

// compareAges orders owners by age.
func compareAges(a, b *Owner) int {
	switch {
	case a.age < b.age:
		return -1
	case a.age > b.age:
		return 1
	}
	return 0
}

// The texts that clients receive.
const (
	textContention = "Too much contention on these documents. Please try again."
	TextExpired    = "The referenced transaction has expired or is no longer valid."
)

// Contention returns the error for a lock that could not be acquired.
func Contention() error { return fault.E(fault.Aborted, textContention) }

// Expired returns the error for a transaction that has ended.
func Expired() error { return fault.E(fault.Aborted, TextExpired) }
