package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine/keys"
	"clave/server/fault"
	"clave/server/storage"
)

// sequencer puts commits in order and writes them. A caller that finds it free leads: it takes all that waits, gives versions,
// writes one batch, shows it, wakes the others, and hands the lead to the first of those that came meanwhile. So one
// flush of the disk serves all commits that came during the one before.
//
// Callers that commit again and again would by that fall into two halves: one is written while the other waits, and each flush serves
// half of them. So a leader waits for as many commits as there were at the end of the group before, written and waiting together, but not
// longer than half of what writing that group took. A single caller never waits.
//
// Invariants: one goroutine leads at a time, versions are given in the order of writing, and a group is shown or has failed (show) before
// the next one gets versions. So a reader that needs all commits up to a version submits an empty commit and waits for it (barrier).
type sequencer struct {
	engine *Engine
	// clock is the machine's also in tests, whose clocks stand still while a commit is written.
	clock clock.Clock
	// took is what writing the last group took; only the leader touches it.
	took time.Duration
	mu   struct {
		sync.Mutex
		leading bool
		queue   []*pending
		// expected is how many commits the leader waits for, and full is closed when they are there; it is nil while nobody waits.
		expected int
		full     chan struct{}
	}
	idle sync.Cond // signalled when the lead is given up; made on first use
}

// pending is a commit that waits for its version.
type pending struct {
	db      *database     // nil for aside
	at      clock.Version // the version that stands in documents until the commit has its own
	ops     []storage.Op
	changes []document.Change
	// aside are changes that are no commit and have no version.
	aside []storage.Op
	// record is the commit's record of changes, and the places in it and in ops that wait for the version.
	record   []byte
	recordAt []recordStamp
	stamps   []stamp
	// version is set by the leader.
	version clock.Version
	err     error
	// wake receives true from one who hands over the lead, false when the commit is done. Room for one.
	wake chan bool
}

// deletes reports whether a commit only deletes, so that it may use space that is kept for that.
func (p *pending) deletes() bool {
	sets := func(op storage.Op) bool { return op.Kind == storage.Set }
	creates := func(c document.Change) bool { return c.After != nil }
	return !slices.ContainsFunc(p.aside, sets) && !slices.ContainsFunc(p.changes, creates)
}

// stamp is a document's record that waits for the commit's version.
type stamp struct {
	record  []byte
	created bool
}

// submit writes a commit and returns when readers can see it, or with the error for which it can't be known whether
// it is written. The commit's version is in p then.
func (s *sequencer) submit(ctx context.Context, p *pending) error {
	if s.engine.follows() {
		return fault.E(fault.Unavailable, textFollows)
	}
	// While a write waits for space on the disk, new commits are refused here and do not queue behind it.
	if w, ok := s.engine.o.Store.(storage.Waiter); ok && len(p.changes) > 0 {
		if err := w.Full(); err != nil {
			return err
		}
	}
	p.wake = make(chan bool, 1)
	s.mu.Lock()
	s.mu.queue = append(s.mu.queue, p)
	if s.mu.full != nil && len(s.mu.queue) >= s.mu.expected {
		close(s.mu.full)
		s.mu.full = nil
	}
	lead := !s.mu.leading
	s.mu.leading = true
	s.mu.Unlock()
	if !lead {
		lead = <-p.wake
	}
	if lead {
		// The group has the commits of others too: the end of this caller must not end their writing.
		s.lead(context.WithoutCancel(ctx))
	}
	return p.err
}

// barrier returns when all commits of a database that have a version are shown.
func (s *sequencer) barrier(ctx context.Context, db *database) error {
	return s.submit(ctx, &pending{db: db})
}

// lead writes what waits, the caller's commit among it, and hands over.
func (s *sequencer) lead(ctx context.Context) {
	group := s.gather()
	began := s.clock.Now()
	s.engine.write(ctx, group)
	s.took = s.clock.Now().Sub(began)
	if s.engine.o.Wrote != nil {
		s.engine.o.Wrote(len(group), s.took)
	}
	s.mu.Lock()
	// The lead is handed over before the group is woken, so that the next write begins while these callers go on.
	s.mu.expected = len(group) + len(s.mu.queue)
	if len(s.mu.queue) > 0 {
		s.mu.queue[0].wake <- true
	} else {
		s.mu.leading = false
		s.signalLocked()
	}
	s.mu.Unlock()
	for _, p := range group {
		select {
		case p.wake <- false:
		default: // Not reached: each channel has room for the one message.
		}
	}
}

// maxGather is the longest time that a leader waits for commits.
const maxGather = 2 * time.Millisecond

// gather returns the commits that are to be written together.
func (s *sequencer) gather() []*pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.queue) < s.mu.expected {
		full := make(chan struct{})
		s.mu.full = full
		s.mu.Unlock()
		timeout, stop := s.clock.After(min(s.took/2, maxGather))
		select {
		case <-full:
		case <-timeout:
		}
		stop()
		s.mu.Lock()
		s.mu.full = nil
	}
	group := s.mu.queue
	s.mu.queue = nil
	return group
}

// signalLocked wakes drain.
func (s *sequencer) signalLocked() {
	if s.idle.L != nil {
		s.idle.Broadcast()
	}
}

// drain waits until nothing is being written.
func (s *sequencer) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle.L == nil {
		s.idle.L = &s.mu
	}
	for s.mu.leading {
		s.idle.Wait()
	}
}

// write gives a group of commits their versions, writes them in one batch and shows them. Where the disk is full, those that
// only delete are tried without the others.
func (e *Engine) write(ctx context.Context, group []*pending) {
	batch, err := e.prepare(group)
	if err == nil && !batch.Empty() {
		err = e.apply(ctx, batch)
	}
	var next *view
	if err == nil {
		next = newView(e.o.Store.Snapshot())
	}
	if !e.show(group, next, err) || batch.Deletes {
		return
	}
	deletes := make([]*pending, 0, len(group))
	for _, p := range group {
		if p.deletes() {
			deletes = append(deletes, p)
		}
	}
	if len(deletes) > 0 {
		e.write(ctx, deletes)
	}
}

// show ends the writing of a group: readers see the next view, and the feeds get its commits, unless err reports that it was not
// written. It reports whether that was for want of space on the disk; any other error ends writing for good.
func (e *Engine) show(group []*pending, next *view, err error) (full bool) {
	e.mu.Lock()
	defer func(written chan struct{}) { close(written) }(e.mu.writing)
	e.mu.writing = nil
	old := e.mu.view
	for _, p := range group {
		p.err = err
		if p.db != nil {
			p.db.inFlight--
		}
	}
	if err != nil {
		full = errors.Is(err, storage.ErrFull)
		if !full {
			e.fail(err)
		}
		e.mu.Unlock()
		return full
	}
	// The view, the databases' latest versions and the feeds change under one lock: no reader gets a version together with a view that
	// lacks it, and a subscription that begins now has either the state with these commits or the commits.
	next.serial = old.serial + 1
	e.mu.view = next
	for _, p := range group {
		if len(p.changes) == 0 {
			continue
		}
		p.db.latest = p.version
		p.db.persisted = true
		p.db.feed.publish(document.Commit{Version: p.version, Changes: p.changes})
	}
	e.mu.Unlock()
	old.release()
	return false
}

// Settle returns when readers see all that was written to the store before the call, or ctx is done.
func (e *Engine) Settle(ctx context.Context) error {
	e.mu.Lock()
	written := e.mu.writing
	e.mu.Unlock()
	if written == nil {
		return nil
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// apply writes a batch. After an error of the storage it is unknown what is on disk, unless the error is that there is no space.
func (e *Engine) apply(ctx context.Context, batch *storage.Batch) error {
	err := e.o.Store.Apply(ctx, batch)
	if err == nil || errors.Is(err, storage.ErrClosed) || errors.Is(err, storage.ErrFull) || errors.Is(err, storage.ErrMoved) {
		return err
	}
	return fault.Because(err, fault.Internal, "The storage has failed; whether this was written is not known.")
}

// fail ends writing after an error that leaves it unknown what is on disk; Engine.mu is held.
func (e *Engine) fail(err error) {
	switch {
	case e.mu.failed != nil || e.mu.closed:
	case errors.Is(err, storage.ErrMoved):
		e.mu.failed = err
	default:
		e.mu.failed = fault.Because(err, fault.Unavailable, "the storage has failed; the server must be started again")
		e.o.Log.Error("storage failed; no more writes until the server is started again", "error", errors.Join(err, errors.Unwrap(err)))
	}
}

// prepare gives the versions of a group and makes its batch.
func (e *Engine) prepare(group []*pending) (*storage.Batch, error) {
	e.mu.Lock()
	e.mu.writing = make(chan struct{})
	for _, p := range group {
		if p.db != nil {
			p.version = p.db.given.Next()
			p.db.inFlight++
		}
	}
	err := e.mu.failed
	if e.mu.closed {
		err = ErrClosed
	}
	e.mu.Unlock()
	if err != nil {
		return nil, err
	}
	n := 0
	for _, p := range group {
		n += len(p.ops) + len(p.aside) + 3
	}
	batch := &storage.Batch{Deletes: true}
	if len(group) > 1 {
		batch.Ops = make([]storage.Op, 0, n)
	}
	for _, p := range group {
		batch.Deletes = batch.Deletes && p.deletes()
		batch.Ops = append(batch.Ops, p.aside...)
		if len(p.changes) == 0 {
			continue
		}
		p.setVersions()
		if batch.Ops == nil {
			batch.Ops = p.ops // A commit alone is not copied.
		} else {
			batch.Ops = append(batch.Ops, p.ops...)
		}
		batch.Set(keys.Change(p.db.number, p.version), p.record)
		if !p.db.persisted {
			if err := p.db.register(batch, p.db.indexes.Load()); err != nil {
				return nil, err
			}
		}
	}
	return batch, nil
}
