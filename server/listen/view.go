package listen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/live"
	"clave/server/query"
	"clave/server/resource"
)

// view is what one query or one set of documents shows, for all who listen to it. Its fields are guarded by
// follower.mu.
type view struct {
	follower *follower
	// key is the same for views that show the same.
	key string
	// query is the query; nil for documents.
	query *query.Query
	// names are the documents, without query.
	names []resource.Document
	// subs are the targets that receive changes.
	subs []*target
	// win is the window of a query with a limit or an offset; nil until it is loaded.
	win *window
	// loading is the load under way, or nil.
	loading *loading
	// since is from which version on all commits are known to touch it or not; touched is the last one that did.
	since, touched clock.Version
	// first is what it showed lately, or nil.
	first *first
	// hits are the changes of the commit in hand that may concern the view.
	hits []document.Change
}

// delta is what one commit changes in a view; its parts are shared by all listeners.
type delta struct {
	version clock.Version
	changes []change
	// lost reports that the view could not be kept, and its targets have to be reset.
	lost bool
	// size is about how many bytes of documents it holds.
	size int
	// holders is how many streams have it waiting.
	holders atomic.Int32
}

// change is what happens to one document of a view.
type change struct {
	kind live.Kind // Changed, Deleted or Left
	name resource.Document
	doc  *live.Shown // of Changed
	// leaves reports that a Changed document leaves.
	leaves bool
}

// viewKey returns the key of the view of a target.
func viewKey(t *Target) string {
	if t.Query != nil {
		return "q" + t.Query.Fingerprint()
	}
	var b strings.Builder
	b.WriteByte('d')
	for _, name := range t.Documents {
		fmt.Fprintf(&b, "%d:%s", len(name.Path), name.Path)
	}
	return b.String()
}

// windowed reports whether the view needs a window.
func (v *view) windowed() bool {
	return v.query != nil && (v.query.Limit != query.NoLimit || v.query.Offset > 0)
}

// attach subscribes a target to its view, which is made where there is none.
func (f *follower) attach(t *target) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := viewKey(&t.want)
	v := f.mu.views.byKey[key]
	if v == nil {
		v = &view{follower: f, key: key, query: t.want.Query, names: t.want.Documents, since: f.mu.version}
		f.mu.views.add(v)
	}
	t.view, t.place = v, len(v.subs)
	v.subs = append(v.subs, t)
}

// detach ends the subscription. A view without listeners is removed.
func (f *follower) detach(t *target) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := t.view
	if v == nil {
		return
	}
	t.view = nil
	last := len(v.subs) - 1
	v.subs[t.place] = v.subs[last]
	v.subs[t.place].place = t.place
	v.subs[last] = nil
	v.subs = v.subs[:last]
	if last == 0 {
		f.dropFirstLocked(v)
		f.mu.views.remove(v)
	}
}

// change works out what the changes of a commit change here; nil when nothing. follower.mu is held.
func (v *view) change(ctx context.Context, at clock.Version, changes []document.Change) *delta {
	if v.windowed() {
		return v.slide(ctx, at, changes)
	}
	d := &delta{version: at}
	for _, c := range changes {
		before, after := v.shows(c.Before), v.shows(c.After)
		switch {
		case after:
			d.add(v, change{kind: live.Changed, name: c.Name}, c.After)
		case v.query == nil && c.After == nil:
			d.add(v, change{kind: live.Deleted, name: c.Name}, nil)
		case before && c.After == nil:
			d.add(v, change{kind: live.Deleted, name: c.Name}, nil)
		case before:
			d.add(v, change{kind: live.Changed, name: c.Name, leaves: true}, c.After)
		}
	}
	if len(d.changes) == 0 {
		return nil
	}
	return d
}

// shows reports whether a document is in the view, its limit and offset left aside.
func (v *view) shows(d *document.Document) bool {
	if d == nil {
		return false
	}
	if v.query == nil {
		return slices.Contains(v.names, d.Name)
	}
	return v.query.Matches(d) && v.query.InCursors(d)
}

// add adds a change, with its document if it has one.
func (d *delta) add(v *view, c change, doc *document.Document) {
	if doc != nil {
		c.doc = v.show(doc)
		d.size += doc.Size()
	}
	d.changes = append(d.changes, c)
}

// show returns a document as listeners of the view see it.
func (v *view) show(d *document.Document) *live.Shown {
	if v.query != nil {
		d = v.query.Project(d)
	}
	return &live.Shown{Document: d}
}
