package check

import (
	"fmt"
	"strings"

	"clave/server/internal/rules/syntax"
)

// checker walks the tree of one service.
type checker struct {
	program  *Program
	builtins Builtins
	issues   []syntax.Issue
	used     map[*syntax.Function]bool
	// calls are the functions that each function calls, in the order of the text.
	calls map[*syntax.Function][]*syntax.Function
	// inside is the function whose body is being checked, nil in a condition.
	inside *syntax.Function
	read   map[int]bool // local slots that have been read
}

// scope holds the declarations that are visible at a position.
type scope struct {
	up        *scope
	functions map[string]*syntax.Function
	captures  []capture // all bound segments at this position, outermost first
	segments  int
	nesting   int
	globbed   bool // a match statement around the place binds a glob
}

// capture is a segment that a match statement binds.
type capture struct {
	name string
	glob bool
}

// types returns the type of the segment: string. A glob is a path, which the official compiler accepts as either.
func (c capture) types() Types {
	if c.glob {
		return isGlob
	}
	return isString
}

// Check resolves the names of a parsed file for the given service and returns all issues. Builtins are the functions
// and methods of the language (eval.Builtins). The program is nil if one of the issues, or of those that parsing gave,
// is an error.
func Check(file *syntax.File, parsed []syntax.Issue, service string, builtins Builtins) (*Program, []syntax.Issue) {
	c := &checker{
		program: &Program{
			File:      file,
			Names:     make([]Name, file.Exprs),
			Calls:     make([]*Function, file.Exprs),
			Functions: make(map[*syntax.Function]*Function),
			Patterns:  make(map[PatternUse]*Compiled),
		},
		builtins: builtins,
		issues:   parsed,
		used:     make(map[*syntax.Function]bool),
		calls:    make(map[*syntax.Function][]*syntax.Function),
	}
	if !syntax.HasErrors(parsed) {
		c.file(service)
	}
	syntax.SortIssues(c.issues)
	if syntax.HasErrors(c.issues) {
		return nil, c.issues
	}
	return c.program, c.issues
}

// file walks the whole file.
func (c *checker) file(service string) {
	f := c.program.File
	if len(f.Source) > maxSource {
		c.issues = append(c.issues, syntax.Issue{Text: "Rules source exceeds the maximum size of 262144 bytes."})
		return
	}
	if f.Version == 1 {
		c.issues = append(c.issues, syntax.Issue{
			Severity: syntax.Warning,
			Text:     "Ruleset uses old version (version [1]). Please update to the latest version (version [2]).",
		})
	}
	top := &scope{}
	c.declare(top, f.Functions)
	for i, s := range f.Services {
		for _, earlier := range f.Services[:i] {
			if earlier.Name == s.Name {
				c.fail(s.Named, "Duplicate service name declaration.")
			}
		}
		c.service(top, s)
		if s.Name == service {
			c.program.Service = s
		}
	}
	c.bodies(top, f.Functions)
	c.cycles()
	c.unused()
}

// service walks one service.
func (c *checker) service(top *scope, s *syntax.Service) {
	sc := &scope{up: top}
	c.declare(sc, s.Functions)
	for _, m := range s.Matches {
		c.match(sc, m)
	}
	c.bodies(sc, s.Functions)
}

// onlyOneGlob is the official compiler's message for a second glob in the matches around a path.
const onlyOneGlob = "Invalid glob match expression. Only one glob match is permitted in a match declaration path."

// match walks a match statement and what is in it.
func (c *checker) match(up *scope, m *syntax.Match) {
	sc := &scope{up: up, nesting: up.nesting + 1, segments: up.segments + len(m.Path)}
	sc.captures = append(sc.captures, up.captures...)
	globs := 0
	own := len(sc.captures)
	for i, s := range m.Path {
		if s.Kind == syntax.Literal {
			continue
		}
		c.captured(s, sc.captures[own:])
		sc.captures = append(sc.captures, capture{name: s.Text, glob: s.Kind == syntax.Glob})
		if s.Kind != syntax.Glob {
			continue
		}
		globs++
		// Version 2 permits one glob in the complete path from the outermost match statement. Version 1 permits one at the
		// end of each statement; statements inside then apply to nothing, which is only a warning.
		switch v1 := c.program.File.Version == 1; {
		case globs > 1:
			c.fail(s.Span, onlyOneGlob)
		case up.globbed && !v1:
			c.fail(m.Span, onlyOneGlob)
		case v1 && i != len(m.Path)-1:
			c.fail(s.Span, "Invalid glob match expression. Glob matches are permitted as the last segment in a match declaration path.")
		}
	}
	sc.globbed = up.globbed || globs > 0
	if globs > 0 && len(m.Matches) > 0 && c.program.File.Version == 1 {
		c.warn(m.Span, "Glob(**) resource rules should not have child resource rules.")
	}
	if sc.nesting > maxNesting {
		c.fail(m.Span, "Maximum allowed nesting of 10 match statements is reached.")
	}
	if len(sc.captures) > maxCaptures {
		c.fail(m.Span, "Maximum allowed path captures of %d is reached.", maxCaptures)
	}
	if sc.segments > maxSegments {
		c.fail(m.Span, "Maximum allowed path segments of %d is reached.", maxSegments)
	}
	// All functions of the scope are declared before its conditions are checked, which may call functions that the text
	// declares later.
	c.declare(sc, m.Functions)
	for _, a := range m.Allows {
		c.allow(sc, a)
	}
	if sc.nesting <= maxNesting {
		for _, inner := range m.Matches {
			c.match(sc, inner)
		}
	}
	c.bodies(sc, m.Functions)
}

// captured checks the name of a captured segment for conflicts within its statement.
func (c *checker) captured(s syntax.Segment, own []capture) {
	if syntax.IsPackage(s.Text) {
		c.fail(s.Span, "%s is a package and cannot be used as variable name.", s.Text)
	}
	for _, earlier := range own {
		if earlier.name == s.Text {
			c.fail(s.Bound, "Variable %s already exists in the PathTemplate.", s.Text)
		}
	}
}

// operations lists the operations of allow statements.
var operations = map[string]bool{
	"read": true, "write": true, "get": true, "list": true, "create": true, "update": true, "delete": true,
}

// allow walks an allow statement.
func (c *checker) allow(sc *scope, a *syntax.Allow) {
	for _, m := range a.Methods {
		if !operations[m.Text] {
			c.warn(m.Span, "Invalid method name: %s.", m.Text)
		}
	}
	if a.Cond == nil {
		return
	}
	c.walk(sc, nil, a.Cond, 1)
	if got := c.typesOf(sc, a.Cond); !got.meets(isBool) {
		c.warn(place(a.Cond), "Invalid type. Permission statements expect a boolean value. Received one of [%s].", got)
		return
	}
	c.operands(sc, a.Cond, isBool)
}

// declare adds functions to a scope and checks their signatures.
func (c *checker) declare(sc *scope, functions []*syntax.Function) {
	sc.functions = make(map[string]*syntax.Function, len(functions))
	for _, f := range functions {
		if sc.functions[f.Name.Text] != nil {
			c.fail(f.Name.Span, "Function %s is already defined.", f.Name.Text)
			continue
		}
		sc.functions[f.Name.Text] = f
		c.program.Functions[f] = &Function{Function: f, Frame: len(f.Params) + len(f.Lets)}
		if len(f.Params) > maxParams {
			c.fail(f.Name.Span, "Maximum allowed function arguments of %d for function %s is reached.", maxParams, f.Name.Text)
		}
		if len(f.Lets) > 0 && c.program.File.Version == 1 {
			c.fail(f.Lets[0].Name.Span, "Let bindings are not allowed in rules_version=\"1\"")
		}
		if len(f.Lets) > maxLets {
			c.fail(f.Name.Span, "Maximum allowed variable bindings of 10 for function %s is reached.", f.Name.Text)
		}
	}
}

// bodies walks the bodies of a scope's functions.
func (c *checker) bodies(sc *scope, functions []*syntax.Function) {
	for _, f := range functions {
		if c.program.Functions[f] == nil || f.Return == nil {
			continue
		}
		c.inside, c.read = f, make(map[int]bool)
		locals := make([]syntax.Name, 0, len(f.Params)+len(f.Lets))
		for _, p := range f.Params {
			c.bind(locals, p, "Variable %s is already defined.")
			locals = append(locals, p)
		}
		for _, l := range f.Lets {
			c.body(sc, locals, l.Value)
			c.bind(locals, l.Name, "The identifier [%s] is already bound in the current scope.")
			locals = append(locals, l.Name)
		}
		c.body(sc, locals, f.Return)
		for i, l := range locals {
			if !c.read[i] {
				c.warn(l.Span, "Unused variable: %s.", l.Text)
			}
		}
		c.inside = nil
	}
}

// bind checks the name of a local for conflicts with earlier ones.
func (c *checker) bind(locals []syntax.Name, name syntax.Name, format string) {
	if syntax.IsPackage(name.Text) {
		c.fail(name.Span, "%s is a package and cannot be used as variable name.", name.Text)
	}
	for _, l := range locals {
		if l.Text == name.Text {
			c.fail(name.Span, format, name.Text)
		}
	}
}

// body walks an expression of a function whose locals so far are given.
func (c *checker) body(sc *scope, locals []syntax.Name, e syntax.Expr) {
	c.walk(sc, locals, e, 1)
	c.expect(sc, e, nil)
}

// unused warns about functions that nothing calls.
func (c *checker) unused() {
	for f := range c.program.Functions {
		if !c.used[f] {
			c.warn(f.Name.Span, "Unused function: %s.", f.Name.Text)
		}
	}
}

// fail adds an error.
func (c *checker) fail(at syntax.Span, format string, args ...any) {
	c.issues = append(c.issues, syntax.Issue{Span: at, Text: fmt.Sprintf(format, args...)})
}

// warn adds a warning.
func (c *checker) warn(at syntax.Span, format string, args ...any) {
	c.issues = append(c.issues, syntax.Issue{Span: at, Severity: syntax.Warning, Text: fmt.Sprintf(format, args...)})
}

// visiting marks a function on the current path of the depth-first search.
const visiting = -1

// cycles refuses recursive calls and call chains that are too long.
func (c *checker) cycles() {
	// A depth-first search over the call graph. depth holds the longest call chain of each finished function, so that
	// every function is visited once, and visiting for the functions on the current path: reaching one of these means a
	// cycle.
	depth := make(map[*syntax.Function]int)
	var visit func(f *syntax.Function, trail []string) int
	visit = func(f *syntax.Function, trail []string) int {
		trail = append(trail, f.Name.Text)
		switch d := depth[f]; {
		case d == visiting:
			first := 0
			for trail[first] != f.Name.Text {
				first++
			}
			if circle := trail[first : len(trail)-1]; len(circle) == 1 {
				c.fail(f.Name.Span, "Recursive call is not allowed.")
			} else {
				c.fail(f.Name.Span, "Detected a call cycle between [%s] functions.", strings.Join(circle, ","))
			}
			return 0
		case d > 0:
			return d
		}
		depth[f] = visiting
		deepest := 0
		for _, g := range c.calls[f] {
			deepest = max(deepest, visit(g, trail))
		}
		depth[f] = deepest + 1
		return deepest + 1
	}
	for _, f := range c.ordered() {
		// Only functions whose chain is one call too long are reported, not their callers too.
		if visit(f, nil) == maxCallDepth+1 {
			c.fail(f.Name.Span, "Maximum allowed call depth of 20 is reached at function %s.", f.Name.Text)
		}
	}
}
