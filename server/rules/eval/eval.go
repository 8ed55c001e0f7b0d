package eval

import (
	"context"
	"reflect"
	"slices"

	"clave/server/rules/check"
	"clave/server/rules/syntax"
	"clave/server/value"
)

// exhausted is the failure of a request that evaluates too many expressions. No other expression can override it.
var exhausted = &Failure{
	Text:  "Unable to evaluate the expression as the maximum of 1000 expressions to evaluate has been reached.",
	abort: true,
}

// eval returns the value of an expression. Each expression costs one step of the budget. As in the official emulator a
// logical operator, a conditional, a type test and a let cost one more, and a path one for each segment.
func (e *Evaluator) eval(ctx context.Context, x syntax.Expr) Value {
	e.steps++
	if e.steps > maxSteps {
		if e.spent == nil {
			e.spent = exhausted
		}
		return e.spent
	}
	v := e.bounded(ctx, x, e.node(ctx, x))
	if f, ok := v.(*Failure); ok && f.At.Line == 0 && !f.abort {
		f.At = x.At()
	}
	if e.Tracer != nil {
		e.Tracer.Trace(x.ID(), v)
	}
	return v
}

// node evaluates by the kind of the expression.
func (e *Evaluator) node(ctx context.Context, x syntax.Expr) Value { // long: one case a node
	switch x := x.(type) {
	case *syntax.NullLit:
		return value.Null{}
	case *syntax.BoolLit:
		return value.Bool(x.Value)
	case *syntax.IntLit:
		return value.Int(x.Value)
	case *syntax.FloatLit:
		return value.Double(x.Value)
	case *syntax.StringLit:
		return value.String(x.Value)
	case *syntax.BytesLit:
		return value.Bytes(x.Value)
	case *syntax.ListLit:
		return e.list(ctx, x)
	case *syntax.MapLit:
		return e.mapLit(ctx, x)
	case *syntax.PathLit:
		return e.path(ctx, x)
	case *syntax.Ident:
		return e.ident(x)
	case *syntax.Member:
		return e.member(ctx, x)
	case *syntax.Index:
		return e.index(ctx, x)
	case *syntax.Slice:
		return e.slice(ctx, x)
	case *syntax.Call:
		return e.call(ctx, x)
	case *syntax.Method:
		return e.method(ctx, x)
	case *syntax.Unary:
		return unary(x.Op, e.eval(ctx, x.X))
	case *syntax.Binary:
		return e.binary(ctx, x)
	case *syntax.Is:
		e.steps++
		return is(e.eval(ctx, x.X), x.Type.Text)
	case *syntax.Cond:
		return e.cond(ctx, x)
	}
	return failf("Unknown expression.")
}

// ident evaluates a name.
func (e *Evaluator) ident(x *syntax.Ident) Value {
	switch n := e.Program.Names[x.ID()]; n.Kind {
	case check.Request:
		return e.Request.asMap()
	case check.Resource:
		e.touch(x)
		if e.Request.Resource == nil {
			return missing("resource")
		}
		return e.Request.Resource
	case check.Local:
		return e.stack[e.base+n.Slot]
	case check.Capture:
		v := e.captures[n.Slot]
		if _, unknown := v.(Unknown); unknown {
			e.doubt(x, &Failure{Text: "Null value error."})
		}
		return v
	}
	return &Failure{Text: "Null value error."}
}

// touch records the first read of the stored document.
func (e *Evaluator) touch(x syntax.Expr) {
	if e.touched == nil {
		at := x.At()
		e.touched = &at
	}
}

// member evaluates x.name. It reads members of request without creating a map.
func (e *Evaluator) member(ctx context.Context, x *syntax.Member) Value {
	if id, ok := x.X.(*syntax.Ident); ok && e.Program.Names[id.ID()].Kind == check.Request {
		if e.Tracer != nil {
			e.eval(ctx, x.X)
		} else {
			e.steps++
		}
		if v := e.Request.member(x.Name); v != nil {
			return v
		}
		return missing(x.Name)
	}
	v := e.eval(ctx, x.X)
	member := memberOf(v, x.Name)
	e.doubtMember(x, v, member, x.Name)
	return member
}

// doubtMember records a member that a query does not determine.
func (e *Evaluator) doubtMember(x syntax.Expr, v, member Value, name string) {
	_, partial := v.(*Partial)
	if _, unknown := member.(Unknown); unknown && partial {
		e.doubt(x, missing(name))
	}
}

// doubt records the first fact that a query does not determine, for the message of a refusal.
func (e *Evaluator) doubt(x syntax.Expr, f *Failure) {
	if e.doubted == nil {
		f.At = x.At()
		e.doubted = f
	}
}

// memberOf returns v.name.
func memberOf(v Value, name string) Value {
	switch x := v.(type) {
	case value.Map:
		if TypeName(x) == "vector" {
			return typeError(v, "map,path")
		}
		if m, ok := x[name]; ok {
			return m
		}
		return missing(name)
	case *Document:
		if m := x.member(name); m != nil {
			return m
		}
		return missing(name)
	case *Failure:
		return x
	case *Path:
		return x.member(name)
	case value.Reference:
		return referencePath(x).member(name)
	}
	if abstract(v) {
		return abstractMember(v, name)
	}
	return typeError(v, "map,path")
}

// isNull reports whether v is null. Operations of containers on null have a specific failure.
func isNull(v Value) bool {
	_, ok := v.(value.Null)
	return ok
}

// nullValue returns the failure of an operation on null.
func nullValue() *Failure { return &Failure{Text: "Null value error."} }

// index evaluates x[i].
func (e *Evaluator) index(ctx context.Context, x *syntax.Index) Value {
	v := e.eval(ctx, x.X)
	if failed(v) {
		return v
	}
	i := e.eval(ctx, x.I)
	if failed(i) {
		return i
	}
	// A member of an abstract map may be known if the key is. All other cases return Unknown, which allows nothing.
	if s, ok := v.(value.String); ok {
		if f := e.workOn(ctx, s); f != nil {
			return f
		}
	}
	if abstract(v) || abstract(i) {
		if k, ok := i.(value.String); ok {
			member := abstractMember(v, string(k))
			e.doubtMember(x, v, member, string(k))
			return member
		}
		return Unknown{}
	}
	switch k := i.(type) {
	case value.String:
		switch v.(type) {
		case value.Map, *Document, *Path, value.Reference:
			return memberOf(v, string(k))
		}
	case value.Int:
		switch c := v.(type) {
		case value.Array:
			if k < 0 || int(k) >= len(c) {
				return outOfBounds(int64(k), len(c))
			}
			return c[k]
		case value.String:
			return indexString(string(c), int64(k))
		case *Path, value.Reference:
			p, _ := asPath(c)
			return p.index(int64(k))
		}
	}
	// Only failures remain. Their texts are the official engine's, which name the index types of the value's type.
	if isNull(v) {
		return nullValue()
	}
	switch t := TypeName(v); t {
	case "list", "string":
		return unsupported(t+"["+TypeName(i)+"]", t+"[int]")
	case "map":
		return unsupported("map["+TypeName(i)+"]", "map[string]")
	case "path":
		return unsupported("path["+TypeName(i)+"]", "path[string], path[int]")
	}
	return notFound("[]")
}

// slice evaluates x[low:high].
func (e *Evaluator) slice(ctx context.Context, x *syntax.Slice) Value {
	v := e.eval(ctx, x.X)
	var low, high Value = value.Int(0), nil
	if x.Low != nil {
		low = e.eval(ctx, x.Low)
	}
	if x.High != nil {
		high = e.eval(ctx, x.High)
	}
	for _, o := range [...]Value{v, low, high} {
		if o != nil && failed(o) {
			return o
		}
	}
	if abstract(v) || abstract(low) || high != nil && abstract(high) {
		return Unknown{}
	}
	if f := e.workOn(ctx, v); f != nil {
		return f
	}
	return sliceOf(v, low, high)
}

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

// write records the order of a map's keys.
func (e *Evaluator) write(m value.Map, keys []string) {
	if e.written == nil {
		e.written = make(map[uintptr]writtenMap)
	}
	e.written[reflect.ValueOf(m).Pointer()] = writtenMap{m, keys}
}

// found records a document that was looked up, for values().
func (e *Evaluator) found(d *Document) {
	switch {
	case d.Layout.Sorted():
	case e.ordered:
		d.Layout.Branch(d.Data).Each(d.Data, e.write)
	default:
		e.documents = append(e.documents, d)
	}
}

// order begins recording the order of the keys in documents, those that were read before included.
func (e *Evaluator) order() {
	e.ordered = true
	for _, v := range [...]Value{e.Request.Resource, e.Request.New} {
		if d, ok := v.(*Document); ok {
			e.found(d)
		}
	}
	for _, d := range e.documents {
		e.found(d)
	}
	e.documents = nil
}

// mapValues evaluates m.values(). As in the official emulator, the values of a map literal are in the order of the
// text, and those of a document's map in the order in which its writers gave them. All others are in the order of the
// keys.
func (e *Evaluator) mapValues(m value.Map) Value {
	if !e.ordered {
		e.order()
	}
	keys := e.written[reflect.ValueOf(m).Pointer()].keys
	if keys == nil {
		keys = sortedKeys(m)
	}
	out := make(value.Array, len(keys))
	for i, k := range keys {
		out[i] = m[k]
	}
	return out
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

// cond evaluates c ? a : b. Only a chosen branch is evaluated.
func (e *Evaluator) cond(ctx context.Context, x *syntax.Cond) Value {
	e.steps++
	c := e.eval(ctx, x.C)
	if failed(c) {
		return c
	}
	can := bools(c)
	switch can {
	case CanTrue:
		return e.eval(ctx, x.A)
	case CanFalse:
		return e.eval(ctx, x.B)
	case CanFail:
		return typeError(c, "bool")
	}
	var a, b Value
	switch {
	case can&CanTrue == 0:
		b = e.eval(ctx, x.B)
		a = b
	case can&CanFalse == 0:
		a = e.eval(ctx, x.A)
		b = a
	default:
		a, b = e.eval(ctx, x.A), e.eval(ctx, x.B)
	}
	return join(a, b, can&CanFail != 0)
}

// call evaluates a call of a declared or built-in function.
func (e *Evaluator) call(ctx context.Context, x *syntax.Call) Value {
	f := e.Program.Calls[x.ID()]
	if f == nil {
		return e.builtin(ctx, x)
	}
	if len(f.Params) != len(x.Args) {
		return failf("Incorrect number of arguments. Received: %d. Expected: %d.", len(x.Args), len(f.Params))
	}
	base := len(e.stack)
	for _, a := range x.Args {
		v := e.eval(ctx, a) // a failure matters only if the function uses it
		e.stack = append(e.stack, v)
	}
	caller := e.base
	e.base = base
	for _, l := range f.Lets {
		e.steps++
		v := e.eval(ctx, l.Value)
		e.stack = append(e.stack, v)
	}
	v := e.eval(ctx, f.Return)
	e.stack, e.base = e.stack[:base], caller
	return v
}
