package listen

import (
	"math"
	"strconv"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// routes finds the views that a changed document may affect, without comparing it with every query: by its path, its
// collection's path, its collection's id, and within a collection by the value of a field that a query compares for
// equality. The result is a superset; view.change decides.
type routes struct {
	// byKey holds all views by their keys.
	byKey map[string]*view
	// documents holds the views of single documents, by the document's path.
	documents map[string]map[*view]struct{}
	// collections and groups hold the views of queries, by the collection's path or, for any depth, its id.
	collections, groups map[string]*collectionViews
	// rest holds the views of queries over all collections.
	rest map[*view]struct{}
	// found is the result of affected, kept for its memory.
	found []*view
}

// collectionViews holds the views of one collection. A view whose query requires a field to equal a value is stored
// under that value, and the others in rest.
type collectionViews struct {
	equal map[string]map[string]map[*view]struct{} // field path → value → views
	paths map[string]value.FieldPath
	rest  map[*view]struct{}
}

// newRoutes returns routes without views.
func newRoutes() routes {
	return routes{
		byKey: make(map[string]*view), documents: make(map[string]map[*view]struct{}),
		collections: make(map[string]*collectionViews), groups: make(map[string]*collectionViews), rest: make(map[*view]struct{}),
	}
}

// add adds a view.
func (r *routes) add(v *view) {
	r.byKey[v.key] = v
	for _, name := range v.names {
		if r.documents[name.Path] == nil {
			r.documents[name.Path] = make(map[*view]struct{})
		}
		r.documents[name.Path][v] = struct{}{}
	}
	if v.query == nil {
		return
	}
	if table, key := r.table(v); table == nil {
		r.rest[v] = struct{}{}
	} else {
		s := table[key]
		if s == nil {
			s = &collectionViews{
				equal: make(map[string]map[string]map[*view]struct{}), paths: make(map[string]value.FieldPath),
				rest: make(map[*view]struct{}),
			}
			table[key] = s
		}
		s.add(v)
	}
}

// remove removes a view.
func (r *routes) remove(v *view) {
	delete(r.byKey, v.key)
	for _, name := range v.names {
		delete(r.documents[name.Path], v)
		if len(r.documents[name.Path]) == 0 {
			delete(r.documents, name.Path)
		}
	}
	if v.query == nil {
		return
	}
	table, key := r.table(v)
	if table == nil {
		delete(r.rest, v)
		return
	}
	if s := table[key]; s.remove(v) {
		delete(table, key)
	}
}

// table returns the table and key of a query's view. The table is nil for queries of all collections.
func (r *routes) table(v *view) (table map[string]*collectionViews, key string) {
	from := v.query.From
	switch {
	case len(from) != 1 || from[0].Collection == "":
		return nil, ""
	case from[0].AllDescendants:
		return r.groups, from[0].Collection
	case v.query.Parent == "":
		return r.collections, from[0].Collection
	default:
		return r.collections, v.query.Parent + "/" + from[0].Collection
	}
}

// affected returns the views that the changes may affect, each with its changes in hits.
func (r *routes) affected(changes []document.Change) []*view {
	r.found = r.found[:0]
	for _, c := range changes {
		col := c.Name.Collection()
		if s := r.collections[col.Path()]; s != nil {
			r.addAffectedBy(s, c)
		}
		if s := r.groups[col.ID]; s != nil {
			r.addAffectedBy(s, c)
		}
		r.addAffected(r.rest, c)
		r.addAffected(r.documents[c.Name.Path], c) // Queries come before documents, as recorded.
	}
	return r.found
}

// addAffected adds a change to every view of a set.
func (r *routes) addAffected(views map[*view]struct{}, c document.Change) {
	for v := range views {
		if n := len(v.hits); n > 0 && v.hits[n-1].Name == c.Name {
			continue // found by its value before and after
		} else if n == 0 {
			r.found = append(r.found, v)
		}
		v.hits = append(v.hits, c)
	}
}

// addAffectedBy adds a change to the views of a collection that it may concern.
func (r *routes) addAffectedBy(s *collectionViews, c document.Change) {
	for path, views := range s.equal {
		for _, d := range []*document.Document{c.Before, c.After} {
			if d == nil {
				continue
			}
			if got, ok := d.Get(s.paths[path]); ok {
				if key, ok := equalityKey(got); ok {
					r.addAffected(views[key], c)
				}
			}
		}
	}
	r.addAffected(s.rest, c)
}

// add adds a view.
func (s *collectionViews) add(v *view) {
	path, key, ok := equality(v.query.Where)
	if !ok {
		s.rest[v] = struct{}{}
		return
	}
	name := path.String()
	s.paths[name] = path
	if s.equal[name] == nil {
		s.equal[name] = make(map[string]map[*view]struct{})
	}
	if s.equal[name][key] == nil {
		s.equal[name][key] = make(map[*view]struct{})
	}
	s.equal[name][key][v] = struct{}{}
}

// remove removes a view and reports whether none is left.
func (s *collectionViews) remove(v *view) bool {
	if path, key, ok := equality(v.query.Where); ok {
		name := path.String()
		delete(s.equal[name][key], v)
		if len(s.equal[name][key]) == 0 {
			delete(s.equal[name], key)
		}
		if len(s.equal[name]) == 0 {
			delete(s.equal, name)
			delete(s.paths, name)
		}
	} else {
		delete(s.rest, v)
	}
	return len(s.rest) == 0 && len(s.equal) == 0
}

// equality returns a field that must equal a value for the filter to hold. ok is false if there is none.
func equality(f query.Filter) (path value.FieldPath, key string, ok bool) {
	switch f := f.(type) {
	case *query.And:
		for _, part := range f.Filters {
			if path, key, ok := equality(part); ok {
				return path, key, true
			}
		}
	case query.Field:
		if f.Op == query.Equal {
			key, ok := equalityKey(f.Value)
			return f.Path, key, ok
		}
	}
	return nil, "", false
}

// equalityKey returns a string that is the same for equal values. ok is false for kinds without such a string.
func equalityKey(v value.Value) (key string, ok bool) {
	switch v := v.(type) {
	case value.Null:
		return "n", true
	case value.Bool:
		return "b" + strconv.FormatBool(bool(v)), true
	case value.Int:
		return "i" + strconv.FormatInt(int64(v), 10), true
	case value.Double:
		if f := float64(v); f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64 {
			return "i" + strconv.FormatInt(int64(f), 10), true
		}
		return "d" + strconv.FormatFloat(float64(v), 'g', -1, 64), true
	case value.String:
		return "s" + string(v), true
	case value.Reference:
		return "r" + string(v), true
	case value.Bytes:
		return "y" + string(v), true
	default:
		return "", false
	}
}
