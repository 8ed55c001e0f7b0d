package engine

import (
	"slices"
	"strings"

	"clave/server/fault"
	"clave/server/index"
	"clave/server/operation"
	"clave/server/query"
)

// plan is how a query is read.
type plan struct {
	alts []*alternative
	// exact says that the alternatives give what the query wants, in its order; else what they give is filtered and
	// sorted.
	exact bool
	// walk says that all documents below the parent are walked over, for want of a collection.
	walk bool
	// missing are the definitions of indexes that the query should have, each once.
	missing []index.Definition
	// wanted are those of missing without which documents have to be filtered and sorted.
	wanted []index.Definition
}

// newPlan plans a query.
func (r *Reading) newPlan(q *query.Query) (plan, error) {
	s := newScope(r, q)
	if s.id == "" {
		return plan{walk: true}, nil
	}
	conjunctions, err := q.DNF()
	if err != nil {
		return plan{}, err
	}
	p := plan{exact: true}
	var shapes []*shape
	for _, c := range conjunctions {
		h := newShape(&s, q, c)
		if h.none {
			continue
		}
		shapes = append(shapes, h)
		a := choose(s, h)
		if a == nil || q.Nearest != nil && !nearestIndexed(&s, h, q.Nearest) || needsNameIndex(r, &s, h) {
			if d := missing(&s, h, q.Nearest); !slices.ContainsFunc(p.missing, d.Equal) {
				p.missing = append(p.missing, d)
			}
		}
		if a == nil {
			p.exact = false
			if d := missing(&s, h, nil); !slices.ContainsFunc(p.wanted, d.Equal) {
				p.wanted = append(p.wanted, d)
			}
			continue
		}
		p.alts = append(p.alts, a.spread()...)
	}
	if !p.exact {
		p.alts = nil
		for _, h := range shapes {
			p.alts = append(p.alts, closest(s, h).spread()...)
		}
	}
	return p, nil
}

// needsNameIndex reports whether production would want an index for the order by name alone, backwards.
func needsNameIndex(r *Reading, s *scope, h *shape) bool {
	if r.e.o.IndexMode == IndexesOff || !h.desc || len(h.equals) > 0 || len(h.order) > 0 {
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
func nearestIndexed(s *scope, h *shape, n *query.Nearest) bool {
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

// spread returns an alternative as what has to be read: documents at the root are not in their collection group's keys and
// are read as a collection.
func (a *alternative) spread() []*alternative {
	if !a.accesses[0].bare || a.scope.parent != "" {
		return []*alternative{a}
	}
	root := a.scope
	root.group, root.collection = false, append(index.AppendPath(nil, a.scope.id), pathEnd)
	h := *a.shape
	h.names = root.restrictNames(h.filters)
	b := walkNames(root, &h)
	b.lift = index.AppendPath(nil, a.scope.id)
	b.exact = a.exact
	return []*alternative{a, b}
}

// closest returns how to read, for a shape without an index, a set of documents that is not much greater: those with
// all or some of the equalities, else those in the range of one field, else those that have one field of the order, else
// all.
func closest(s scope, h *shape) *alternative {
	loose := &shape{filters: h.filters, spans: map[string][]index.Span{}, names: h.names}
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
	for _, restricted := range []bool{true, false} {
		for _, o := range h.order {
			path := o.Path.String()
			spans, ok := h.spans[path]
			if ok != restricted || !s.indexed(path, false, false) {
				continue
			}
			loose.order = []query.Order{{Path: o.Path}}
			if ok {
				loose.spans[path] = spans
			}
			if a := choose(s, loose); a != nil {
				a.exact = false
				return a
			}
		}
	}
	loose.order = nil
	a := walkNames(s, loose)
	a.exact = false
	return a
}

// admit reports missing indexes and has them built, or refuses the query for them, as the mode says.
func (r *Reading) admit(p *plan, q *query.Query, stats *operation.Stats) error {
	if len(p.missing) == 0 {
		return nil
	}
	for _, d := range p.missing {
		stats.Missing = append(stats.Missing, d.JSON())
	}
	if r.e.o.Needed != nil {
		for _, d := range p.missing {
			r.e.o.Needed(r.db.name, d)
		}
	}
	if r.e.o.IndexMode == IndexesEnforce {
		return fault.E(fault.FailedPrecondition, "The query requires an index. You can create it by adding this to "+
			"firestore.indexes.json: %s", strings.Join(stats.Missing, ", "))
	}
	for i, definition := range stats.Missing {
		key := r.db.name.String() + definition
		if _, heard := r.e.missing.LoadOrStore(key, true); heard {
			continue
		}
		if r.e.o.Missing != nil {
			r.e.o.Missing(r.db.name, p.missing[i])
			continue
		}
		r.e.o.Log.Warn("query without index: documents are filtered and sorted", "database", r.db.name.String(),
			"collection", strings.TrimPrefix(q.Parent+"/"+q.From[0].Collection, "/"), "index", definition)
	}
	if r.e.o.IndexMode == IndexesAuto {
		for _, d := range p.wanted {
			r.e.builder.request(r.db, d)
		}
	}
	return nil
}

// describe lists the plans of a query.
func (p *plan) describe() []operation.Plan {
	if p.walk {
		return []operation.Plan{{Indexes: []operation.PlanIndex{{Scope: scopeDocuments, Properties: "(__name__ ASC)"}}, Filtered: true}}
	}
	var out []operation.Plan
	for _, a := range p.alts {
		one := operation.Plan{Filtered: !p.exact, Sorted: !p.exact}
		for _, acc := range a.accesses {
			one.Indexes = append(one.Indexes, acc.label)
		}
		out = append(out, one)
	}
	return out
}
