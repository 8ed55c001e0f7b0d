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

// CoverageHTML returns the coverage report as a page: each piece of the text has the colour of the innermost expression
// that contains it, and shows its values on hover.
func (r *Ruleset) CoverageHTML() []byte {
	src := r.Source()
	// owner holds the innermost expression of each byte: children overwrite their parents.
	owner := make([]syntax.Expr, len(src))
	evaluated, total := 0, 0
	var paint func(e syntax.Expr)
	paint = func(e syntax.Expr) {
		total++
		if len(r.coverage.values(e.ID())) > 0 {
			evaluated++
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
	var pieces []piece
	for from := 0; from < len(src); {
		to := from
		for to < len(src) && owner[to] == owner[from] {
			to++
		}
		pieces = append(pieces, r.piece(src[from:to], owner[from]))
		from = to
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, object{"Pieces": pieces, "Evaluated": evaluated, "Total": total})
	if err != nil {
		return []byte("The coverage page could not be rendered.")
	}
	return b.Bytes()
}

// piece creates a piece of the page.
func (r *Ruleset) piece(text string, e syntax.Expr) piece {
	if e == nil {
		return piece{Text: text}
	}
	values := r.coverage.values(e.ID())
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
