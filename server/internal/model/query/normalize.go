package query

import (
	"math"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Limits of queries.
const (
	maxIn               = 30
	maxNotIn            = 10
	maxDisjunctions     = 30
	maxParts            = 100
	maxInequalityFields = 10
	maxNearest          = 1000
	maxDimensions       = 2048
	maxFieldName        = 1500
)

// Normalize validates a query and returns its normal form, with flattened filters and the complete order up to the
// document's name, so that equivalent queries become equal. It does not change the receiver. It returns InvalidArgument
// with Firestore's texts.
func (q *Query) Normalize() (*Query, error) {
	n := *q
	if err := n.checkScope(); err != nil {
		return nil, err
	}
	if q.Limit < NoLimit {
		return nil, fault.E(fault.InvalidArgument, "limit is negative")
	}
	if q.Offset < 0 {
		return nil, fault.E(fault.InvalidArgument, "offset is negative")
	}
	where, err := q.checkFilter()
	if err != nil {
		return nil, err
	}
	where = prune(where)
	f, err := survey(where)
	if err != nil {
		return nil, err
	}
	n.Where = flatten(foldEmpty(where))
	// Cursors have values for the order that the client sent, which n.OrderBy still is here.
	if err := n.checkCursors(); err != nil {
		return nil, err
	}
	if n.OrderBy, err = implied(q.OrderBy, f.inequalities); err != nil {
		return nil, err
	}
	n.Implied = len(n.OrderBy) - len(q.Requested())
	// The filter is checked as it was sent, with the complete order: the official emulator's texts quote the client's
	// filter.
	if err := n.checkIndexed(q.Where); err != nil {
		return nil, err
	}
	if err := n.checkNearest(); err != nil {
		return nil, err
	}
	if n.HasSelect {
		n.Select = slices.Clone(q.Select)
		slices.SortFunc(n.Select, value.FieldPath.Compare)
		n.Select = slices.CompactFunc(n.Select, value.FieldPath.Equal)
	}
	return &n, nil
}

// checkScope checks the collections. It replaces an absent selector with its meaning: every collection of the parent.
func (q *Query) checkScope() error {
	if q.Parent != "" {
		if err := resource.CheckPath(q.Parent); err != nil {
			return err
		}
	}
	switch len(q.From) {
	case 0:
		q.From = []From{{}}
	case 1:
	default:
		return fault.E(fault.InvalidArgument, "StructuredQuery.from cannot have more than one collection selector.")
	}
	if id := q.From[0].Collection; id != "" {
		return resource.CheckCollectionID(id)
	}
	return nil
}

// implied returns the complete order: the query's own, then the fields of inequalities in alphabetical order, then the
// document's name, in the direction of the query's last order.
func implied(orders []Order, inequalities []value.FieldPath) ([]Order, error) {
	out := slices.Clone(orders)
	desc := len(orders) > 0 && orders[len(orders)-1].Desc
	has := func(path value.FieldPath) bool {
		return slices.ContainsFunc(out, func(o Order) bool { return o.Path.Equal(path) })
	}
	for i, o := range orders {
		if slices.ContainsFunc(orders[:i], func(p Order) bool { return p.Path.Equal(o.Path) }) {
			return nil, fault.E(fault.InvalidArgument, "order by clause cannot contain duplicate fields %s", o.Path)
		}
		if len(o.Path) > 1 && o.Path[0] == value.NamePath[0] {
			return nil, fault.E(fault.InvalidArgument, "the name __key__ is reserved")
		}
	}
	slices.SortFunc(inequalities, compareRendered)
	for _, path := range inequalities {
		if !has(path) && !path.IsName() {
			out = append(out, Order{Path: path, Desc: desc})
		}
	}
	// All names differ, so a field after the name would have no effect.
	for i, o := range out {
		if o.Path.IsName() && i < len(out)-1 {
			return nil, fault.E(fault.InvalidArgument, "order by clause cannot contain more fields after the key")
		}
	}
	if !has(value.NamePath) {
		out = append(out, Order{Path: value.NamePath, Desc: desc})
	}
	return out, nil
}

// compareRendered orders paths by their text.
func compareRendered(a, b value.FieldPath) int { return strings.Compare(a.String(), b.String()) }

// checkCursors checks cursors against the order that the client has sent.
func (q *Query) checkCursors() error {
	for _, c := range []*Cursor{q.Start, q.End} {
		if c == nil {
			continue
		}
		explicit := q.OrderBy
		if len(c.Values) > len(explicit) {
			return fault.E(fault.InvalidArgument, "Cursor has too many values.")
		}
		for i, v := range c.Values {
			if !explicit[i].Path.IsName() {
				continue
			}
			name, err := nameOf(v, "Cursor __key__ value is not a document reference.")
			if err != nil {
				return err
			}
			if name.DB != q.DB {
				return fault.E(fault.InvalidArgument, "The cursor key is in a different database than the query")
			}
		}
	}
	return nil
}

// nameOf returns the document that a value names, which is compared with a document's name.
func nameOf(v value.Value, refusal string) (resource.Document, error) {
	ref, ok := v.(value.Reference)
	if !ok {
		return resource.Document{}, fault.E(fault.InvalidArgument, "%s", refusal)
	}
	return resource.ParseReference(string(ref))
}

// checkNearest checks the search for vectors.
func (q *Query) checkNearest() error {
	n := q.Nearest
	switch {
	case n == nil:
		return nil
	case n.Limit < 1 || n.Limit > maxNearest:
		return fault.E(fault.InvalidArgument, "FindNearest.limit must be a positive integer of no more than %d", maxNearest)
	case n.Measure < Euclidean || n.Measure > DotProduct:
		return fault.E(fault.InvalidArgument, "Unknown Distance Measure.")
	case q.Limit != NoLimit:
		return fault.E(fault.InvalidArgument, "A query limit cannot be used with FindNearest")
	case q.Offset > 0:
		return fault.E(fault.InvalidArgument, "A query offset cannot be used with FindNearest")
	case q.Start != nil || q.End != nil:
		return fault.E(fault.InvalidArgument, "A cursor cannot be used with FindNearest")
	case n.Threshold != nil && (math.IsInf(*n.Threshold, 0) || math.IsNaN(*n.Threshold)):
		return fault.E(fault.InvalidArgument, "distanceThreshold must be a finite number.")
	case len(n.Vector) == 0:
		return fault.E(fault.InvalidArgument, "Cannot have a zero length vector.")
	case len(n.Vector) > maxDimensions:
		return fault.E(fault.InvalidArgument, "Vectors must be at most %d dimensions.", maxDimensions)
	case len(n.ResultField) == 1 && len(n.ResultField[0]) > maxFieldName:
		return fault.E(fault.InvalidArgument, "The distanceResultField.property.name is longer than %d bytes.", maxFieldName)
	case len(n.ResultField) == 1 && reservedName(n.ResultField[0]):
		return fault.E(fault.InvalidArgument, "The distanceResultField.property.name \"%s\" is reserved.", n.ResultField[0])
	}
	return nil
}

// reservedName reports whether a field's name has the form __x__, where x is not empty.
func reservedName(s string) bool {
	return len(s) > 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}
