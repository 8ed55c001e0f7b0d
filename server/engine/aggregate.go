package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"clave/server/document"
	"clave/server/index"
	"clave/server/operation"
	"clave/server/query"
	"clave/server/value"
)

// Aggregate computes aggregations over the results of a normalized query. It reads only indexes if they hold all the
// fields. In a transaction it waits for the range's lock.
func (r *Reading) Aggregate(ctx context.Context, a *query.Aggregation) (map[string]value.Value, operation.Stats, error) {
	hold, err := r.lockQuery(ctx, a.Query)
	if err != nil {
		return nil, operation.Stats{}, err
	}
	figures, stats, err := r.aggregate(ctx, a)
	if err != nil {
		return nil, stats, err
	}
	r.noteQuery(hold, a.Query, nil)
	stats.Results = 1
	return figures, stats, nil
}

// aggregate chooses between an index and the documents.
func (r *Reading) aggregate(ctx context.Context, a *query.Aggregation) (map[string]value.Value, operation.Stats, error) {
	paths := a.Paths()
	acc := query.NewAccumulator(a)
	q := a.Query
	covering := len(paths) > 0 && coverable(q)
	if covering {
		q = q.OrderedAlso(paths)
	}
	x, err := r.newRun(ctx, q)
	if err != nil {
		return nil, operation.Stats{}, err
	}
	switch {
	case covering && x.covers() && !x.constant(paths):
		err = x.sum(paths, acc)
	case len(paths) == 0 && x.covers():
		err = x.count(a, acc)
	default:
		if x.q != a.Query {
			// The longer order was only for an index that doesn't exist.
			plans, missing := x.stats.Plans, x.stats.Missing
			if x, err = r.newRun(ctx, a.Query); err != nil {
				return nil, operation.Stats{}, err
			}
			if len(x.stats.Missing) == 0 {
				x.stats.Plans, x.stats.Missing = plans, missing
			}
		}
		err = x.documents(func(d *document.Document) error { acc.Add(d); return nil })
	}
	if err != nil {
		return nil, x.stats, err
	}
	return acc.Results(), x.stats, nil
}

// coverable reports whether an index can hold all fields of the aggregations if the query's order is extended by them.
func coverable(q *query.Query) bool {
	return q.Limit == query.NoLimit && q.Offset == 0 && q.Nearest == nil && q.From[0].Collection != ""
}

// covers reports whether the keys that the plan reads are exactly those of the results.
func (x *run) covers() bool {
	return x.plan.Exact && !x.plan.Walk && len(x.overlay) == 0 && x.q.Nearest == nil
}

// constant reports whether a field has an equality: its entries don't distinguish integers and doubles.
func (x *run) constant(paths []value.FieldPath) bool {
	for _, a := range x.plan.Alternatives {
		for _, path := range paths {
			if a.Shape.Equality(path.String(), false) != nil {
				return true
			}
		}
	}
	return false
}

// hits calls yield with the keys of the results, in order except for truncated values. It reads documents only if a
// value was truncated.
func (x *run) hits(yield func(*hit) error) error {
	if len(x.plan.Alternatives) == 0 {
		return nil
	}
	rows := newRows(x.ctx, x.r.view, x.plan.Alternatives, x.q, &x.stats)
	defer rows.close()
	for h := rows.next(); h != nil; h = rows.next() {
		if h.truncated {
			d, err := x.read(h)
			if err != nil {
				return err
			}
			if d == nil || !x.matches(d) {
				continue
			}
		}
		if err := yield(h); err != nil {
			return err
		}
	}
	rows.close()
	return rows.err
}

// count counts the results without reading them.
func (x *run) count(a *query.Aggregation, acc *query.Accumulator) error {
	most := int64(-1)
	if x.q.Limit != query.NoLimit {
		most = int64(x.q.Offset) + int64(x.q.Limit)
	}
	if enough, capped := upTo(a); capped && (most < 0 || int64(x.q.Offset)+enough < most) {
		most = int64(x.q.Offset) + enough
	}
	if most == 0 {
		return nil
	}
	n := int64(0)
	err := x.hits(func(*hit) error {
		if n++; n == most {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	x.stats.Skipped = min(n, int64(x.q.Offset))
	acc.AddCount(n - x.stats.Skipped)
	return nil
}

// upTo returns the number of documents after which all counts have reached their limits. capped is false if a count has
// no limit.
func upTo(a *query.Aggregation) (n int64, capped bool) {
	for _, f := range a.Fields {
		if !f.Capped {
			return 0, false
		}
		n = max(n, f.UpTo)
	}
	return n, true
}

// sum passes the fields of the results' entries to the accumulator.
func (x *run) sum(paths []value.FieldPath, acc *query.Accumulator) error {
	return x.hits(func(h *hit) error {
		d, ok := x.figures(h, paths)
		if !ok || h.truncated {
			var err error
			if d, err = x.read(h); err != nil {
				return err
			}
		}
		acc.Add(d)
		return nil
	})
}

// figures returns a document with the numbers of an entry. ok is false if the entry does not have all of them.
func (x *run) figures(h *hit, paths []value.FieldPath) (d *document.Document, ok bool) {
	d, ok = &document.Document{Fields: value.Map{}}, true
	acc := h.alt.Accesses[0]
	h.fields(func(i int, b []byte, whole bool) bool {
		path := h.alt.Shape.Order[i].Path
		if !slices.ContainsFunc(paths, path.Equal) {
			return true
		}
		if acc.Descending[i] {
			b = index.Invert(bytes.Clone(b))
		}
		double, known := h.info.IsDouble(acc.FirstField + i)
		if ok = known && whole; ok {
			d.Fields = d.Fields.Set(path, number(b, double))
		}
		return ok
	})
	return d, ok
}

// number returns the number in a component, or null if it is not a number.
func number(component []byte, double bool) value.Value {
	d, n, whole, ok := index.Number(component)
	switch {
	case !ok:
		return value.Null{}
	case double || !whole:
		return value.Double(d)
	}
	return value.Int(n)
}
