package console

import (
	"slices"
	"strings"

	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// maxCounted is the maximum number of documents of a collection that are counted.
const maxCounted = 10_000

// collectionJSON is a collection in the answer of GET /api/collections.
type collectionJSON struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Count *int64 `json:"count,omitempty"`
	More  bool   `json:"more,omitempty"`
}

// getCollections returns the collections under a document or the root, with their counts on request.
func (c *Console) getCollections(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	_, parent, err := resource.ParseParent(strings.TrimSuffix(db.Root()+"/"+in.query("parent"), "/"))
	if err != nil {
		return nil, err
	}
	caller := in.caller(db.Project)
	ids, err := c.o.Authorizer.CollectionIDs(in.Context(), caller, db, parent, request.At{})
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	out := make([]collectionJSON, len(ids))
	for i, id := range ids {
		out[i] = collectionJSON{ID: id, Path: resource.Collection{DB: db, Parent: parent, ID: id}.Path()}
		if in.query("counts") == "" {
			continue
		}
		// One more than is shown is counted, to detect whether there are more.
		q, err := (&query.Aggregation{
			Query:  &query.Query{DB: db, Parent: parent, From: []query.From{{Collection: id}}, Limit: query.NoLimit},
			Fields: []query.Aggregate{{Alias: "n", Op: query.Count, Capped: true, UpTo: maxCounted + 1}},
		}).Normalize()
		if err != nil {
			return nil, err
		}
		figures, _, _, err := c.o.Authorizer.Aggregate(in.Context(), caller, q, request.At{})
		if err != nil {
			return nil, err
		}
		counted, _ := figures["n"].(value.Int)
		n := min(int64(counted), maxCounted)
		out[i].Count, out[i].More = &n, int64(counted) > maxCounted
	}
	return map[string]any{"collections": out}, nil
}

// getGroups returns the ids of all collections.
func (c *Console) getGroups(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	ids, err := c.o.Authorizer.Groups(in.Context(), in.caller(db.Project), db)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return map[string]any{"groups": append([]string{}, ids...)}, nil
}
