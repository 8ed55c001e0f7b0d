package check

import (
	"slices"
	"strings"

	"clave/server/internal/rules/syntax"
)

// Types are inferred only from literals, operators and built-in functions: fields, parameters and results of declared
// functions may have any type. A certain mismatch is a warning, as in the official compiler, and fails when it is
// evaluated.

// meets reports whether the two sets of types have a type in common.
func (t Types) meets(u Types) bool {
	return t == nil || u == nil || slices.ContainsFunc(t, func(one string) bool { return slices.Contains(u, one) })
}

// comparable reports whether values of the types may be equal: numbers of both kinds may.
func (t Types) comparable(u Types) bool {
	return t.meets(u) || t.meets(isNumber) && u.meets(isNumber)
}

// String lists the types.
func (t Types) String() string { return strings.Join(t, ", ") }

// typesOf returns the possible types of an expression.
func (c *checker) typesOf(sc *scope, e syntax.Expr) Types { // long: one case a node
	switch x := e.(type) {
	case *syntax.NullLit:
		return Types{"null"}
	case *syntax.BoolLit, *syntax.Is:
		return isBool
	case *syntax.IntLit:
		return isInt
	case *syntax.FloatLit:
		return isFloat
	case *syntax.StringLit:
		return isString
	case *syntax.BytesLit:
		return isBytes
	case *syntax.ListLit:
		return isList
	case *syntax.MapLit:
		return isMap
	case *syntax.PathLit:
		return isPath
	case *syntax.Slice:
		return isSliced
	case *syntax.Ident:
		if n := c.program.Names[x.ID()]; n.Kind == Capture {
			return sc.captures[n.Slot].types()
		}
	case *syntax.Call:
		if s := c.builtins.Functions[x.Name.Text]; c.program.Calls[x.ID()] == nil && len(s.Params) == len(x.Args) {
			return s.Returns
		}
	case *syntax.Method:
		if s := c.builtins.Methods[x.Name.Text]; len(s.Params) == len(x.Args) {
			return s.Returns
		}
	case *syntax.Unary:
		if x.Op == syntax.Not {
			return isBool
		}
		return isNegated
	case *syntax.Binary:
		return operators[x.Op].returns
	}
	return nil
}

// place returns the position of an expression in the official compiler's messages: at its operator or name.
func place(e syntax.Expr) syntax.Span {
	switch x := e.(type) {
	case *syntax.Binary:
		return x.OpAt
	case *syntax.Is:
		return x.OpAt
	case *syntax.Call:
		return x.Name.Span
	case *syntax.Method:
		return x.Name.Span
	}
	return e.At()
}

// expect warns if an expression can't have one of the types, and checks its operands.
func (c *checker) expect(sc *scope, e syntax.Expr, want Types) {
	if got := c.typesOf(sc, e); !got.meets(want) {
		c.warn(place(e), "Invalid type. Received one of [%s]. Expected one of [%s].", got, want)
		return
	}
	c.operands(sc, e, want)
}

// expectAll checks expressions of any type.
func (c *checker) expectAll(sc *scope, all []syntax.Expr) {
	for _, e := range all {
		c.expect(sc, e, nil)
	}
}

// operands checks the operands of an expression that is expected to have one of the types.
func (c *checker) operands(sc *scope, e syntax.Expr, want Types) { // long: one case a node
	switch x := e.(type) {
	case *syntax.MapLit:
		for i := range x.Keys {
			c.expect(sc, x.Keys[i], isString)
			c.expect(sc, x.Values[i], nil)
		}
	case *syntax.PathLit:
		for _, s := range x.Segments {
			if s.X != nil {
				c.expect(sc, s.X, isSegment)
			}
		}
	case *syntax.Member:
		c.expect(sc, x.X, isMap)
	case *syntax.Index:
		indexed := isIndexed
		if !want.meets(isString) {
			indexed = indexed[1:] // of a text that would be a text
		}
		c.expect(sc, x.X, indexed)
		c.expect(sc, x.I, isIndex)
	case *syntax.Slice:
		c.expect(sc, x.X, isSliced)
		for _, bound := range syntax.Children(x)[1:] {
			c.expect(sc, bound, isBound)
		}
	case *syntax.Call:
		if s, ok := c.builtins.Functions[x.Name.Text]; ok && c.program.Calls[x.ID()] == nil {
			c.arguments(sc, x.Name, s, x.Args)
			return
		}
		c.expectAll(sc, x.Args)
	case *syntax.Method:
		s, ok := c.builtins.Methods[x.Name.Text]
		if !ok {
			c.expectAll(sc, syntax.Children(x))
			return
		}
		c.expect(sc, x.X, s.On)
		c.arguments(sc, x.Name, s, x.Args)
	case *syntax.Unary:
		c.expect(sc, x.X, c.typesOf(sc, x))
	case *syntax.Binary:
		c.binary(sc, x)
	case *syntax.Cond:
		c.expect(sc, x.C, isBool)
		if !c.typesOf(sc, x.A).meets(c.typesOf(sc, x.B)) {
			c.warn(x.OpAt, "Ternary operator result if condition is true has a different type than if condition is false.")
		}
		c.expect(sc, x.A, want)
		c.expect(sc, x.B, want)
	default:
		c.expectAll(sc, syntax.Children(e))
	}
}

// binary checks the operands of a binary operator.
func (c *checker) binary(sc *scope, x *syntax.Binary) {
	o := operators[x.Op]
	c.expect(sc, x.X, o.left)
	c.expect(sc, x.Y, o.right)
	if x.Op != syntax.Equal && x.Op != syntax.NotEqual {
		return
	}
	if !c.typesOf(sc, x.X).comparable(c.typesOf(sc, x.Y)) {
		c.warn(x.OpAt, "The sub-expressions are not comparable, so this comparison will always return %t.", x.Op == syntax.NotEqual)
	}
}

// arguments checks the arguments of a built-in function or method.
func (c *checker) arguments(sc *scope, name syntax.Name, s Signature, args []syntax.Expr) {
	if len(args) != len(s.Params) {
		c.warn(name.Span, "Incorrect number of arguments supplied to function: %s.", name.Text)
		c.expectAll(sc, args)
		return
	}
	for i, a := range args {
		c.expect(sc, a, s.Params[i])
	}
}
