package engine

import (
	"context"

	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// A partition's points are chosen among every partitionStep-th document, and half of these are returned. Of 10
// requested points production returns none for 5 documents, 1 for 100 and 8 for 1,000.
const partitionStep = 60

// Partition returns at most n points that divide a normalized query's results, in its order, into parts of similar
// size. It returns none for small results.
func (r *Reading) Partition(ctx context.Context, q *query.Query, n int) ([]query.Cursor, error) {
	x, err := r.newRun(ctx, q)
	if err != nil {
		return nil, err
	}
	var points []string
	count := 0
	err = x.Names(func(path string) error {
		if count++; count%partitionStep == 0 {
			points = append(points, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	n = min(n, (len(points)+1)/2)
	out := make([]query.Cursor, 0, max(n, 0))
	for i := range n {
		path := points[(i+1)*len(points)/(n+1)]
		name := value.Reference(r.db.document(path).String())
		out = append(out, query.Cursor{Values: []value.Value{name}, Before: true})
	}
	return out, nil
}
