package rules

import (
	"cmp"
	"slices"
	"strings"

	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
)

// facts holds the facts that follow from one alternative of a query's filter for every matching document.
type facts struct {
	fields map[string]*fact
	// name is the document that the alternative determines, or nil.
	name *resource.Document
}

// fact holds the facts about one field.
type fact struct {
	path  value.FieldPath
	field eval.Field
}

// gather collects the facts of an alternative.
func gather(q *query.Query, alternative query.Conjunction) *facts {
	f := &facts{fields: make(map[string]*fact)}
	for _, o := range q.OrderBy {
		if !o.Path.IsName() {
			f.of(o.Path) // a document without the field is not among the results
		}
	}
	for _, leaf := range alternative {
		switch x := leaf.(type) {
		case query.Field:
			if x.Path.IsName() {
				f.named(x)
			} else {
				f.compared(&f.of(x.Path).field, x)
			}
		case query.Unary:
			if !x.Path.IsName() {
				applyUnary(&f.of(x.Path).field, x.Op)
			}
		}
	}
	return f
}

// of returns the fact about a path.
func (f *facts) of(path value.FieldPath) *fact {
	k := path.String()
	if f.fields[k] == nil {
		f.fields[k] = &fact{path: path}
	}
	return f.fields[k]
}

// named applies a filter on the document's name.
func (f *facts) named(x query.Field) {
	ref, ok := x.Value.(value.Reference)
	if !ok || x.Op != query.Equal {
		return
	}
	if name, err := resource.ParseDocument(string(ref)); err == nil {
		f.name = &name
	}
}

// applyUnary applies a unary filter to a field.
func applyUnary(field *eval.Field, op query.UnaryOp) {
	switch op {
	case query.IsNull:
		field.Class, field.Equal = eval.NullClass, value.Null{}
	case query.IsNaN:
		field.Class = eval.NumberClass
	case query.IsNotNull, query.IsNotNaN:
		field.NotNull = true
	}
}

// compared applies a comparison of a field with a value.
func (f *facts) compared(field *eval.Field, x query.Field) {
	bound := &eval.Bound{Value: x.Value, Inclusive: x.Op == query.LessThanOrEqual || x.Op == query.GreaterThanOrEqual}
	switch x.Op {
	case query.Equal:
		field.Class, field.Equal = eval.ClassOf(x.Value), x.Value
	case query.NotEqual:
		field.NotNull = true
		field.Not = append(field.Not, x.Value)
	case query.NotIn:
		field.NotNull = true
		if items, ok := x.Value.(value.Array); ok {
			field.Not = append(field.Not, items...)
		}
	case query.ArrayContains:
		field.Class = eval.ListClass
		field.Contains = append(field.Contains, x.Value)
	case query.LessThan, query.LessThanOrEqual:
		field.Class = eval.ClassOf(x.Value)
		if field.High == nil || lower(x.Value, field.High.Value, bound.Inclusive) {
			field.High = bound
		}
	case query.GreaterThan, query.GreaterThanOrEqual:
		field.Class = eval.ClassOf(x.Value)
		if field.Low == nil || lower(field.Low.Value, x.Value, bound.Inclusive) {
			field.Low = bound
		}
	}
}

// lower reports whether an upper bound at a is tighter than one at b. Of equal bounds the exclusive one is tighter.
func lower(a, b value.Value, inclusive bool) bool {
	c := value.Compare(a, b)
	return c < 0 || c == 0 && !inclusive
}

// resource returns the variable resource: the fields with facts.
func (f *facts) resource() eval.Value {
	data := &eval.Partial{Fields: make(map[string]eval.Value)}
	all := make([]*fact, 0, len(f.fields))
	for _, fact := range f.fields {
		all = append(all, fact)
	}
	slices.SortFunc(all, func(a, b *fact) int { return cmp.Compare(len(a.path), len(b.path)) })
	for _, fact := range all {
		place(data, fact.path, fact.field)
	}
	r := &eval.Partial{Fields: map[string]eval.Value{"data": data, "id": eval.Unknown{}, "__name__": eval.Unknown{}}}
	if f.name != nil {
		r.Fields["id"] = value.String(f.name.ID())
		r.Fields["__name__"] = documentPath(*f.name)
	}
	return r
}

// place stores a field in a map at its path. If an enclosing field is completely known, place keeps that.
func place(m *eval.Partial, path value.FieldPath, field eval.Field) {
	for len(path) > 1 {
		inner, ok := m.Fields[path[0]].(*eval.Partial)
		if !ok {
			if v, whole := m.Fields[path[0]]; whole {
				if _, some := v.(*eval.Field); !some {
					return
				}
			}
			inner = &eval.Partial{Fields: make(map[string]eval.Value)}
			m.Fields[path[0]] = inner
		}
		m, path = inner, path[1:]
	}
	if field.Equal != nil {
		if pinned, ok := eval.Pin(field.Equal).(*eval.Field); ok {
			field.Class = pinned.Class
			m.Fields[path[0]] = &field
			return
		}
		m.Fields[path[0]] = field.Equal
		return
	}
	m.Fields[path[0]] = &field
}

// path returns the variable request.path.
func (f *facts) path() eval.Value {
	if f.name != nil {
		return documentPath(*f.name)
	}
	return eval.Unknown{}
}

// elements returns the known elements of the path of every result.
func (f *facts) elements(q *query.Query, from query.From) []element {
	path := []element{{text: "databases"}, {text: q.DB.ID}, {text: "documents"}}
	if f.name != nil && f.name.DB == q.DB {
		for s := range strings.SplitSeq(f.name.Path, "/") {
			path = append(path, element{text: s})
		}
		return path
	}
	if q.Parent != "" {
		for s := range strings.SplitSeq(q.Parent, "/") {
			path = append(path, element{text: s})
		}
	}
	if from.AllDescendants {
		path = append(path, element{is: isMany})
	}
	collection := element{text: from.Collection}
	if from.Collection == "" {
		collection = element{is: isOne}
	}
	return append(path, collection, element{is: isOne})
}
