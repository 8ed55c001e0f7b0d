package check

import (
	"cmp"
	"slices"
	"strings"

	"clave/server/internal/rules/syntax"
)

// typeNames are the type names that the operator is accepts, as the official compiler lists them.
const typeNames = "bool,bytes,constraint,duration,float,int,latlng,list,vector,set,number,map,string,timestamp,path,map_diff"

// walk resolves the names in an expression; level is its depth.
func (c *checker) walk(sc *scope, locals []syntax.Name, e syntax.Expr, level int) {
	if level == maxExprLevels+1 {
		c.fail(e.At(), "Expression is too complex to evaluate safely.")
		return
	}
	switch x := e.(type) {
	case *syntax.Ident:
		c.ident(sc, locals, x)
	case *syntax.Call:
		c.call(sc, x)
	case *syntax.Method:
		c.method(x)
	case *syntax.Is:
		if !slices.Contains(strings.Split(typeNames, ","), x.Type.Text) {
			c.fail(x.Type.Span, "An unsupported type identifier was used with the 'is' operator. Received %s. Expected one of %s", x.Type.Text, typeNames)
		}
	}
	for _, child := range syntax.Children(e) {
		c.walk(sc, locals, child, level+1)
	}
}

// ident resolves a name.
func (c *checker) ident(sc *scope, locals []syntax.Name, x *syntax.Ident) {
	if syntax.IsPackage(x.Name) {
		c.fail(x.At(), "%s is a package and cannot be used as variable name.", x.Name)
		return
	}
	for i := len(locals) - 1; i >= 0; i-- {
		if locals[i].Text == x.Name {
			c.program.Names[x.ID()] = Name{Kind: Local, Slot: i}
			c.read[i] = true
			return
		}
	}
	for i := len(sc.captures) - 1; i >= 0; i-- {
		if sc.captures[i].name == x.Name {
			c.program.Names[x.ID()] = Name{Kind: Capture, Slot: i}
			return
		}
	}
	switch x.Name {
	case "request":
		c.program.Names[x.ID()] = Name{Kind: Request}
	case "resource":
		c.program.Names[x.ID()] = Name{Kind: Resource}
	default:
		c.warn(x.At(), "Invalid variable name: %s.", x.Name)
	}
}

// call resolves the function that is called.
func (c *checker) call(sc *scope, x *syntax.Call) {
	f := sc.lookup(x.Name.Text)
	switch {
	case f != nil:
		c.used[f] = true
		if c.inside != nil {
			c.calls[c.inside] = append(c.calls[c.inside], f)
		}
		if len(f.Params) != len(x.Args) {
			c.warn(x.Name.Span, "Incorrect number of arguments supplied to function: %s.", x.Name.Text)
		}
		c.program.Calls[x.ID()] = c.program.Functions[f]
	case !known(c.builtins.Functions, x.Name.Text):
		c.warn(x.Name.Span, "Invalid function name: %s.", x.Name.Text)
	}
}

// known reports whether a name is one of the built-in ones.
func known(signatures map[string]Signature, name string) bool {
	_, ok := signatures[name]
	return ok
}

// lookup returns the innermost function of a name, or nil.
func (s *scope) lookup(name string) *syntax.Function {
	for ; s != nil; s = s.up {
		if f := s.functions[name]; f != nil {
			return f
		}
	}
	return nil
}

// method checks a method's name and its literal pattern.
func (c *checker) method(x *syntax.Method) {
	if !known(c.builtins.Methods, x.Name.Text) {
		c.warn(x.Name.Span, "Invalid function name: %s.", x.Name.Text)
	}
	replaces := x.Name.Text == "replace" && len(x.Args) == 2
	if !replaces && (x.Name.Text != "matches" && x.Name.Text != "split" || len(x.Args) != 1) {
		return
	}
	lit, ok := x.Args[0].(*syntax.StringLit)
	if !ok {
		return
	}
	use := PatternUse{Expr: lit.Value, Whole: x.Name.Text == "matches"}
	parsed, err := ParsePattern(lit.Value)
	var re *Compiled
	if err == nil {
		re, err = parsed.Compile(use.Whole, true)
	}
	switch {
	case err != nil && replaces: // fails when it is evaluated
		return
	case err != nil:
		c.fail(lit.At(), "Invalid regular expression pattern. Pattern: %s.", lit.Value)
		return
	}
	c.program.Patterns[use] = re
}

// ordered returns the declared functions in the order of the text.
func (c *checker) ordered() []*syntax.Function {
	functions := make([]*syntax.Function, 0, len(c.program.Functions))
	for f := range c.program.Functions {
		functions = append(functions, f)
	}
	slices.SortFunc(functions, func(a, b *syntax.Function) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return functions
}
