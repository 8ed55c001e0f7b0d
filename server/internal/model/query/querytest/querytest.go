// Package querytest computes the results of queries for tests: it filters and sorts all documents.
package querytest

import (
	"iter"
	"slices"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
)

// Results returns the results of a normalized query in its order, without its offset and limit.
func Results(q *query.Query, docs iter.Seq[*document.Document]) []*document.Document {
	var out []*document.Document
	for d := range docs {
		if q.Matches(d) && q.InCursors(d) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, q.Compare)
	return out
}

// Page applies the offset and the limit of a query to its results.
func Page(q *query.Query, results []*document.Document) []*document.Document {
	results = results[min(len(results), q.Offset):]
	if q.Limit != query.NoLimit {
		results = results[:min(len(results), q.Limit)]
	}
	return results
}

// Paths returns the paths of documents.
func Paths(docs []*document.Document) []string {
	out := make([]string, len(docs))
	for i, d := range docs {
		out[i] = d.Name.Path
	}
	return out
}
