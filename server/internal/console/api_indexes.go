package console

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/meter"
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
	// Count is the number of queries since the start that needed a missing index, and Last the time of the latest one.
	Count int64  `json:"count,omitempty"`
	Last  string `json:"last,omitempty"`
	// Uses is the number of queries since the start that used a present index, and LastUse the time of the latest one.
	Uses    int64  `json:"uses"`
	LastUse string `json:"lastUse,omitempty"`
	// Entries and Bytes are the number and the size of the entries, up to mostCounted entries. More is set if there are
	// more.
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
	More    bool  `json:"more,omitempty"`
	// JSON is the definition in the form of firestore.indexes.json.
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

// mostCounted is the maximum number of entries of an index that are counted.
const mostCounted = 10_000

// maxMissing is the number of definitions that MissingIndexes keeps.
const maxMissing = 1000

// MissingIndexes records the missing indexes that queries needed. It is safe for concurrent use; the zero value is
// empty.
type MissingIndexes struct {
	mu  sync.Mutex
	all map[string]*missing // guarded by mu
}

// missing is a missing index that queries needed.
type missing struct {
	db         resource.Database
	definition index.Definition
	count      int64
	last       time.Time
}

// Add records that a query needed a missing index.
func (w *MissingIndexes) Add(db resource.Database, d index.Definition, now time.Time) {
	key := db.String() + d.JSON()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[string]*missing)
	}
	one := w.all[key]
	if one == nil {
		if len(w.all) >= maxMissing {
			return
		}
		one = &missing{db: db, definition: d}
		w.all[key] = one
	}
	one.count++
	one.last = now
}

// find returns the recorded definition of a database with the given JSON, and whether there is one.
func (w *MissingIndexes) find(db resource.Database, text string) (index.Definition, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.all[db.String()+text]; one != nil {
		return one.definition, true
	}
	return index.Definition{}, false
}

// of returns the missing indexes of a database, the most frequently needed first.
func (w *MissingIndexes) of(db resource.Database) []indexJSON {
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

// getIndexes returns the present composite indexes, and the missing ones that queries needed.
func (c *Console) getIndexes(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	all, err := c.o.Authorizer.Indexes(in.caller(db.Project), db)
	if err != nil {
		return nil, err
	}
	out := make([]indexJSON, len(all))
	there := make(map[string]bool, len(all))
	for i, one := range all {
		if out[i], err = c.presentIndex(in, db, one); err != nil {
			return nil, err
		}
		there[out[i].JSON] = true
	}
	needed := slices.DeleteFunc(c.o.Missing.of(db), func(i indexJSON) bool { return there[i.JSON] })
	return map[string]any{
		"mode": c.o.IndexMode, "file": orNull(c.indexFile(db)), "indexes": out, "needed": needed, "since": timeText(c.o.Meter.Started()),
	}, nil
}

// indexFile returns the path of a database's index file, its own or the default database's.
func (c *Console) indexFile(db resource.Database) string {
	return cmp.Or(c.o.IndexFiles[db.ID], c.o.IndexFiles[resource.DefaultDatabase])
}

// presentIndex returns an index that the database has.
func (c *Console) presentIndex(in *call, db resource.Database, one index.Status) (indexJSON, error) {
	defined := c.o.Defined(db)
	out := indexOf(one.Definition)
	out.State, out.Origin = "ready", "built"
	if one.Building {
		out.State = "building"
	}
	if slices.ContainsFunc(defined, one.Definition.Equal) {
		out.Origin = "file"
	}
	use := c.o.Meter.Uses(meter.Index{Database: db.String(), Collection: one.CollectionGroup, Scope: one.Scope, Properties: one.Properties})
	if out.Uses = use.Count; use.Count > 0 {
		out.LastUse = timeText(use.Last)
	}
	var err error
	out.Entries, out.Bytes, err = c.o.Authorizer.IndexSize(in.Context(), in.caller(db.Project), db, one.Definition, mostCounted)
	if fault.Is(err, fault.NotFound) { // it was removed meanwhile
		return out, nil
	}
	out.More = out.Entries == mostCounted
	return out, err
}

// postIndexFile adds a missing index to the index file of the database.
func (c *Console) postIndexFile(in *call) (any, error) {
	var body struct {
		databaseBody
		JSON string `json:"json"`
	}
	db, err := in.decodeAt(&body, &body.databaseBody)
	if err != nil {
		return nil, err
	}
	definition, ok := c.o.Missing.find(db, body.JSON)
	if !ok {
		return nil, fault.E(fault.NotFound, "No query has lacked this index since the start: %s", body.JSON)
	}
	file := c.indexFile(db)
	if file == "" || c.o.AddIndex == nil {
		return nil, fault.E(fault.FailedPrecondition, "firebase.json names no file for indexes.")
	}
	ended, err := in.change(db.Project, "add an index", file)
	if err != nil {
		return nil, err
	}
	err = c.o.AddIndex(db, definition)
	ended(err)
	return map[string]string{"file": file}, err
}
