package console

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"clave/server/index"
	"clave/server/resource"
)

// fieldJSON is a field of an index.
type fieldJSON struct {
	Path   string `json:"path"`
	Order  string `json:"order,omitempty"`
	Array  bool   `json:"array,omitempty"`
	Vector int    `json:"vector,omitempty"`
}

// indexJSON is a composite index.
type indexJSON struct {
	Collection string      `json:"collection"`
	Scope      string      `json:"scope"`
	Fields     []fieldJSON `json:"fields"`
	State      string      `json:"state,omitempty"`
	Origin     string      `json:"origin,omitempty"`
	// Count is how many queries wanted the index since the start, and Last when; for those that are missing.
	Count int64  `json:"count,omitempty"`
	Last  string `json:"last,omitempty"`
	// JSON is the definition as firestore.indexes.json has it.
	JSON string `json:"json"`
}

// indexOf returns a definition.
func indexOf(d index.Definition) indexJSON {
	out := indexJSON{Collection: d.CollectionGroup, Scope: "COLLECTION", Fields: []fieldJSON{}, JSON: d.JSON()}
	if d.Group {
		out.Scope = "COLLECTION_GROUP"
	}
	for _, f := range d.Fields {
		one := fieldJSON{Path: f.Path}
		switch f.Mode {
		case index.Ascending:
			one.Order = "ASCENDING"
		case index.Descending:
			one.Order = "DESCENDING"
		case index.Contains:
			one.Array = true
		case index.Vector:
			one.Vector = f.Dimension
		}
		out.Fields = append(out.Fields, one)
	}
	return out
}

// maxWanted is how many definitions Wanted keeps.
const maxWanted = 1000

// Wanted keeps which indexes queries have lacked. It is safe for concurrent use; the zero value is empty.
type Wanted struct {
	mu  sync.Mutex
	all map[string]*wanted // guarded by mu
}

// wanted is an index that queries have lacked.
type wanted struct {
	db         resource.Database
	definition index.Definition
	count      int64
	last       time.Time
}

// Add notes that a query has lacked an index.
func (w *Wanted) Add(db resource.Database, d index.Definition, now time.Time) {
	key := db.String() + d.JSON()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[string]*wanted)
	}
	one := w.all[key]
	if one == nil {
		if len(w.all) >= maxWanted {
			return
		}
		one = &wanted{db: db, definition: d}
		w.all[key] = one
	}
	one.count++
	one.last = now
}

// of returns the indexes that queries of a database have lacked, the most wanted first.
func (w *Wanted) of(db resource.Database) []indexJSON {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := []indexJSON{}
	for _, one := range w.all {
		if one.db == db {
			i := indexOf(one.definition)
			i.Count, i.Last = one.count, timeText(one.last)
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b indexJSON) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.JSON, b.JSON)) })
	return out
}

// getIndexes answers the composite indexes that there are, and those that queries have lacked.
func (c *Console) getIndexes(in *call) (any, error) {
	db, err := in.database(place{})
	if err != nil {
		return nil, err
	}
	all, err := c.o.Guard.Indexes(in.caller(db.Project), db)
	if err != nil {
		return nil, err
	}
	defined := c.o.Defined[db]
	if defined == nil {
		defined = c.o.Defined[resource.Database{}]
	}
	out := make([]indexJSON, len(all))
	there := make(map[string]bool, len(all))
	for i, one := range all {
		out[i] = indexOf(one.Definition)
		out[i].State, out[i].Origin = "ready", "built"
		if one.Building {
			out[i].State = "building"
		}
		if slices.ContainsFunc(defined, one.Definition.Equal) {
			out[i].Origin = "file"
		}
		there[out[i].JSON] = true
	}
	needed := slices.DeleteFunc(c.o.Wanted.of(db), func(i indexJSON) bool { return there[i.JSON] })
	file := c.o.IndexFiles[db.ID]
	return map[string]any{"mode": c.o.IndexMode, "file": orNull(cmp.Or(file, c.o.IndexFiles[resource.DefaultDatabase])), "indexes": out, "needed": needed}, nil
}
