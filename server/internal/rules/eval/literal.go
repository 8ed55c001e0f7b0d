package eval

import (
	"context"
	"slices"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// list evaluates [a, b]. A list contains no abstract values.
func (e *Evaluator) list(ctx context.Context, x *syntax.ListLit) Value {
	items, v := e.values(ctx, x.Items)
	if v != nil {
		return v
	}
	return value.Array(items)
}

// values evaluates expressions and appends their values to first in items. v is a failure or Unknown if one of all
// these is not a plain value.
func (e *Evaluator) values(ctx context.Context, exprs []syntax.Expr, first ...Value) (items []Value, v Value) {
	items = append(make([]Value, 0, len(first)+len(exprs)), first...)
	unknown := slices.ContainsFunc(first, abstract)
	for _, x := range exprs {
		item := e.eval(ctx, x)
		if failed(item) {
			return nil, item
		}
		unknown = unknown || abstract(item)
		items = append(items, item)
	}
	if unknown {
		return items, Unknown{}
	}
	return items, nil
}

// mapLit evaluates {k: v}.
func (e *Evaluator) mapLit(ctx context.Context, x *syntax.MapLit) Value {
	keys, v := e.values(ctx, x.Keys)
	if v != nil {
		return v
	}
	values, v := e.values(ctx, x.Values)
	if v != nil {
		return v
	}
	m := make(value.Map, len(keys))
	order := make([]string, 0, len(keys))
	for i, k := range keys {
		name, ok := k.(value.String)
		if !ok {
			return typeError(k, "string")
		}
		if _, twice := m[string(name)]; !twice {
			order = append(order, string(name))
		}
		m[string(name)] = values[i]
	}
	if len(order) > 1 {
		e.write(m, order)
	}
	return m
}

// path evaluates a path literal.
func (e *Evaluator) path(ctx context.Context, x *syntax.PathLit) Value {
	p := &Path{Parts: make([]Part, 0, len(x.Segments))}
	unknown := false
	for _, s := range x.Segments {
		if s.X == nil {
			e.steps++
			p.Parts = append(p.Parts, Part{Kind: s.Kind, Text: s.Text})
			continue
		}
		v := e.eval(ctx, s.X)
		if failed(v) {
			return v
		}
		if abstract(v) {
			// The other segments are evaluated nevertheless: if one certainly fails, that is the result.
			unknown = true
			continue
		}
		if inner, ok := asPath(v); ok {
			p.Parts = append(p.Parts, inner.Parts...)
			continue
		}
		if f := e.workOn(ctx, v); f != nil {
			return f
		}
		text, f := toString(v)
		if f != nil {
			return f
		}
		p.Parts = append(p.Parts, Part{Text: text})
	}
	if unknown {
		return Unknown{}
	}
	return p
}
