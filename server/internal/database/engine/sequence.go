package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/document"
	"clave/server/internal/store"
)

// sequencer orders commits and writes them in groups. A caller that finds no committer becomes the committer: it takes
// all waiting commits, assigns versions, writes one batch, makes it visible, wakes the other callers, and passes this
// role to the first caller that arrived meanwhile. So one flush of the disk serves all commits that arrived during the
// previous one.
//
// With this alone, callers that commit repeatedly would form two halves: one is written while the other waits, and each
// flush serves only half of them. So a committer waits until there are as many commits as there were at the end of the
// previous group, written and waiting together. It waits at most half of the time that writing that group took, and up
// to four times as long while such waits end with all commits there (waitFactor). A single caller never waits. Commits
// in the background are written with the others, but no committer waits for them: they come in bursts, after which it
// would wait until the limit.
//
// Invariants: there is one committer at a time, versions are assigned in the order of writing, and a group is visible
// or has failed (show) before the next one gets versions. So a reader that needs all commits up to a version submits an
// empty commit and waits for it (barrier).
type sequencer struct {
	engine *Engine
	// clock is the machine's clock even in tests, whose own clocks do not advance while a commit is written.
	clock clock.Clock
	// took is the duration of the last group's write, and waitFactor the number of halves of it that the committer
	// waits at most. Only the committer accesses them.
	took       time.Duration
	waitFactor time.Duration
	mu         struct {
		sync.Mutex
		committing bool
		queue      []*pending
		// clients is the number of commits in the queue that clients wait for, and expected the number of those that the
		// committer waits for. full is closed when they have arrived; it is nil while no committer waits.
		clients  int
		expected int
		full     chan struct{}
	}
	idle sync.Cond // signalled when there is no committer any more; created on first use
}

// pending is a commit that waits for its version.
type pending struct {
	db      *database     // nil for aside
	at      clock.Version // the version in documents until the commit has its own
	ops     []store.Op
	changes []document.Change
	// aside holds changes that are not a commit and have no version.
	aside []store.Op
	// record is the commit's record of changes. recordAt and stamps are the positions in it and in ops at which the
	// version is filled in.
	record   []byte
	recordAt []recordStamp
	stamps   []stamp
	// version is set by the committer.
	version clock.Version
	err     error
	// background is set for what no client waits for.
	background bool
	// wake, of capacity one, receives true if the caller becomes the committer, and false if the commit is done.
	wake chan bool
}

// deletes reports whether a commit only deletes, so that it may use the space that is reserved for that.
func (p *pending) deletes() bool {
	sets := func(op store.Op) bool { return op.Kind == store.Set }
	creates := func(c document.Change) bool { return c.After != nil }
	return !slices.ContainsFunc(p.aside, sets) && !slices.ContainsFunc(p.changes, creates)
}

// stamp is a document's record into which the commit's version is filled in.
type stamp struct {
	record  []byte
	created bool
}

// submit writes a commit and returns when it is visible to readers. p has the commit's version then. After an error of
// the storage it is unknown whether the commit was written.
func (s *sequencer) submit(ctx context.Context, p *pending) error {
	if s.engine.follows() {
		return fault.E(fault.Unavailable, textFollows)
	}
	// While a write waits for space on the disk, new commits are refused here and do not queue.
	if w, ok := s.engine.o.Store.(store.Waiter); ok && len(p.changes) > 0 {
		if err := w.Full(); err != nil {
			return err
		}
	}
	p.wake = make(chan bool, 1)
	p.background = p.aside != nil || ctx.Value(backgroundKey{}) != nil
	isCommitter := s.enqueue(p)
	if !isCommitter {
		isCommitter = <-p.wake
	}
	if isCommitter {
		// The group has other callers' commits too, so the end of this caller's context must not cancel the write.
		s.commitGroup(context.WithoutCancel(ctx))
	}
	return p.err
}

// enqueue adds a commit to the queue. It reports whether the caller becomes the committer.
func (s *sequencer) enqueue(p *pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.queue = append(s.mu.queue, p)
	if !p.background {
		s.mu.clients++
	}
	if s.mu.full != nil && s.mu.clients >= s.mu.expected {
		close(s.mu.full)
		s.mu.full = nil
	}
	isCommitter := !s.mu.committing
	s.mu.committing = true
	return isCommitter
}

// backgroundKey is the key of a value in the contexts of commits in the background.
type backgroundKey struct{}

// inBackground returns a context for commits that no client waits for.
func inBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// clients returns the number of commits of a group that clients wait for.
func clients(group []*pending) (n int) {
	for _, p := range group {
		if !p.background {
			n++
		}
	}
	return n
}

// barrier returns when all commits of a database that have a version are visible.
func (s *sequencer) barrier(ctx context.Context, db *database) error {
	return s.submit(ctx, &pending{db: db})
}

// commitGroup writes the waiting commits, the caller's among them, and passes the role on.
func (s *sequencer) commitGroup(ctx context.Context) {
	group := s.gather()
	began := s.clock.Now()
	s.engine.write(ctx, group)
	s.took = s.clock.Now().Sub(began)
	if s.engine.o.CommitsWritten != nil {
		s.engine.o.CommitsWritten(len(group), s.took)
	}
	s.mu.Lock()
	// The role is passed on before the group is woken, so that the next write begins while these callers continue.
	s.mu.expected = clients(group) + s.mu.clients
	if len(s.mu.queue) > 0 {
		s.mu.queue[0].wake <- true
	} else {
		s.mu.committing = false
		s.signalLocked()
	}
	s.mu.Unlock()
	for _, p := range group {
		select {
		case p.wake <- false:
		default: // Not reached: each channel has the capacity for its only message.
		}
	}
}

// maxGather is the longest time that a committer waits for commits, and maxWaitFactor the greatest number of halves of
// a write's duration.
const (
	maxGather     = 2 * time.Millisecond
	maxWaitFactor = 4
)

// gather returns the commits to write together.
func (s *sequencer) gather() []*pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.clients < s.mu.expected {
		full := make(chan struct{})
		s.mu.full = full
		s.mu.Unlock()
		s.waitFactor = max(s.waitFactor, 1)
		timeout, stop := s.clock.After(min(s.waitFactor*s.took/2, maxGather))
		select {
		case <-full:
			s.waitFactor = min(2*s.waitFactor, maxWaitFactor)
		case <-timeout:
			s.waitFactor /= 2 // Callers that come at any time must not wait for others.
		}
		stop()
		s.mu.Lock()
		s.mu.full = nil
	}
	group := s.mu.queue
	s.mu.queue, s.mu.clients = nil, 0
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
	for s.mu.committing {
		s.idle.Wait()
	}
}

// write assigns versions to a group of commits, writes them in one batch and makes them visible. If the disk is full,
// it retries with only the commits that only delete.
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

// show ends the writing of a group: readers see the next view and the feeds get the commits, unless err is set. It
// reports whether the group failed because the disk is full. Any other error ends writing permanently.
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
		full = errors.Is(err, store.ErrFull)
		if !full {
			e.fail(err)
		}
		e.mu.Unlock()
		return full
	}
	// The view, the databases' latest versions and the feeds change under one lock. So no reader gets a version with a
	// view that lacks it, and a new subscription gets either the state with these commits or the commits.
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

// Visible returns a channel that is closed when readers see all that was written to the store before the call, or nil
// if they do already.
func (e *Engine) Visible() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.writing
}

// apply writes a batch. After an error of the storage it is unknown what is on disk, unless the disk is full.
func (e *Engine) apply(ctx context.Context, batch *store.Batch) error {
	err := e.o.Store.Apply(ctx, batch)
	if err == nil || errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrMoved) {
		return err
	}
	return fault.Wrap(err, fault.Internal, "The storage has failed; whether this was written is not known.")
}

// fail ends writing permanently after an error that leaves the state of the disk unknown. Engine.mu is held.
func (e *Engine) fail(err error) {
	switch {
	case e.mu.failed != nil || e.mu.closed:
	case errors.Is(err, store.ErrMoved):
		e.mu.failed = err
	default:
		e.mu.failed = fault.Wrap(err, fault.Unavailable, "the storage has failed; the server must be started again")
		e.o.Log.Error("storage failed; no more writes until the server is started again", "error", errors.Join(err, errors.Unwrap(err)))
	}
}

// prepare assigns the versions of a group and returns its batch.
func (e *Engine) prepare(group []*pending) (*store.Batch, error) {
	e.mu.Lock()
	e.mu.writing = make(chan struct{})
	// Versions are assigned in the order of the group, under the lock: a read that takes a version after that sees by
	// inFlight that commits before it are not visible yet.
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
	// On a full disk only a batch in which every commit deletes may use the reserved space.
	batch := &store.Batch{Ops: operationsOf(group), Deletes: true}
	for _, p := range group {
		batch.Deletes = batch.Deletes && p.deletes()
		if len(p.changes) == 0 {
			continue
		}
		p.setVersions()
		batch.Set(keys.Change(p.db.number.Load(), p.version), p.record)
		// The first commit of a database also stores its number, so that neither exists without the other.
		if !p.db.persisted {
			if err := p.db.register(batch, p.db.indexes.Load()); err != nil {
				return nil, err
			}
		}
	}
	return batch, nil
}

// operationsOf returns the operations of a group, in columns if they are those of small commits: documents that are
// written at the same time mostly belong to few collections, and the store writes adjacent keys faster. No two commits
// of a group have a key in common, because each holds the locks of its documents until it is visible. A batch that is
// not a commit may share keys with others; the order is then that of the group.
func operationsOf(group []*pending) []store.Op {
	if len(group) == 1 && group[0].aside == nil {
		return group[0].ops // The operations of a single commit are not copied.
	}
	n, small := 0, true
	rows := make([][]store.Op, 0, len(group))
	for _, p := range group {
		n += len(p.ops) + len(p.aside) + 3 // further ones are for the commit's record and a new database
		small = small && p.aside == nil && len(p.ops) <= 2*opsPerDocument
		rows = append(rows, p.aside, p.ops)
	}
	out := make([]store.Op, 0, n)
	if small {
		out, _ = appendColumns(out, rows)
		return out
	}
	for _, row := range rows {
		out = append(out, row...)
	}
	return out
}
