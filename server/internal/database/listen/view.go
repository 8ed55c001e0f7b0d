package listen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
)

// view is one query or one set of documents, shared by all targets that listen to it. Its fields are guarded by
// feedReader.mu.
type view struct {
	feed *feedReader
	// key identifies the query or the documents.
	key string
	// query is the query; nil for documents.
	query *query.Query
	// names are the documents, without query.
	names []resource.Document
	// subs are the targets that receive changes.
	subs []*activeTarget
	// win is the window of a query with a limit or an offset; nil until it is loaded.
	win *window
	// counted is the number of bytes of the window that Hub.windows includes.
	counted int
	// loading is the load in progress, or nil.
	loading *loading
	// since is the version from which touched is valid. touched is the last commit that touched the view.
	since, touched clock.Version
	// first is its first snapshot, or nil.
	first *first
	// hits holds the changes of the current commit that may affect the view.
	hits []document.Change
}

// delta holds the changes of one commit in a view. All listeners share its parts.
type delta struct {
	version clock.Version
	changes []change
	// lost is set if the window could not be maintained, so that the targets have to be reset.
	lost bool
	// looked, if not nil, are documents that the commit changes and on which authorizations depend, by path, as they
	// are after it; nil means absent. Such a delta has no changes for its targets: it only has them authorized.
	looked map[string]*document.Document
	// size is the approximate size of its documents, in bytes.
	size int
	// holders is the number of streams for which it waits.
	holders atomic.Int32
}

// change is the change of one document of a view.
type change struct {
	kind target.Kind // Changed, Deleted or Left
	name resource.Document
	doc  *target.Shown // of Changed
	// left is the document with all of its fields if a Changed document leaves. Clients that may not get it receive
	// Left.
	left *document.Document
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

// attach subscribes a target to its view, which it creates if necessary.
func (f *feedReader) attach(t *activeTarget) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := viewKey(&t.want)
	v := f.mu.views.byKey[key]
	if v == nil {
		v = &view{feed: f, key: key, query: t.want.Query, names: t.want.Documents, since: f.mu.version}
		f.mu.views.add(v)
	}
	t.view, t.place = v, len(v.subs)
	v.subs = append(v.subs, t)
}

// detach ends the subscription. A view without listeners is removed.
func (f *feedReader) detach(t *activeTarget) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropDependencesLocked(t)
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
		v.unload()
		f.dropFirstLocked(v)
		f.mu.views.remove(v)
	}
}

// change computes the delta of a commit, or nil if the view does not change. feedReader.mu is held.
func (v *view) change(ctx context.Context, at clock.Version, j *query.Judge, changes []document.Change) *delta {
	if v.windowed() {
		return v.slide(ctx, at, j, changes)
	}
	d := &delta{version: at}
	for _, c := range changes {
		before, after := v.showsBy(j, c.Before), v.showsBy(j, c.After)
		switch {
		case after:
			d.add(v, change{kind: target.Changed, name: c.Name}, c.After)
		case v.query == nil && c.After == nil:
			d.add(v, change{kind: target.Deleted, name: c.Name}, nil)
		case before && c.After == nil:
			d.add(v, change{kind: target.Deleted, name: c.Name}, nil)
		case before:
			d.add(v, change{kind: target.Changed, name: c.Name, left: c.After}, c.After)
		}
	}
	if len(d.changes) == 0 {
		return nil
	}
	return d
}

// shows reports whether a document is in the view, ignoring its limit and offset.
func (v *view) shows(d *document.Document) bool { return v.showsBy(nil, d) }

// showsBy is shows with a Judge, which may be nil.
func (v *view) showsBy(j *query.Judge, d *document.Document) bool {
	if d == nil {
		return false
	}
	if v.query == nil {
		return slices.Contains(v.names, d.Name)
	}
	return v.query.MatchesBy(j, d) && v.query.InCursorsBy(j, d)
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
func (v *view) show(d *document.Document) *target.Shown {
	if v.query != nil {
		d = v.query.Project(d)
	}
	return &target.Shown{Document: d}
}
