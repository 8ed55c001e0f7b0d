package eval

import (
	"context"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/check"
	"clave/server/internal/rules/syntax"
)

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
	if s, ok := v.(value.String); ok {
		if f := e.workOn(ctx, s); f != nil {
			return f
		}
	}
	// A member of an abstract map may be known if the key is. All other cases return Unknown, which allows nothing.
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
