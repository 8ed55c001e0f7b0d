package firestoreadmin

import (
	"context"
	"errors"
	"slices"
	"sync"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// Limits of the operations that wait for their turn: their number, their bytes in the store, and the bytes of one.
const (
	maxWaiting      = 2000
	maxWaitingBytes = 16 << 20
	maxOperation    = 256 << 10
)

// roomLocked returns an error if an operation of a size can't wait with the others; mu is held.
func (a *API) roomLocked(size int) error {
	if size > maxOperation {
		return fault.E(fault.InvalidArgument, "The operation has more than %d bytes.", maxOperation)
	}
	n, bytes := 0, size
	for _, o := range a.mu.operations {
		if !o.isDone() {
			n++
			bytes += o.size
		}
	}
	if n >= maxWaiting || bytes > maxWaitingBytes {
		return fault.E(fault.ResourceExhausted, "Too many operations wait: at most %d of %d bytes together may. Try again when some have ended.", maxWaiting, maxWaitingBytes)
	}
	return nil
}

// running is the operation that Run does.
type running struct {
	id     string
	cancel context.CancelFunc
	// canceled is set by a request to cancel it.
	canceled bool
}

// errCanceled is the error with which a canceled operation ends.
var errCanceled = fault.E(fault.Canceled, "The operation was cancelled.")

// lane is a class of operations. Those of one are done one after another, beside those of others.
type lane int

// The lanes: changes; and exports, imports and copies of databases, which may take long.
const (
	changes lane = iota
	transfers
	lanes
)

// laneOf returns the lane of an operation.
func laneOf(o *operation) lane {
	if o.Export != nil || o.Import != nil || o.isCopy() {
		return transfers
	}
	return changes
}

// Run does the operations of each lane, one after another, until ctx is done.
func (a *API) Run(ctx context.Context) error {
	a.mu.Lock()
	a.mu.stopped = false
	a.mu.Unlock()
	all := sync.WaitGroup{}
	if !a.continueDeletes(ctx) {
		a.noteFailed()
	}
	all.Go(func() { a.repeatDeletes(ctx) })
	for l := range lanes {
		all.Go(func() { a.work(ctx, l) })
	}
	all.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mu.stopped = true
	a.wakeLocked()
	return nil
}

// work does the operations of a lane until ctx is done.
func (a *API) work(ctx context.Context, l lane) {
	for {
		for o := a.next(l); o != nil; o = a.next(l) {
			if a.do(ctx, o) {
				return // the next start, or the next leader, continues
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-a.added[l]:
		}
	}
}

// perform makes the change of an operation.
func (a *API) perform(ctx context.Context, o *operation) error {
	switch {
	case o.Delete != nil:
		return a.deleteDocuments(ctx, o)
	case o.Export != nil:
		return a.export(ctx, o)
	case o.Import != nil:
		return a.load(ctx, o)
	case o.isCopy():
		return a.makeCopy(ctx, o)
	}
	return a.o.Releases.ChangeIndexes(ctx, o.By, o.Database, o.edit)
}

// runningLocked returns what Run knows of an operation that it does, or nil; mu is held.
func (a *API) runningLocked(o *operation) *running {
	if r := a.mu.running[laneOf(o)]; r != nil && r.id == o.ID {
		return r
	}
	return nil
}

// stop cancels the operation.
func (r *running) stop() {
	r.canceled = true
	r.cancel()
}

// do does an operation, unless it was cancelled meanwhile. It reports whether this process stopped before its end.
func (a *API) do(ctx context.Context, o *operation) (stopped bool) {
	doing, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	if !slices.Contains(a.mu.operations, o) { // one that has ended is another value
		a.mu.Unlock()
		return false
	}
	this := &running{id: o.ID, cancel: cancel}
	a.mu.running[laneOf(o)] = this
	a.mu.Unlock()
	err := a.perform(doing, o)
	a.mu.Lock() // up to the end, before which a cancel must not come
	defer a.mu.Unlock()
	a.mu.running[laneOf(o)] = nil
	if ctx.Err() != nil || errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrMoved) {
		return true
	}
	if this.canceled && err != nil {
		err = errCanceled
	}
	if err := a.endLocked(ctx, o.ID, err); err != nil {
		a.o.Log.Error("the end of an operation was not written; the next start repeats it", "operation", o.ID, "error", err)
	}
	return false
}

// findLocked returns the operation of a call; mu is held.
func (a *API) findLocked(c *route.Call, database string) (*operation, error) {
	for _, o := range a.ofLocked(c.Vars["database"]) {
		if o.ID == c.Vars["operation"] {
			return o, nil
		}
	}
	return nil, fault.E(fault.NotFound, "Operation %s/operations/%s not found", database, c.Vars["operation"])
}

// cancelOperation cancels an operation that has not ended. One that Run does ends soon, without a change of indexes or
// an export; documents that were deleted or imported stay so.
func (a *API) cancelOperation(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.operationsOf(c)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o, err := a.findLocked(c, name)
	switch {
	case err != nil:
		return nil, err
	case o.isDone():
		return nil, fault.E(fault.FailedPrecondition, "Cannot cancel an operation that is completed.")
	}
	if r := a.runningLocked(o); r != nil {
		r.stop()
		return nil, nil
	}
	return nil, a.endLocked(ctx, o.ID, errCanceled)
}

// deleteOperation forgets an operation that has ended.
func (a *API) deleteOperation(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.operationsOf(c)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o, err := a.findLocked(c, name)
	if err != nil {
		return nil, err
	}
	if !o.isDone() || o.Left {
		return nil, fault.E(fault.FailedPrecondition, "Cannot delete an operation that is not completed.")
	}
	var b store.Batch
	b.Delete([]byte(keyPrefix + o.ID))
	if err := a.o.Store.Apply(ctx, &b); err != nil {
		return nil, err
	}
	a.mu.operations = slices.DeleteFunc(a.mu.operations, func(other *operation) bool { return other == o })
	return nil, nil
}
