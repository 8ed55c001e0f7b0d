package engine

import (
	"sync/atomic"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// view is a snapshot of the store that several readers share. The last one to release it closes it.
type view struct {
	snap store.Snapshot
	refs atomic.Int64
	// serial numbers the views in the order in which readers got them.
	serial uint64
	// indexes holds, in a following engine, the state of the indexes in this snapshot by the databases' numbers. A
	// database that it lacks is not stored in the snapshot. It is immutable.
	indexes map[uint32]*indexState
}

// newView returns a view with one reference.
func newView(s store.Snapshot) *view {
	v := &view{snap: s}
	v.refs.Store(1)
	return v
}

// retain adds a reference; the caller holds one.
func (v *view) retain() *view {
	v.refs.Add(1)
	return v
}

// release drops a reference.
func (v *view) release() {
	if v.refs.Add(-1) == 0 {
		_ = v.snap.Close() // Closing a snapshot only releases memory.
	}
}

// current returns the latest view with a reference for the caller, and the version of db's state in it.
func (e *Engine) current(db *database) (*view, clock.Version, error) {
	e.mu.Lock()
	if e.mu.closed {
		e.mu.Unlock()
		return nil, 0, ErrClosed
	}
	if err := e.mu.failed; err != nil && e.follows() {
		e.mu.Unlock()
		return nil, 0, err
	}
	v, version := e.mu.view.retain(), db.nowLocked()
	e.mu.Unlock()
	if e.leased != nil { // The version is read after the view was taken, while the view is still the latest.
		if err := e.leased.Held(); err != nil {
			v.release()
			return nil, 0, err
		}
	}
	return v, version, nil
}
