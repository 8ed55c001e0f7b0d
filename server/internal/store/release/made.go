package release

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// Made are the properties of a database that was made while the server ran. firebase.json need not name it.
type Made struct {
	// Time is when it was made, and Location the label that its maker gave it.
	Time     time.Time `json:"time"`
	Location string    `json:"location"`
	// Enterprise is set for a database of the Enterprise edition.
	Enterprise bool `json:"enterprise,omitempty"`
	// Deleted is set from the deletion of the database until nothing is stored of it.
	Deleted bool `json:"deleted,omitempty"`
}

// Deleting returns the next release, in which a database that was made is marked as deleted, without files.
func (r *Release) Deleting(id, by string, at time.Time) *Release {
	next := r.Without(id, by, at)
	marked := Made{Deleted: true}
	if made := r.Files[id].Made; made != nil {
		marked = *made
		marked.Deleted = true
	}
	next.Files[id] = Database{Made: &marked}
	return next
}

// Without returns the next release, without a database.
func (r *Release) Without(id, by string, at time.Time) *Release {
	next := &Release{Version: r.Version + 1, Time: at.UTC().Truncate(time.Millisecond), By: by, Files: make(Files)}
	maps.Copy(next.Files, r.Files)
	delete(next.Files, id)
	return next
}

// Live has the databases of the release in force that were made. It is safe for concurrent use; its zero value and nil
// have none.
type Live struct {
	all atomic.Pointer[map[string]Made]
}

// Use replaces the databases by those of a release. Nil ignores them.
func (l *Live) Use(r *Release) {
	if l == nil {
		return
	}
	all := make(map[string]Made)
	for id, d := range r.Files {
		if d.Made != nil {
			all[id] = *d.Made
		}
	}
	l.all.Store(&all)
}

// Of returns a database that was made. One that was deleted is returned as long as something is stored of it. found is
// false for others.
func (l *Live) Of(id string) (m Made, found bool) {
	if l == nil || l.all.Load() == nil {
		return Made{}, false
	}
	m, found = (*l.all.Load())[id]
	return m, found
}

// Has reports whether a database was made and not deleted.
func (l *Live) Has(id string) bool {
	m, found := l.Of(id)
	return found && !m.Deleted
}

// IDs returns the ids of the databases that were made, in order: of those that exist, or of those that were deleted.
func (l *Live) IDs(deleted bool) (ids []string) {
	if l == nil || l.all.Load() == nil {
		return nil
	}
	for id, m := range *l.all.Load() {
		if m.Deleted == deleted {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
