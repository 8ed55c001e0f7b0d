package rules

import (
	"slices"
	"sync"

	"clave/server/internal/rules/check"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// Service is the service whose rules a Ruleset holds.
const Service = "cloud.firestore"

// Issue is an error or a warning about a rules file.
type Issue = syntax.Issue

// Reader supplies documents to the functions of rules that look up documents.
type Reader = eval.Reader

// Lookups are the documents that a request's operations have looked up.
type Lookups = eval.Lookups

// NewLookups returns the lookups of a request of several operations.
func NewLookups() *Lookups { return eval.NewLookups() }

// Method is the kind of a request.
type Method uint8

// The methods.
const (
	Get Method = 1 << iota
	List
	Create
	Update
	Delete
)

// methodNames are the methods' names in rules.
var methodNames = map[Method]string{Get: "get", List: "list", Create: "create", Update: "update", Delete: "delete"}

// String returns the method's name in rules.
func (m Method) String() string { return methodNames[m] }

// methodsOf maps the operations of allow statements to methods.
var methodsOf = map[string]Method{
	"get": Get, "list": List, "create": Create, "update": Update, "delete": Delete,
	"read": Get | List, "write": Create | Update | Delete,
}

// Ruleset is a compiled rules file. It is safe for concurrent use.
type Ruleset struct {
	program  *check.Program
	blocks   []*block
	coverage *Coverage
	// exprs returns the expressions by their ids. It is computed at its first call.
	exprs func() []syntax.Expr
}

// block is a match statement, prepared for decisions.
type block struct {
	path   []syntax.Segment
	allows []allow
	inner  []*block
}

// allow is an allow statement.
type allow struct {
	methods Method
	line    int
	cond    syntax.Expr
	// match is the path of the match statements around it.
	match string
}

// Compile compiles a rules file and returns its issues in the order of the text. The ruleset is nil if an issue is an
// error.
func Compile(src string) (*Ruleset, []Issue) {
	file, issues := syntax.Parse(src)
	program, issues := check.Check(file, issues, Service, eval.Builtins())
	if program == nil {
		return nil, issues
	}
	r := &Ruleset{program: program, exprs: sync.OnceValue(func() []syntax.Expr { return exprsOf(file) })}
	r.coverage = newCoverage(file.Exprs)
	if program.Service != nil {
		r.blocks = blocks(program.Service.Matches, nil)
	}
	return r, issues
}

// exprsOf returns the expressions of a file by their ids.
func exprsOf(file *syntax.File) []syntax.Expr {
	out := make([]syntax.Expr, file.Exprs)
	var add func(e syntax.Expr)
	add = func(e syntax.Expr) {
		out[e.ID()] = e
		for _, child := range syntax.Children(e) {
			add(child)
		}
	}
	for _, root := range roots(file) {
		add(root)
	}
	return out
}

// Summary returns the errors among issues as the official emulator prints them.
func Summary(issues []Issue) string { return syntax.Summary(issues) }

// HasErrors reports whether any of the issues is an error.
func HasErrors(issues []Issue) bool { return syntax.HasErrors(issues) }

// Source returns the text that was compiled.
func (r *Ruleset) Source() string { return r.program.File.Source }

// blocks makes the blocks of match statements in others, whose path is around.
func blocks(matches []*syntax.Match, around []syntax.Segment) []*block {
	out := make([]*block, len(matches))
	for i, m := range matches {
		path := append(slices.Clone(around), m.Path...)
		match := path
		if ofDocuments(path) {
			match = path[root:]
		}
		b := &block{path: m.Path, inner: blocks(m.Matches, path)}
		for _, a := range m.Allows {
			s := allow{line: a.Span.Line, cond: a.Cond, match: PathText(match)}
			for _, name := range a.Methods {
				s.methods |= methodsOf[name.Text]
			}
			if a.Cond != nil {
				s.line = a.Cond.At().Line
			}
			b.allows = append(b.allows, s)
		}
		out[i] = b
	}
	return out
}
