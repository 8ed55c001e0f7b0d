package firestoreadmin

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/store"
)

// The states of indexes.
const (
	stateCreating = "CREATING"
	stateReady    = "READY"
)

// indexJSON is an index of the API.
type indexJSON struct {
	Name       string           `json:"name,omitempty"`
	QueryScope string           `json:"queryScope"`
	Fields     []indexFieldJSON `json:"fields"`
	State      string           `json:"state,omitempty"`
	APIScope   string           `json:"apiScope,omitempty"`
	Density    string           `json:"density,omitempty"`
	Multikey   bool             `json:"multikey,omitempty"`
	Unique     bool             `json:"unique,omitempty"`
	ShardCount int              `json:"shardCount,omitempty"`
}

// indexFieldJSON is a field of an index.
type indexFieldJSON struct {
	FieldPath    string          `json:"fieldPath"`
	Order        string          `json:"order,omitempty"`
	ArrayConfig  string          `json:"arrayConfig,omitempty"`
	VectorConfig *vectorJSON     `json:"vectorConfig,omitempty"`
	SearchConfig json.RawMessage `json:"searchConfig,omitempty"`
}

// vectorJSON is the configuration of a vector in an index.
type vectorJSON struct {
	Dimension int       `json:"dimension"`
	Flat      *struct{} `json:"flat"`
}

// idOf returns the id of an index, which is derived from its definition.
func idOf(d index.Definition) string {
	sum := sha256.Sum256(index.Format(index.Definitions{Indexes: []index.Definition{d}}))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// shownIndex returns an index as the API shows it: with the document's name, whose order is that of the last field
// with an order, before a vector.
func shownIndex(database string, d index.Definition, state string) *indexJSON {
	out := &indexJSON{
		Name: database + "/collectionGroups/" + d.CollectionGroup + "/indexes/" + idOf(d), QueryScope: index.Scope(d.Group), State: state, APIScope: "ANY_API", Density: "SPARSE_ALL",
	}
	name := indexFieldJSON{FieldPath: "__name__", Order: "ASCENDING"}
	var vectors []indexFieldJSON
	named := false
	for _, f := range d.Fields {
		shown := indexFieldJSON{FieldPath: f.Path}
		switch f.Mode {
		case index.Vector:
			shown.VectorConfig = &vectorJSON{f.Dimension, &struct{}{}}
			vectors = append(vectors, shown)
			continue
		case index.Contains:
			shown.ArrayConfig = "CONTAINS"
		case index.Descending:
			shown.Order = "DESCENDING"
		default:
			shown.Order = "ASCENDING"
		}
		if shown.Order != "" {
			name.Order = shown.Order
		}
		named = named || f.Path == name.FieldPath
		out.Fields = append(out.Fields, shown)
	}
	if !named {
		out.Fields = append(out.Fields, name)
	}
	out.Fields = append(out.Fields, vectors...)
	return out
}

// definition returns the definition of an index of a collection group. It checks it as the files are checked.
func (in *indexJSON) definition(group string) (index.Definition, error) {
	for _, f := range in.Fields {
		if f.SearchConfig != nil {
			return index.Definition{}, fault.E(fault.Unimplemented, "This server does not have indexes for searches (searchConfig).")
		}
	}
	if in.Multikey || in.Unique || in.APIScope != "" && in.APIScope != "ANY_API" || in.Density == "DENSE" || in.Density == "SPARSE_ANY" {
		return index.Definition{}, fault.E(fault.Unimplemented, "This server has indexes with the api_scope ANY_API and the density SPARSE_ALL only, neither multikey nor unique.")
	}
	fields := slices.Clone(in.Fields)
	// Before a vector, the document's name adds nothing.
	if n := len(fields); n > 1 && fields[n-1].VectorConfig != nil && fields[n-2].FieldPath == "__name__" {
		fields = slices.Delete(fields, n-2, n-1)
	}
	text, err := json.Marshal(map[string]any{"indexes": []any{map[string]any{"collectionGroup": group, "queryScope": in.QueryScope, "fields": fields}}})
	if err != nil {
		return index.Definition{}, err
	}
	defs, _, err := index.ParseDefinitions(text)
	if err != nil {
		return index.Definition{}, fault.Wrap(err, fault.InvalidArgument, "The index is not valid: %s", fault.FromError(err).Message)
	}
	if d := defs.Indexes[0]; !d.Single() {
		return d, nil
	}
	return index.Definition{}, fault.E(fault.InvalidArgument, "this index is not necessary, configure using single field index controls")
}

// stateOf is an index with its state.
type stateOf struct {
	index.Definition
	state string
}

// indexesLocked returns the indexes of a database: those in force, and those that are being created; mu is held.
func (a *API) indexesLocked(database string) ([]stateOf, error) {
	defs, err := a.o.Releases.Definitions(database)
	if err != nil {
		return nil, err
	}
	var all []stateOf
	for _, d := range defs.Indexes {
		all = append(all, stateOf{d, stateReady})
	}
	for _, o := range a.ofLocked(database) {
		if o.Index != nil && !o.isDone() && !slices.ContainsFunc(defs.Indexes, o.Index.Equal) {
			all = append(all, stateOf{*o.Index, stateCreating})
		}
	}
	return all, nil
}

// find returns the indexes of the collection group of a call, all of the database for the group "-".
func (a *API) find(c *route.Call) (name string, found []stateOf, err error) {
	if name, err = a.database(c); err != nil {
		return "", nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	all, err := a.indexesLocked(c.Vars["database"])
	for _, d := range all {
		if group := c.Vars["group"]; group == "-" || group == d.CollectionGroup {
			found = append(found, d)
		}
	}
	return name, found, err
}

// listIndexes returns the composite indexes.
func (a *API) listIndexes(_ context.Context, c *route.Call) (any, error) {
	name, found, err := a.find(c)
	if err != nil {
		return nil, err
	}
	all := make([]*indexJSON, len(found))
	for i, d := range found {
		all[i] = shownIndex(name, d.Definition, d.state)
	}
	page, next, err := route.Page(c, all, maxPage)
	return struct {
		Indexes []*indexJSON `json:"indexes,omitempty"`
		Next    string       `json:"nextPageToken,omitempty"`
	}{page, next}, err
}

// maxPage is the number of indexes and fields of a page, for tools that read one page only.
const maxPage = 1000

// errNoIndex returns the error for an index that does not exist.
func errNoIndex(name string, c *route.Call) error {
	return fault.E(fault.NotFound, "Index %s/collectionGroups/%s/indexes/%s not found", name, c.Vars["group"], c.Vars["index"])
}

// getIndex returns an index.
func (a *API) getIndex(_ context.Context, c *route.Call) (any, error) {
	name, found, err := a.find(c)
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		if idOf(d.Definition) == c.Vars["index"] {
			return shownIndex(name, d.Definition, d.state), nil
		}
	}
	return nil, errNoIndex(name, c)
}

// createIndex begins to create an index.
func (a *API) createIndex(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	var in indexJSON
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	d, err := in.definition(c.Vars["group"])
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	all, err := a.indexesLocked(c.Vars["database"])
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(other stateOf) bool { return other.Equal(d) }) {
		return nil, fault.E(fault.AlreadyExists, "index already exists")
	}
	if len(all) >= index.MaxComposites {
		return nil, fault.E(fault.ResourceExhausted, "The database has %d composite indexes, the maximum.", index.MaxComposites)
	}
	o := &operation{Database: c.Vars["database"], By: c.By(), Index: &d}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	return shownOperation(name, o), nil
}

// deleteIndex deletes an index. When it returns, queries do not use it any more.
func (a *API) deleteIndex(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	err = a.o.Releases.ChangeIndexes(ctx, c.By(), c.Vars["database"], func(defs index.Definitions) (index.Definitions, error) {
		kept := slices.DeleteFunc(slices.Clone(defs.Indexes), func(d index.Definition) bool {
			return d.CollectionGroup == c.Vars["group"] && idOf(d) == c.Vars["index"]
		})
		if len(kept) == len(defs.Indexes) {
			return defs, errNoIndex(name, c)
		}
		return index.Definitions{Indexes: kept, Overrides: defs.Overrides}, nil
	})
	if errors.Is(err, store.ErrClosed) {
		err = fault.Wrap(err, fault.Unavailable, "The server is stopping. Please try again.")
	}
	if err != nil {
		return nil, fmt.Errorf("delete an index: %w", err)
	}
	return nil, nil
}
