package query

import (
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// AggregateOp is the operation of an aggregate.
type AggregateOp uint8

// The aggregates.
const (
	// Count counts the documents.
	Count AggregateOp = iota + 1
	// Sum adds the numbers of a field.
	Sum
	// Avg averages the numbers of a field.
	Avg
)

// Aggregate is one aggregate over the results of a query.
type Aggregate struct {
	// Alias is its name in the response.
	Alias string
	// Op is its operation.
	Op AggregateOp
	// Path is the field of Sum and Avg.
	Path value.FieldPath
	// Capped reports that Count stops at UpTo.
	Capped bool
	// UpTo is the number at which a capped Count stops.
	UpTo int64
}

// Aggregation computes figures over the results of a query.
type Aggregation struct {
	// Query selects the documents.
	Query *Query
	// Fields are the figures.
	Fields []Aggregate
}

// maxAggregates is the maximum number of figures that one request may have.
const maxAggregates = 5

// Normalize validates an aggregation and returns its normal form: a normalized query, and an alias for every aggregate.
// It does not change the receiver. It returns InvalidArgument with Firestore's texts.
func (a *Aggregation) Normalize() (*Aggregation, error) {
	q, err := a.Query.Normalize()
	if err != nil {
		return nil, err
	}
	out := &Aggregation{Query: q, Fields: slices.Clone(a.Fields)}
	switch {
	case len(out.Fields) == 0:
		return nil, fault.E(fault.InvalidArgument, "Aggregations can not be empty.")
	case len(out.Fields) > maxAggregates:
		return nil, fault.E(fault.InvalidArgument, "The maximum number of aggregations allowed in an aggregation query is %d. Received: %d",
			maxAggregates, len(out.Fields))
	}
	taken, unnamed := make(map[string]bool), 0
	for i, f := range out.Fields {
		if err := f.check(q); err != nil {
			return nil, err
		}
		if f.Alias == "" {
			unnamed++
			f.Alias = fmt.Sprintf("field_%d", unnamed)
			out.Fields[i] = f
		}
		if taken[f.Alias] {
			return nil, fault.E(fault.InvalidArgument, "Aggregation aliases contain duplicate alias: %s.", f.Alias)
		}
		taken[f.Alias] = true
	}
	if err := out.checkOrder(a.Query); err != nil {
		return nil, err
	}
	if q.Limit != NoLimit || q.Offset > 0 {
		// The counted documents depend on the order, which is that of an index with all summed fields.
		out.Query = q.OrderedAlso(out.Paths())
	}
	return out, nil
}

// check validates one figure over a normalized query.
func (f Aggregate) check(q *Query) error {
	switch {
	case len(f.Alias) > maxFieldName:
		return fault.E(fault.InvalidArgument, "The property.name is longer than %d bytes.", maxFieldName)
	case reservedName(f.Alias):
		return fault.E(fault.InvalidArgument, "The property.name \"%s\" is reserved.", f.Alias)
	case f.Op == 0:
		return fault.E(fault.InvalidArgument, "Operator field in Aggregation is not set.")
	case f.Op == Count && f.Capped && f.UpTo < 0:
		return fault.E(fault.InvalidArgument, "The `up_to` value in a COUNT aggregation must be greater than or equal to zero.")
	case f.Op != Count && f.Path.IsName():
		return fault.E(fault.InvalidArgument, "Aggregations are not supported for the property: __key__")
	case f.Op == Count || !q.HasSelect:
		return nil
	case !slices.ContainsFunc(q.Select, func(path value.FieldPath) bool { return !path.IsName() }):
		return fault.E(fault.InvalidArgument, "Aggregation over non-key properties is not supported for base query that only returns keys.")
	case !slices.ContainsFunc(q.Select, f.Path.HasPrefix):
		return fault.E(fault.InvalidArgument, "The aggregation property %s is not present in the base query's property mask.", f.Path)
	default:
		return fault.E(fault.InvalidArgument, "Cannot apply property masks when aggregation fields are present.")
	}
}

// checkOrder refuses aggregations that no index could serve: an index would end with the summed fields, but no field
// can follow the document's name. q is the query as it was sent. A collection group below a document, or one of all
// collections, is read in the order of names.
func (a *Aggregation) checkOrder(q *Query) error {
	byName := len(q.From) > 0 && q.From[0].AllDescendants && (q.Parent != "" || q.From[0].Collection == "")
	if !byName && !comparesName(q.Where) && !slices.ContainsFunc(q.OrderBy, func(o Order) bool { return o.Path.IsName() }) {
		return nil
	}
	var after []string
	for _, path := range a.Paths() {
		if !slices.ContainsFunc(a.Query.OrderBy, func(o Order) bool { return o.Path.Equal(path) }) {
			after = append(after, path.String())
		}
	}
	if len(after) == 0 {
		return nil
	}
	slices.Sort(after)
	return fault.E(fault.InvalidArgument, "This query requires an index that has fields [%s] after __name__ and Firestore does not "+
		"currently support such an index. Please try the query again with additional ordering on those fields.",
		strings.Join(after, ", "))
}

// comparesName reports whether a filter compares the document's name.
func comparesName(f Filter) bool {
	switch x := f.(type) {
	case *And:
		return slices.ContainsFunc(x.Filters, comparesName)
	case *Or:
		return slices.ContainsFunc(x.Filters, comparesName)
	case Field:
		return x.Path.IsName()
	default:
		return false
	}
}

// Paths returns the fields that a document must have to count for any of the figures.
func (a *Aggregation) Paths() []value.FieldPath {
	var paths []value.FieldPath
	for _, f := range a.Fields {
		if f.Op != Count && !slices.ContainsFunc(paths, f.Path.Equal) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// Bound returns the number of documents that suffice for all aggregates, or NoLimit.
func (a *Aggregation) Bound() int64 {
	var bound int64
	for _, f := range a.Fields {
		if f.Op != Count || !f.Capped {
			return NoLimit
		}
		bound = max(bound, f.UpTo)
	}
	return bound
}
