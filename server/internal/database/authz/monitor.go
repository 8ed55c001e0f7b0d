package authz

import (
	"slices"
	"sync"
	"sync/atomic"

	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// Limits of the decisions that the monitor keeps for later watchers: their number, and the bytes of the documents and
// queries in them. A watcher begins with the latest of them, as many as the official emulator keeps.
const (
	maxKept  = 1000
	keptSize = 32 << 20
	shown    = 200
)

// maxBehind is the maximum number of decisions that wait for a slow watcher, whose documents and queries have keptSize
// bytes at most. Beyond it the oldest are dropped. All watchers receive the same decisions, so those that wait are
// nearly the same for all.
const maxBehind = 1000

// Monitor keeps the latest decisions and passes new ones to watchers. It is safe for concurrent use.
type Monitor struct {
	// watchers is how many there are.
	watchers atomic.Int32
	mu       struct {
		sync.Mutex
		kept     []*rules.Evaluation
		size     int // of kept
		watchers map[*Watcher]struct{}
		serial   uint64
	}
}

// Watcher receives decisions.
type Watcher struct {
	monitor *Monitor
	// wake has a capacity of one signal; it is never closed.
	wake    chan struct{}
	waiting []*rules.Evaluation // guarded by Monitor.mu
	size    int                 // of waiting; guarded by Monitor.mu
}

// newMonitor returns an empty monitor.
func newMonitor() *Monitor {
	m := &Monitor{}
	m.mu.watchers = make(map[*Watcher]struct{})
	return m
}

// add adds a decision.
func (m *Monitor) add(r *rules.Ruleset, q *rules.Request, d *rules.Decision) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.serial++
	e := rules.NewEvaluation(m.mu.serial, r, q, d)
	m.mu.kept = append(m.mu.kept, e)
	m.mu.size += e.Size()
	for len(m.mu.kept) > maxKept || m.mu.size > keptSize && len(m.mu.kept) > 1 {
		m.mu.size -= m.mu.kept[0].Size()
		m.mu.kept[0] = nil
		m.mu.kept = m.mu.kept[1:]
	}
	for w := range m.mu.watchers {
		w.waiting = append(w.waiting, e)
		w.size += e.Size()
		for len(w.waiting) > maxBehind || w.size > keptSize && len(w.waiting) > 1 {
			w.firstLocked()
		}
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// databaseOf returns the database of a decision.
func databaseOf(e *rules.Evaluation) resource.Database {
	r := e.Request()
	if r.Query != nil {
		return r.Query.DB
	}
	return r.Name.DB
}

// forget removes the kept decisions of databases.
func (m *Monitor) forget(of func(resource.Database) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.kept = slices.DeleteFunc(slices.Clone(m.mu.kept), func(e *rules.Evaluation) bool {
		if !of(databaseOf(e)) {
			return false
		}
		m.mu.size -= e.Size()
		return true
	})
}

// watched reports whether there are watchers.
func (m *Monitor) watched() bool { return m.watchers.Load() > 0 }

// Watch returns the latest of the kept decisions, oldest first, and a watcher of later ones. The caller must close the
// watcher.
func (m *Monitor) Watch() ([]*rules.Evaluation, *Watcher) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &Watcher{monitor: m, wake: make(chan struct{}, 1)}
	m.mu.watchers[w] = struct{}{}
	m.watchers.Store(int32(len(m.mu.watchers)))
	return slices.Clone(m.mu.kept[max(0, len(m.mu.kept)-shown):]), w
}

// Kept returns the kept decisions, oldest first, and their maximum number.
func (m *Monitor) Kept() ([]*rules.Evaluation, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.mu.kept), maxKept
}

// Wake returns a channel that receives a signal when there are decisions for Next.
func (w *Watcher) Wake() <-chan struct{} { return w.wake }

// Next removes and returns the oldest decision that waits, or nil.
func (w *Watcher) Next() *rules.Evaluation {
	w.monitor.mu.Lock()
	defer w.monitor.mu.Unlock()
	if len(w.waiting) == 0 {
		return nil
	}
	return w.firstLocked()
}

// firstLocked removes and returns the oldest decision that waits; Monitor.mu is held.
func (w *Watcher) firstLocked() *rules.Evaluation {
	first := w.waiting[0]
	w.waiting[0] = nil
	w.waiting = w.waiting[1:]
	w.size -= first.Size()
	return first
}

// Close ends the watcher.
func (w *Watcher) Close() {
	w.monitor.mu.Lock()
	defer w.monitor.mu.Unlock()
	delete(w.monitor.mu.watchers, w)
	w.monitor.watchers.Store(int32(len(w.monitor.mu.watchers)))
}
