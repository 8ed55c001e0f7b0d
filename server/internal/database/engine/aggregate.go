package engine

import (
	"context"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// Aggregate computes aggregations over the results of a normalized query. It returns their values by alias, and what
// was read. It reads only indexes if they hold all the fields. In a transaction it waits for the range's lock.
func (r *Reading) Aggregate(ctx context.Context, a *query.Aggregation) (map[string]value.Value, request.Stats, error) {
	hold, err := r.lockQuery(ctx, a.Query)
	if err != nil {
		return nil, request.Stats{}, err
	}
	defer r.turn.Rest()
	if err := r.turn.Start(ctx); err != nil {
		return nil, request.Stats{}, err
	}
	figures, stats, err := r.aggregate(ctx, a)
	if err != nil {
		return nil, stats, err
	}
	r.noteQuery(hold, a.Query, nil)
	stats.Results = 1
	return figures, stats, nil
}

// aggregate is Aggregate without locks. It chooses between an index and the documents.
func (r *Reading) aggregate(ctx context.Context, a *query.Aggregation) (map[string]value.Value, request.Stats, error) {
	paths := a.Paths()
	acc := query.NewAccumulator(a)
	q := a.Query
	covering := len(paths) > 0 && coverable(q)
	if covering {
		q = q.OrderedAlso(paths)
	}
	x, err := r.newRun(ctx, q)
	if err != nil {
		return nil, request.Stats{}, err
	}
	switch {
	case covering && x.Covers() && !x.Constant(paths):
		err = x.Sum(paths, acc)
	case len(paths) == 0 && x.Covers():
		err = x.Count(a, acc)
	default:
		if q != a.Query {
			// The longer order was only for an index that doesn't exist.
			plans, missing := x.Stats.Plans, x.Stats.Missing
			if x, err = r.newRun(ctx, a.Query); err != nil {
				return nil, request.Stats{}, err
			}
			if len(x.Stats.Missing) == 0 {
				x.Stats.Plans, x.Stats.Missing = plans, missing
			}
		}
		err = x.Documents(func(d *document.Document) error { acc.Add(d); return nil })
	}
	if err != nil {
		return nil, x.Stats, err
	}
	return acc.Results(), x.Stats, nil
}

// coverable reports whether an index can hold all fields of the aggregations if the query's order is extended by them.
func coverable(q *query.Query) bool {
	return q.Limit == query.NoLimit && q.Offset == 0 && q.Nearest == nil && q.From[0].Collection != ""
}
