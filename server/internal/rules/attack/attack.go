package attack

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/base/pattern"
	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
	"clave/server/internal/rules/syntax"
)

// Finding is a request that rules allow and probably should not.
type Finding struct {
	// Kind names the kind of hole; Kinds describes it.
	Kind string `json:"kind"`
	// Line is that of the allow statement, and Path its pattern.
	Line int    `json:"line"`
	Path string `json:"path"`
	// Method is get, list, create, update or delete.
	Method string `json:"method"`
	// What describes the request.
	What string `json:"what"`
	// Explained is the reason that a comment at the statement gives; empty without one.
	Explained string `json:"explained,omitempty"`
	// Note is set for what is no hole, but may be a mistake.
	Note bool `json:"note,omitempty"`
	// Case is the request as a case that expects a denial; nil for a note.
	Case *ruletest.Case `json:"case,omitempty"`

	world *world
}

// Report is the result of an attack.
type Report struct {
	Findings []Finding `json:"findings"`
	// Statements is the number of allow statements with their methods, and Reached that of those for which a request was
	// found that they allow.
	Statements int `json:"statements"`
	Reached    int `json:"reached"`
	// Requests is the number of requests that were tried after the rules allowed the first ones.
	Requests int `json:"requests"`
}

// Open returns the number of findings that no comment explains, without notes.
func (r *Report) Open() int {
	n := 0
	for i := range r.Findings {
		if !r.Findings[i].Note && r.Findings[i].Explained == "" {
			n++
		}
	}
	return n
}

// Run attacks rules. The cases are requests that the rules allow or deny; those that are allowed are changed, besides
// the requests that are made from the rules.
func Run(ctx context.Context, r *rules.Ruleset, cases []ruletest.Case) (*Report, error) {
	a := &attack{ruleset: r, report: &Report{Findings: []Finding{}}, seen: make(map[string]bool), statements: r.AllowStatements()}
	type start struct {
		statement *rules.AllowStatement
		world     *world
	}
	var starts []start
	for i := range a.statements {
		s := &a.statements[i]
		for _, m := range s.Methods {
			a.report.Statements++
			w := seed(ctx, r, s, m, &a.learned)
			if w == nil {
				a.unreached(s, m)
				continue
			}
			a.report.Reached++
			starts = append(starts, start{s, w})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, s := range starts {
		a.worlds = append(a.worlds, s.world)
	}
	for _, s := range starts {
		a.probe(ctx, s.world)
	}
	for i := range cases {
		worlds, err := worldsOf(ctx, r, &cases[i])
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", cases[i].ID, err)
		}
		for _, w := range worlds {
			if w.allowed(ctx, r) {
				a.probe(ctx, w)
			}
		}
	}
	a.explain()
	slices.SortStableFunc(a.report.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), strings.Compare(x.Kind, y.Kind))
	})
	return a.report, ctx.Err()
}

// attack is a running attack.
type attack struct {
	ruleset    *rules.Ruleset
	statements []rules.AllowStatement
	learned    learned
	// worlds are the requests that were made from the rules.
	worlds []*world
	report *Report
	// seen holds the findings by statement, kind and field.
	seen map[string]bool
}

// unreached notes a statement that allowed no request.
func (a *attack) unreached(s *rules.AllowStatement, m rules.Method) {
	if never, ok := s.Condition.(*syntax.BoolLit); ok && !never.Value {
		return // it says so
	}
	a.report.Findings = append(a.report.Findings, Finding{
		Kind: "unreached", Line: s.Span.Line, Path: rules.PathText(s.Path), Method: m.String(), Note: true,
		What: "no request was found that this statement allows",
	})
}

// try adds a finding if a request is allowed. Of one kind, statement, method and detail it keeps the first.
func (a *attack) try(ctx context.Context, w *world, kind, detail, what string) bool {
	a.report.Requests++
	if !w.allowed(ctx, a.ruleset) {
		return false
	}
	x := w.decide(ctx, a.ruleset)
	if x == nil || !x.Allowed {
		return false
	}
	at := a.statementAt(x.Line)
	key := fmt.Sprint(at.Span.Line, kind, w.method, detail)
	if a.seen[key] {
		return true
	}
	a.seen[key] = true
	c, err := w.caseOf(kind + " " + w.method.String() + " " + strings.Join(w.path, "/"))
	if err != nil {
		return true
	}
	a.report.Findings = append(a.report.Findings, Finding{
		Kind: kind, Line: at.Span.Line, Path: rules.PathText(at.Path), Method: w.method.String(), What: what, Case: c, world: w,
	})
	return true
}

// statementAt returns the statement whose condition begins at a line.
func (a *attack) statementAt(line int) *rules.AllowStatement {
	for i := range a.statements {
		s := &a.statements[i]
		at := s.Span.Line
		if s.Condition != nil {
			at = s.Condition.At().Line
		}
		if at == line {
			return s
		}
	}
	return &rules.AllowStatement{Span: syntax.Span{Line: line}}
}

// explanation is a comment that explains findings: "attack ok: KIND, KIND: reason".
var explanation = pattern.New(`//\s*attack ok:\s*([a-z, -]+):\s*(\S.*)$`)

// explain marks the findings that comments at their statements explain: in the statement's first line, or in the
// comments right above it.
func (a *attack) explain() {
	lines := strings.Split(a.ruleset.Source(), "\n")
	for i := range a.report.Findings {
		f := &a.report.Findings[i]
		for at := f.Line; at > 0 && at <= len(lines); at-- {
			text := strings.TrimSpace(lines[at-1])
			if at != f.Line && !strings.HasPrefix(text, "//") {
				break
			}
			m := explanation.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			for kind := range strings.SplitSeq(m[1], ",") {
				if strings.TrimSpace(kind) == f.Kind {
					f.Explained = m[2]
				}
			}
		}
	}
}
