// Package planner plans queries. From a query and the indexes of a database it computes a plan: the ranges of keys to
// read, whether they yield the results in order, and the indexes that are missing. It reads no data and has no state.
// The engine runs the plan, and explain shows it.
package planner

import (
	"slices"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// Input holds what a plan depends on besides the query.
type Input struct {
	// DB and Number are the database and its number in keys.
	DB     resource.Database
	Number uint32
	// Indexes holds the indexes of the database.
	Indexes *index.Set
	// Serves reports whether a composite index of the database has all entries of the state that is read.
	Serves func(*index.Composite) bool
	// Former, if not nil, are other indexes of which the state that is read may have the entries instead. A
	// single-field index is used only if it is in both.
	Former *index.Set
	// DescendingNames is set if a descending order by name alone requires an index, as in production.
	DescendingNames bool
}

// Plan describes how to read a query.
type Plan struct {
	// Scope is the scope of the query.
	Scope Scope
	// Alternatives lists the reads, one or two for each alternative of the query's filter.
	Alternatives []*Alternative
	// Exact is set if the alternatives yield exactly the results, in the query's order. Otherwise the engine filters
	// and sorts.
	Exact bool
	// Walk is set if all documents below the parent are read, because the query names no collection.
	Walk bool
	// Missing lists the definitions of indexes that the query should have, each once.
	Missing []index.Definition
	// Wanted lists those of Missing without which documents have to be filtered and sorted.
	Wanted []index.Definition
}

// ReadsEntries reports whether the plan reads entries of indexes, and not only documents.
func (p *Plan) ReadsEntries() bool {
	return slices.ContainsFunc(p.Alternatives, func(a *Alternative) bool {
		return slices.ContainsFunc(a.Accesses, func(x Access) bool { return !x.Documents })
	})
}

// New plans a normalized query. It fails when the query's filter has too many alternatives.
func New(in *Input, q *query.Query) (*Plan, error) {
	p := &Plan{Scope: newScope(in, q)}
	s := &p.Scope
	if s.id == "" {
		p.Walk = true
		return p, nil
	}
	conjunctions, err := q.DNF()
	if err != nil {
		return nil, err
	}
	p.Exact = true
	var shapes []*Shape
	for _, c := range conjunctions {
		h := newShape(s, q, c)
		if h.None {
			continue
		}
		shapes = append(shapes, h)
		a := choose(*s, h)
		if a == nil || q.Nearest != nil && !nearestIndexed(s, h, q.Nearest) || needsNameIndex(s, h) {
			p.Missing = appendOnce(p.Missing, missing(s, h, q.Nearest))
		}
		if a == nil {
			p.Exact = false
			p.Wanted = appendOnce(p.Wanted, missing(s, h, nil))
			continue
		}
		p.Alternatives = append(p.Alternatives, a.spread()...)
	}
	if !p.Exact { // The results are sorted anyway, so each alternative may be read in any order.
		p.Alternatives = nil
		for _, h := range shapes {
			p.Alternatives = append(p.Alternatives, closest(*s, h).spread()...)
		}
	}
	return p, nil
}

// appendOnce appends a definition that is not in the list.
func appendOnce(list []index.Definition, d index.Definition) []index.Definition {
	if slices.ContainsFunc(list, d.Equal) {
		return list
	}
	return append(list, d)
}

// needsNameIndex reports whether production would require an index for the shape's descending order by name alone.
func needsNameIndex(s *Scope, h *Shape) bool {
	if !s.in.DescendingNames || !h.Desc || len(h.equals) > 0 || len(h.Order) > 0 {
		return false
	}
	for _, c := range s.composites() {
		if len(c.Fields) == 1 && c.Fields[0].Path == nameField && c.Fields[0].Mode == index.Descending {
			return false
		}
	}
	return true
}

// nearestIndexed reports whether there is a vector index for a search: with the vector's field and dimension, and with
// every field of the filter.
func nearestIndexed(s *Scope, h *Shape, n *query.Nearest) bool {
	for _, c := range s.composites() {
		covered, vector := 0, false
		for _, f := range c.Fields {
			switch {
			case f.Mode == index.Vector:
				vector = f.Path == n.Path.String() && f.Dimension == len(n.Vector)
			case h.indexOf(f) >= 0:
				covered++
			}
		}
		if vector && covered == len(h.equals) {
			return true
		}
	}
	return false
}

// spread returns the reads of an alternative. Documents at the root are not in their collection group's keys, so they
// are read separately as a collection.
func (a *Alternative) spread() []*Alternative {
	if !a.Accesses[0].NamesOnly || a.scope.parent != "" {
		return []*Alternative{a}
	}
	root := a.scope
	root.group, root.collection = false, append(index.AppendPath(nil, a.scope.id), keys.PathEnd)
	h := *a.Shape
	h.names = root.restrictNames(h.filters)
	b := walkNames(root, &h)
	b.GroupPrefix = index.AppendPath(nil, a.scope.id)
	b.exact = a.exact
	return []*Alternative{a, b}
}

// closest returns an alternative for a shape without an index, which reads a small superset of its documents. It tries
// in turn: all or some of the equalities, the range of one field, the existence of one field of the order, and finally
// all documents.
func closest(s Scope, h *Shape) *Alternative {
	// loose is the shape with fewer conditions. Its order does not matter, since the results are sorted, so only
	// ascending indexes are considered. loose finds every document of the shape: omitting a filter only adds documents,
	// and a field of the order must exist, so the index of that field has all of them.
	loose := &Shape{filters: h.filters, spans: map[string][]index.Span{}, names: h.names}
	for _, e := range h.equals {
		if s.indexed(e.path, e.element, false) {
			loose.equals = append(loose.equals, e)
		}
	}
	if len(loose.equals) > maxEquals {
		loose.equals = loose.equals[:maxEquals]
	}
	if len(loose.equals) > 0 {
		if a := choose(s, loose); a != nil {
			a.exact = false
			return a
		}
	}
	loose.equals = nil
	// Fields with a range come first, because only a part of their index is read.
	for _, restricted := range []bool{true, false} {
		for _, o := range h.Order {
			path := o.Path.String()
			spans, ok := h.spans[path]
			if ok != restricted || !s.indexed(path, false, false) {
				continue
			}
			loose.Order = []query.Order{{Path: o.Path}}
			if ok {
				loose.spans[path] = spans
			}
			if a := choose(s, loose); a != nil {
				a.exact = false
				return a
			}
		}
	}
	loose.Order = nil
	a := walkNames(s, loose)
	a.exact = false
	return a
}

// Describe lists the plans of a query.
func (p *Plan) Describe() []request.Plan {
	if p.Walk {
		return []request.Plan{{Indexes: []request.PlanIndex{{Scope: scopeDocuments, Properties: "(__name__ ASC)"}}, Filtered: true}}
	}
	var out []request.Plan
	for _, a := range p.Alternatives {
		one := request.Plan{Filtered: !p.Exact, Sorted: !p.Exact}
		for _, acc := range a.Accesses {
			label := acc.Label
			if p.Scope.group {
				label.Scope = scopeGroup
			}
			one.Indexes = append(one.Indexes, label)
		}
		// The collection at the root is read by itself. For a client it is a part of the group's index.
		if p.Scope.group && !a.scope.group && slices.ContainsFunc(out, func(o request.Plan) bool { return slices.Equal(o.Indexes, one.Indexes) }) {
			continue
		}
		out = append(out, one)
	}
	return out
}
