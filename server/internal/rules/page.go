package rules

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
	"html/template"
	"slices"
	"strings"

	"clave/server/internal/rules/syntax"
)

//go:embed coverage.html
var pageText string

// pageTemplate is the coverage page.
var pageTemplate = template.Must(template.New("coverage").Parse(pageText))

// piece is a piece of the text on the coverage page.
type piece struct {
	Text  string
	Class string // of the innermost expression: never, once or often; empty outside of expressions
	Title string
}

// sortExprs puts expressions in the order of the text.
func sortExprs(all []syntax.Expr) {
	slices.SortFunc(all, func(a, b syntax.Expr) int { return cmp.Compare(a.At().Start, b.At().Start) })
}

// page is the content of the coverage page, or of the page that explains a decision.
type page struct {
	Title            string
	Evaluated, Total int
	Pieces           []piece
	// Explanation is the explained decision; nil on the coverage page.
	Explanation *Explanation
}

// CoverageHTML returns the coverage report as a page: each piece of the text has the colour of the innermost expression
// that contains it, and shows its values on hover.
func (r *Ruleset) CoverageHTML() []byte {
	return r.html(page{Title: "Rules coverage"}, r.coverage.values)
}

// HTML returns the explanation as a page: the reason, the statements, and the rules with the values of expressions as
// on the coverage page.
func (x *Explanation) HTML() []byte {
	title := "Denied: "
	if x.Allowed {
		title = "Allowed: "
	}
	p := page{Title: title + x.Method + " of " + x.Path, Explanation: x}
	return x.ruleset.html(p, func(id int) []seen { return x.values[id] })
}

// html renders a page with the values of expressions.
func (r *Ruleset) html(p page, values func(id int) []seen) []byte {
	src := r.Source()
	// owner holds the innermost expression of each byte: children overwrite their parents.
	owner := make([]syntax.Expr, len(src))
	var paint func(e syntax.Expr)
	paint = func(e syntax.Expr) {
		p.Total++
		if len(values(e.ID())) > 0 {
			p.Evaluated++
		}
		for i := e.At().Start; i < e.At().End; i++ {
			owner[i] = e
		}
		for _, child := range syntax.Children(e) {
			paint(child)
		}
	}
	for _, e := range roots(r.program.File) {
		paint(e)
	}
	for from := 0; from < len(src); {
		to := from
		for to < len(src) && owner[to] == owner[from] {
			to++
		}
		p.Pieces = append(p.Pieces, pieceOf(src[from:to], owner[from], values))
		from = to
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return []byte("The page could not be rendered.")
	}
	return b.Bytes()
}

// pieceOf creates a piece of the page.
func pieceOf(text string, e syntax.Expr, valuesOf func(id int) []seen) piece {
	if e == nil {
		return piece{Text: text}
	}
	values := valuesOf(e.ID())
	if len(values) == 0 {
		return piece{Text: text, Class: "never", Title: "Expression never evaluated"}
	}
	count := 0
	lines := make([]string, len(values))
	for i, v := range values {
		count += v.count
		lines[i] = fmt.Sprintf("%d × %s", v.count, v.text)
	}
	class := "often"
	if len(values) == 1 {
		class = "once"
	}
	title := fmt.Sprintf("Evaluated %d times\n%s", count, strings.Join(lines, "\n"))
	return piece{Text: text, Class: class, Title: title}
}
