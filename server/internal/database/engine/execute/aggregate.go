package execute

import (
	"bytes"
	"errors"
	"slices"

	"clave/server/internal/database/engine/scan"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// Names calls yield with the paths of a query's results in order. It reads documents only if the index does not
// suffice, or if the query has an offset or a limit: a page may begin or end among values that are truncated in the
// index, whose order the index lacks.
func (x *Run) Names(yield func(path string) error) error {
	if !x.Covers() || x.q.Limit != query.NoLimit || x.q.Offset > 0 {
		return x.Documents(func(d *document.Document) error { return yield(d.Name.Path) })
	}
	return x.hits(func(h *scan.Hit) error {
		path, err := x.plan.Scope.Path(h.Tail())
		if err != nil {
			return err
		}
		return yield(path)
	})
}

// Covers reports whether the keys that the plan reads are exactly those of the results.
func (x *Run) Covers() bool {
	return x.plan.Exact && !x.plan.Walk && len(x.state.Overlay) == 0 && x.q.Nearest == nil
}

// Constant reports whether a field has an equality: its entries don't distinguish integers and doubles.
func (x *Run) Constant(paths []value.FieldPath) bool {
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
func (x *Run) hits(yield func(*scan.Hit) error) error {
	if len(x.plan.Alternatives) == 0 {
		return nil
	}
	rows := scan.New(x.ctx, x.state.Reader, x.plan.Alternatives, x.q, &x.Stats)
	defer func() { _ = rows.Close() }() // The end below returns its error.
	for h := rows.Next(); h != nil; h = rows.Next() {
		if h.Truncated {
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
	return rows.Close()
}

// Count counts the results without reading them.
func (x *Run) Count(a *query.Aggregation, acc *query.Accumulator) error {
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
	err := x.hits(func(*scan.Hit) error {
		if n++; n == most {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	x.Stats.Skipped = min(n, int64(x.q.Offset))
	acc.AddCount(n - x.Stats.Skipped)
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

// Sum passes the fields of the results' entries to the accumulator.
func (x *Run) Sum(paths []value.FieldPath, acc *query.Accumulator) error {
	return x.hits(func(h *scan.Hit) error {
		d, ok := x.figures(h, paths)
		if !ok || h.Truncated {
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
func (x *Run) figures(h *scan.Hit, paths []value.FieldPath) (d *document.Document, ok bool) {
	d, ok = &document.Document{Fields: value.Map{}}, true
	acc := h.Alt.Accesses[0]
	h.Fields(func(i int, b []byte, whole bool) bool {
		path := h.Alt.Shape.Order[i].Path
		if !slices.ContainsFunc(paths, path.Equal) {
			return true
		}
		if acc.Descending[i] {
			b = index.Invert(bytes.Clone(b))
		}
		double, known := h.Info.IsDouble(acc.FirstField + i)
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
