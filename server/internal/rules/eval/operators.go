package eval

import (
	"context"
	"math"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// binary evaluates x op y.
func (e *Evaluator) binary(ctx context.Context, x *syntax.Binary) Value {
	// These evaluate their operands themselves: && and || can have a result when one side fails.
	switch x.Op {
	case syntax.And:
		return e.logic(ctx, x, CanFalse)
	case syntax.Or:
		return e.logic(ctx, x, CanTrue)
	case syntax.In:
		return e.in(ctx, x)
	}
	a := e.eval(ctx, x.X)
	if failed(a) {
		return a
	}
	b := e.eval(ctx, x.Y)
	if failed(b) {
		return b
	}
	if f := e.workOfOperator(ctx, x.Op, a, b); f != nil {
		return f
	}
	switch x.Op {
	case syntax.Equal, syntax.NotEqual:
		var v Value
		if abstract(a) || abstract(b) {
			v = abstractEqual(a, b)
		} else {
			v = value.Bool(equal(a, b))
		}
		if x.Op == syntax.NotEqual {
			return bools(v).not().value()
		}
		return v
	case syntax.Less:
		return ordering(less, x.Op, a, b)
	case syntax.LessEqual:
		return ordering(lessEqual, x.Op, a, b)
	case syntax.Greater:
		return ordering(greater, x.Op, a, b)
	case syntax.GreaterEqual:
		return ordering(greaterEqual, x.Op, a, b)
	}
	if abstract(a) || abstract(b) {
		return Unknown{}
	}
	return arithmetic(x.Op, a, b)
}

// logic evaluates && and ||, which end at the first operand that decides. An operand that decides overrides a failure
// of the other one.
func (e *Evaluator) logic(ctx context.Context, x *syntax.Binary, decides Bools) Value {
	e.steps++
	a := e.eval(ctx, x.X)
	left := bools(a)
	if left == decides {
		return left.value()
	}
	b := e.eval(ctx, x.Y)
	right := bools(b)
	var out Bools
	if x.Op == syntax.And {
		out = left.and(right)
	} else {
		out = left.Or(right)
	}
	if out != CanFail {
		return out.value()
	}
	if left == CanFail {
		return asCondition(a)
	}
	return asCondition(b)
}

// asCondition returns a failure for a value that is not a boolean.
func asCondition(v Value) Value {
	if f, ok := v.(*Failure); ok {
		return f
	}
	if v == CanFail {
		return v
	}
	return typeError(v, "bool")
}

// in evaluates x in y. A list literal is compared item by item, since items may be abstract.
func (e *Evaluator) in(ctx context.Context, x *syntax.Binary) Value {
	a := e.eval(ctx, x.X)
	if failed(a) {
		return a
	}
	if lit, ok := x.Y.(*syntax.ListLit); ok {
		items, v := e.values(ctx, lit.Items)
		if v == nil {
			v = value.Array(items)
		}
		if e.Tracer != nil {
			e.Tracer.Trace(lit.ID(), v)
		}
		e.steps++
		if f := e.workTimes(ctx, perCompare, items); f != nil {
			return f
		}
		if _, unknown := v.(Unknown); unknown {
			return inItems(a, items)
		}
		return inside(a, v)
	}
	b := e.keysOf(x.Y, e.eval(ctx, x.Y))
	if f := e.workOfIn(ctx, a, b); f != nil {
		return f
	}
	return inside(a, b)
}

// inItems evaluates a in [items] if an item is abstract.
func inItems(a Value, items []Value) Value {
	out := CanFalse
	for _, item := range items {
		switch {
		case !abstract(item):
			out = out.Or(itemEqual(a, item))
		case !abstract(a):
			out = out.Or(itemEqual(item, a))
		default:
			out = out.Or(either)
		}
	}
	return strict(out, append(items, a)...)
}

// inside evaluates a in b: an item of a list or set, or a key of a map or document. If b is null, the result is null.
// If a or b is abstract, abstractIn computes the possible results.
func inside(a, b Value) Value {
	if failed(b) {
		return b
	}
	if abstract(a) || abstract(b) {
		return abstractIn(a, b)
	}
	switch c := b.(type) {
	case value.Array:
		for _, item := range c {
			if same(item, a) {
				return value.Bool(true)
			}
		}
		return value.Bool(false)
	case *Set:
		return value.Bool(c.has(a))
	case value.Map:
		if k, ok := a.(value.String); ok {
			_, has := c[string(k)]
			return value.Bool(has)
		}
		return unsupported("map.in("+TypeName(a)+")", "map.in(string)")
	case *Document:
		if k, ok := a.(value.String); ok {
			return value.Bool(c.member(string(k)) != nil)
		}
		return unsupported("map.in("+TypeName(a)+")", "map.in(string)")
	}
	if isNull(b) {
		return nullValue()
	}
	return notFound("in")
}

// is evaluates v is typ.
func is(v Value, typ string) Value {
	if failed(v) {
		return v
	}
	if abstract(v) {
		return abstractIs(v, typ)
	}
	t := TypeName(v)
	if t == "set" {
		return value.Bool(false) // sets have no type name
	}
	return value.Bool(t == typ || typ == "number" && (t == "int" || t == "float"))
}

// unary evaluates !v and -v.
func unary(op syntax.Op, v Value) Value {
	if failed(v) {
		return v
	}
	if op == syntax.Not {
		can := bools(v)
		// The result can't be a boolean: v has another type, or is a condition that certainly fails.
		if can == CanFail {
			if v == CanFail {
				return v
			}
			return unsupported("!"+TypeName(v), "!bool")
		}
		return can.not().value()
	}
	switch x := v.(type) {
	case value.Int:
		if x == math.MinInt64 {
			return overflow()
		}
		return -x
	case value.Double:
		return -x
	case Duration:
		return Duration{Seconds: -x.Seconds, Nanos: -x.Nanos}
	}
	if abstract(v) {
		return Unknown{}
	}
	return unsupported("-"+TypeName(v), "-int, -float, -duration")
}

// ordering evaluates a < b and the like.
func ordering(how compareOp, op syntax.Op, a, b Value) Value {
	if abstract(a) || abstract(b) {
		return abstractCompare(how, a, b)
	}
	order, nan, ok := compare(a, b)
	if !ok {
		o := " " + op.String() + " "
		return unsupported(TypeName(a)+o+TypeName(b), "string"+o+"string, bytes"+o+"bytes, int"+o+"int, float"+o+"float, duration"+o+
			"duration, timestamp"+o+"timestamp, constraint"+o+"any, any"+o+"constraint")
	}
	return value.Bool(!nan && how.holds(order))
}

// arithmetic evaluates + - * / %.
func arithmetic(op syntax.Op, a, b Value) Value {
	if x, ok := a.(value.Int); ok {
		if y, ok := b.(value.Int); ok {
			return integers(op, int64(x), int64(y))
		}
	}
	if number(a) && number(b) {
		return floats(op, toFloat(a), toFloat(b))
	}
	switch op {
	case syntax.Add:
		if x, ok := a.(value.String); ok {
			if y, ok := b.(value.String); ok {
				return x + y
			}
		}
		return addTimes(a, b)
	case syntax.Sub:
		return subtractTimes(a, b)
	}
	o := " " + op.String() + " "
	return unsupported(TypeName(a)+o+TypeName(b), "int"+o+"int, float"+o+"float")
}

// integers is arithmetic on whole numbers.
func integers(op syntax.Op, x, y int64) Value {
	switch op {
	case syntax.Add:
		z := x + y
		if (z > x) != (y > 0) {
			return overflow()
		}
		return value.Int(z)
	case syntax.Sub:
		z := x - y
		if (z < x) != (y > 0) {
			return overflow()
		}
		return value.Int(z)
	case syntax.Mul:
		if x == 0 || y == 0 {
			return value.Int(0)
		}
		z := x * y
		if z/y != x || x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64 {
			return overflow()
		}
		return value.Int(z)
	}
	if y == 0 {
		return &Failure{Text: "Divide by zero error."}
	}
	if op == syntax.Div {
		return value.Int(x / y) // -2^63 / -1 wraps, in Go as in the official engine
	}
	return value.Int(x % y)
}

// floats is arithmetic on floats.
func floats(op syntax.Op, x, y float64) Value {
	switch op {
	case syntax.Add:
		return value.Double(x + y)
	case syntax.Sub:
		return value.Double(x - y)
	case syntax.Mul:
		return value.Double(x * y)
	case syntax.Div:
		return value.Double(x / y)
	}
	return value.Double(math.Mod(x, y))
}

// toFloat returns a number as a float.
func toFloat(v Value) float64 {
	switch x := v.(type) {
	case value.Int:
		return float64(x)
	case value.Double:
		return float64(x)
	}
	return math.NaN()
}
