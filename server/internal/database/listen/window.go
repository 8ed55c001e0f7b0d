package listen

import (
	"context"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
)

// window holds the first documents of a query in its order: those within its limit and offset, and some more in
// reserve, so that a document that leaves can be replaced without a query of the engine.
type window struct {
	query *query.Query
	// from is the version of the window. Commits up to it are included.
	from clock.Version
	docs []*document.Document
	// complete is set if there is no document beyond docs.
	complete bool
	// bytes is the approximate memory of docs.
	bytes int
}

// weight returns the approximate memory of a document in a window, in bytes. Small fields take several times their
// size.
func weight(d *document.Document) int {
	const overhead = 512
	return 2*d.Size() + overhead
}

// loading is a load of a window in progress.
type loading struct {
	// done is closed by the loader.
	done chan struct{}
	// late holds the commits since the load began.
	late []lateCommit
	// stale is set if commits were lost meanwhile, so that the load has to be repeated.
	stale bool
}

// lateCommit is a commit that arrived while a window was being loaded.
type lateCommit struct {
	version clock.Version
	changes []document.Change
}

// reserve returns the number of reserve documents of a window of n.
func reserve(n int) int { return 8 + n/4 }

// end returns the number of documents that the window needs; negative means all.
func (w *window) end() int {
	if w.query.Limit == query.NoLimit {
		return -1
	}
	return w.query.Offset + w.query.Limit
}

// capacity returns the maximum number of documents of a window of q; negative means no limit.
func capacity(q *query.Query) int {
	if q.Limit == query.NoLimit {
		return -1
	}
	return q.Offset + q.Limit + reserve(q.Limit)
}

// visible returns the documents within the query's limit and offset.
func (w *window) visible() []*document.Document {
	docs := w.docs[min(w.query.Offset, len(w.docs)):]
	if w.query.Limit != query.NoLimit && len(docs) > w.query.Limit {
		docs = docs[:w.query.Limit]
	}
	return docs
}

// short reports whether the window lacks documents that may exist.
func (w *window) short() bool { return !w.complete && len(w.docs) < w.end() }

// replace replaces a document's old state with its new one. Nil means absent or not matching.
func (w *window) replace(before, after *document.Document) {
	if before != nil {
		if i, ok := slices.BinarySearchFunc(w.docs, before, w.query.Compare); ok {
			w.bytes -= weight(w.docs[i])
			w.docs = slices.Delete(w.docs, i, i+1)
		}
	}
	if after == nil {
		return
	}
	i, _ := slices.BinarySearchFunc(w.docs, after, w.query.Compare)
	if i == len(w.docs) && !w.complete {
		return // Documents that the window lacks may precede it.
	}
	w.docs = slices.Insert(w.docs, i, after)
	w.bytes += weight(after)
	if most := capacity(w.query); most >= 0 && len(w.docs) > most {
		for _, d := range w.docs[most:] {
			w.bytes -= weight(d)
		}
		w.docs = slices.Delete(w.docs, most, len(w.docs))
		w.complete = false
	}
}

// unload drops the view's window, which is loaded again when it is needed.
func (v *view) unload() {
	v.win = nil
	v.countWindow()
	if v.loading != nil {
		v.loading.stale = true
	}
}

// fetch reads a window at a version. It returns ResourceExhausted for a window that alone exceeds what all may hold.
func (f *feedReader) fetch(ctx context.Context, q *query.Query, at request.At) (*window, error) {
	reading, err := f.engine().Read(ctx, f.name, at)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	w := &window{query: q, from: reading.Version(), complete: true}
	wide := *q
	wide.Offset, wide.Limit, wide.HasSelect, wide.Select = 0, capacity(q), false, nil
	if wide.Limit < 0 {
		wide.Limit = query.NoLimit
	}
	_, err = reading.Query(ctx, &wide, func(d *document.Document) error {
		w.docs = append(w.docs, d)
		if w.bytes += weight(d); w.bytes > f.hub.o.MaxWindowBytes {
			return errWindows()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.complete = wide.Limit == query.NoLimit || len(w.docs) < wide.Limit
	return w, nil
}

// slide computes the delta of a view with a window. feedReader.mu is held.
func (v *view) slide(ctx context.Context, at clock.Version, j *query.Judge, changes []document.Change) *delta {
	if v.loading != nil {
		v.loading.late = append(v.loading.late, lateCommit{version: at, changes: changes})
		return nil
	}
	if v.win == nil || at <= v.win.from {
		return nil
	}
	if !v.concerned(j, changes) {
		return nil
	}
	defer v.countWindow()
	before := slices.Clone(v.win.visible())
	if err := v.advance(ctx, at, j, changes); err != nil {
		v.feed.hub.o.Log.Error("the window of a query could not be refilled", "error", err)
		v.win = nil
		return &delta{version: at, lost: true}
	}
	return v.difference(at, before, v.win.visible(), changes)
}

// concerned reports whether one of the changed documents is or was in the view.
func (v *view) concerned(j *query.Judge, changes []document.Change) bool {
	for _, c := range changes {
		if v.showsBy(j, c.Before) || v.showsBy(j, c.After) {
			return true
		}
	}
	return false
}

// advance applies a commit to the window, and refills it at that version if it ran short.
func (v *view) advance(ctx context.Context, at clock.Version, j *query.Judge, changes []document.Change) error {
	for _, c := range changes {
		before, after := c.Before, c.After
		if !v.showsBy(j, before) {
			before = nil
		}
		if !v.showsBy(j, after) {
			after = nil
		}
		v.win.replace(before, after)
	}
	if v.win.short() {
		w, err := v.feed.fetch(ctx, v.query, request.At{ReadTime: at})
		if err != nil {
			return err
		}
		v.win = w
	}
	return nil
}

// difference returns how the visible documents changed.
func (v *view) difference(at clock.Version, before, after []*document.Document, changes []document.Change) *delta {
	d := &delta{version: at}
	old := make(map[resource.Document]*document.Document, len(before))
	for _, doc := range before {
		old[doc.Name] = doc
	}
	// Documents that remain in old after this loop are no longer visible. They are reported in the order of before, not
	// of the map.
	for _, doc := range after {
		if was, ok := old[doc.Name]; !ok || was.UpdateTime != doc.UpdateTime {
			d.add(v, change{kind: target.Changed, name: doc.Name}, doc)
		}
		delete(old, doc.Name)
	}
	changed := make(map[resource.Document]*document.Document, len(changes))
	for _, c := range changes {
		changed[c.Name] = c.After
	}
	for _, doc := range before {
		if _, gone := old[doc.Name]; !gone {
			continue
		}
		// Others have displaced a document that this commit did not change: the client has its present state, and it
		// only leaves the target.
		now, touched := changed[doc.Name]
		switch {
		case touched && now == nil:
			d.add(v, change{kind: target.Deleted, name: doc.Name}, nil)
		case touched:
			d.add(v, change{kind: target.Changed, name: doc.Name, left: now}, now)
		default:
			d.add(v, change{kind: target.Left, name: doc.Name}, nil)
		}
	}
	if len(d.changes) == 0 {
		return nil
	}
	return d
}

// load makes sure that the view of a target has its window. It is called without feedReader.mu.
func (f *feedReader) load(ctx context.Context, t *activeTarget) error {
	for {
		f.mu.Lock()
		v := t.view
		if v.win != nil {
			f.mu.Unlock()
			return nil
		}
		// Another stream loads the window. Its load may fail or be stale, so the window is checked again afterwards.
		if l := v.loading; l != nil {
			f.mu.Unlock()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-l.done:
			}
			continue
		}
		// The query runs without the lock. Meanwhile slide collects the view's commits in l.late, and adopt applies
		// those after the window's version. No commit is lost in between: loading is set before the window is read, and
		// cleared under the same lock under which the window is adopted. The loop ends at its next iteration, or
		// repeats a stale load.
		l := &loading{done: make(chan struct{})}
		v.loading = l
		f.mu.Unlock()
		w, err := f.fetch(ctx, v.query, request.At{})
		f.mu.Lock()
		v.loading = nil
		close(l.done)
		if err == nil && !l.stale {
			err = v.adopt(ctx, w, l.late)
		}
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// adopt sets a loaded window and applies the commits that arrived meanwhile. feedReader.mu is held.
func (v *view) adopt(ctx context.Context, w *window, late []lateCommit) error {
	defer v.countWindow()
	v.win = w
	for _, c := range late {
		if c.version <= w.from {
			continue
		}
		if err := v.advance(ctx, c.version, nil, c.changes); err != nil {
			v.win = nil
			return err
		}
	}
	return nil
}
