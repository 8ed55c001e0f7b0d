package listen

import (
	"context"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/target"
)

// Limits of first snapshots in bytes: of one view, and of all views of a database. collected limits the first snapshots
// that all streams together hold while they are being sent, which a slow client may delay.
const (
	maxFirst  = 1 << 20
	maxFirsts = 32 << 20
	collected = 2 << 20
)

// first is the first snapshot of a view: its documents at a version. Clients that open the same query one after the
// other, as after a restart, receive it without another query of the engine, and its documents are encoded once.
//
// It may be used at a later version only if no commit in between has changed the view. So a reader first waits until
// the feed reader has applied all commits up to that version (reach); each commit drops the first snapshots that it
// changes (touchLocked). Then the reader checks whether the snapshot still exists. keepFirst stores a snapshot only if
// no commit has touched the view since it was read. Views with one listener keep none.
type first struct {
	version clock.Version
	docs    []*target.Shown
	bytes   int
}

// collection collects a first snapshot that is being read. It is abandoned if it, or all collections together, become
// too large.
type collection struct {
	hub   *Hub
	first *first
	// counted is the part of this collection in the hub's sum.
	counted int
}

// add adds a document.
func (c *collection) add(d *target.Shown, size int) {
	if c.first == nil {
		return
	}
	c.counted += size
	if c.hub.collecting.Add(int64(size)) > collected || c.first.bytes+size > maxFirst {
		c.give()
		return
	}
	c.first.bytes += size
	c.first.docs = append(c.first.docs, d)
}

// give returns the collected snapshot, or nil if it was abandoned, and stops counting it.
func (c *collection) give() *first {
	made := c.first
	c.hub.collecting.Add(int64(-c.counted))
	c.first, c.counted = nil, 0
	return made
}

// fillQuery sends all documents of a query's target at a reading.
func (s *Stream) fillQuery(ctx context.Context, t *activeTarget, r *engine.Reading) error {
	docs, known, err := s.feed.firstAt(ctx, t.view, r.Version())
	if err != nil {
		return err
	}
	if known {
		for _, d := range docs {
			if err := s.emit(&target.Event{Kind: target.Changed, Target: t.want.ID, Doc: d, Name: d.Document.Name}); err != nil {
				return err
			}
		}
		return nil
	}
	c := &collection{hub: s.hub, first: &first{version: r.Version()}}
	_, err = r.Query(ctx, unprojected(t.want.Query), func(d *document.Document) error {
		e := s.changed(t, d)
		c.add(e.Doc, d.Size())
		return s.emit(e)
	})
	if read := c.give(); err == nil && read != nil {
		s.feed.keepFirst(t.view, read)
	}
	return err
}

// firstAt returns the documents of a view at a version that was read, if a first snapshot has them. known is false
// otherwise.
func (f *feedReader) firstAt(ctx context.Context, v *view, at clock.Version) (docs []*target.Shown, known bool, err error) {
	f.mu.Lock()
	likely := v.first != nil && v.first.version <= at
	f.mu.Unlock()
	if !likely {
		return nil, false, nil
	}
	// Commits up to that version may not have been applied yet.
	if err := f.reach(ctx, at); err != nil {
		return nil, false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.first == nil || v.first.version > at {
		return nil, false, nil
	}
	return v.first.docs, true, nil
}

// keepFirst keeps the first snapshot of a view with several listeners, if the view has not changed since and the limits
// permit it.
func (f *feedReader) keepFirst(v *view, read *first) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(v.subs) < 2 || read.version < v.since || v.touched > read.version || read.bytes > maxFirst {
		return
	}
	f.dropFirstLocked(v)
	if f.mu.firstBytes+read.bytes > maxFirsts {
		return
	}
	v.first = read
	f.mu.firstBytes += read.bytes
}

// touchLocked records that a commit may have changed a view. f.mu is held.
func (f *feedReader) touchLocked(v *view, at clock.Version) {
	v.touched = at
	if v.first != nil && v.first.version < at {
		f.dropFirstLocked(v)
	}
}

// dropFirstLocked drops the first snapshot of a view; f.mu is held.
func (f *feedReader) dropFirstLocked(v *view) {
	if v.first != nil {
		f.mu.firstBytes -= v.first.bytes
		v.first = nil
	}
}

// dropFirsts drops the first snapshots of all views, so that views without changes don't hold their documents
// indefinitely.
func (f *feedReader) dropFirsts() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.firstBytes == 0 {
		return
	}
	for _, v := range f.mu.views.byKey {
		f.dropFirstLocked(v)
	}
}
