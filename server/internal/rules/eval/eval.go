package eval

import (
	"context"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/check"
	"clave/server/internal/rules/syntax"
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
