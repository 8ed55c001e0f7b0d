package rules

import (
	"fmt"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// Reason explains why a statement did not allow. Each step is the reason of the one before; the values are those of the
// last step's operands.
type Reason struct {
	Steps  []ReasonStep `json:"steps"`
	Values []NamedValue `json:"values"`
}

// ReasonStep is an expression that is false, uncertain for a query, or has no value.
type ReasonStep struct {
	Text string `json:"text"`
	Line int    `json:"line"`
	// Error is the reason for which it has no value.
	Error string `json:"error,omitempty"`
	// Uncertain is set if the conditions of a query do not determine the value.
	Uncertain bool `json:"uncertain,omitempty"`
}

// NamedValue is an expression with its value.
type NamedValue struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

// maxReasonText is the maximum length of an expression or value in a reason, in characters.
const maxReasonText = 120

// brief cuts a long text.
func brief(text string) string {
	n := 0
	for at := range text {
		if n == maxReasonText {
			return text[:at] + "…"
		}
		n++
	}
	return text
}

// reasonOf returns the reason why a condition is not true, or nil if it is.
func reasonOf(n *Evaluated) *Reason {
	if !n.failed() {
		return nil
	}
	r := &Reason{Values: []NamedValue{}}
	for {
		n = decisive(n)
		step := ReasonStep{Text: brief(n.Text), Line: n.Line}
		var inner *Evaluated
		if call, ok := n.expr.(*syntax.Call); ok && len(n.Children) > len(call.Args) {
			inner = n.Children[len(n.Children)-1] // the function's result
			step.Text = call.Name.Text + "(…)"
		}
		switch x := n.value.(type) {
		case *eval.Failure:
			if inner == nil {
				step.Error = x.Text
			}
		case eval.Bools, eval.Unknown, *eval.Field:
			step.Uncertain = true
		}
		r.Steps = append(r.Steps, step)
		if inner == nil || !inner.failed() {
			r.Values = operands(n)
			return r
		}
		n = inner
	}
}

// decisive returns the part of a condition that decided that it is not true: of a conjunction the last part that is not
// true, and of a disjunction that part for which most expressions were evaluated.
func decisive(n *Evaluated) *Evaluated {
	b, ok := n.expr.(*syntax.Binary)
	if !ok || b.Op != syntax.And && b.Op != syntax.Or {
		return n
	}
	var part *Evaluated
	for _, child := range n.Children {
		if child.failed() && (part == nil || b.Op == syntax.And || child.size() > part.size()) {
			part = child
		}
	}
	if part == nil {
		return n
	}
	return decisive(part)
}

// operands returns the operands of an expression that are not literals, with their values.
func operands(n *Evaluated) []NamedValue {
	parts := n.Children
	if _, not := n.expr.(*syntax.Unary); not && len(parts) == 1 && len(parts[0].Children) > 0 {
		parts = parts[0].Children
	}
	out := []NamedValue{}
	for _, p := range parts {
		if _, failed := p.value.(*eval.Failure); failed || isLiteral(p.expr) || p.Text == p.Value {
			continue
		}
		out = append(out, NamedValue{brief(p.Text), brief(p.Value)})
	}
	return out
}

// isLiteral reports whether an expression is a literal, or a list of them.
func isLiteral(e syntax.Expr) bool {
	switch x := e.(type) {
	case *syntax.NullLit, *syntax.BoolLit, *syntax.IntLit, *syntax.FloatLit, *syntax.StringLit, *syntax.BytesLit:
		return true
	case *syntax.ListLit:
		for _, item := range x.Items {
			if !isLiteral(item) {
				return false
			}
		}
		return true
	}
	return false
}

// String returns the reason as a sentence without a full stop.
func (r *Reason) String() string {
	var b strings.Builder
	for i, s := range r.Steps {
		if i > 0 {
			b.WriteString(" because ")
		}
		switch {
		case s.Error != "":
			fmt.Fprintf(&b, "%s has no value (%s)", s.Text, strings.TrimSuffix(strings.Join(strings.Fields(s.Error), " "), "."))
		case s.Uncertain:
			fmt.Fprintf(&b, "%s is not certain for every result of the query", s.Text)
		default:
			fmt.Fprintf(&b, "%s is false", s.Text)
		}
	}
	for _, v := range r.Values {
		fmt.Fprintf(&b, ", %s = %s", v.Text, v.Value)
	}
	return b.String()
}

// summarize sets the line and the sentence.
func (x *Explanation) summarize() {
	if len(x.Statements) == 0 {
		x.Sentence = fmt.Sprintf("No allow statement applies to %s of %s.", x.Method, x.Path)
		return
	}
	last := &x.Statements[len(x.Statements)-1]
	if x.Allowed {
		x.Line = last.Line
		x.Sentence = fmt.Sprintf("Line %d allows %s of %s.", x.Line, x.Method, x.Path)
		return
	}
	// The statement that came furthest names the reason: the others are about other operations or roles more often.
	chosen, most := last, 0
	for i := range x.Statements {
		if s := &x.Statements[i]; s.Condition != nil && s.Condition.size() > most {
			chosen, most = s, s.Condition.size()
		}
	}
	x.Line = chosen.Line
	switch {
	case chosen.Reason != nil:
		steps := chosen.Reason.Steps
		x.Line = steps[len(steps)-1].Line
		x.Sentence = fmt.Sprintf("Line %d: %s.", steps[0].Line, chosen.Reason)
	case chosen.Failure != "":
		x.Sentence = fmt.Sprintf("Line %d: %s", x.Line, chosen.Failure)
	default:
		x.Sentence = fmt.Sprintf("Line %d does not allow it.", x.Line)
	}
}

// maxItems is the number of items of a list or map that valueText writes.
const maxItems = 10

// textOf returns a value in the form of the language. Large values are named by their type.
func textOf(v eval.Value) string {
	if _, isText := v.(value.String); !isText && eval.Greater(v, maxShown) {
		return "large " + eval.TypeName(v)
	}
	return valueText(v)
}

// valueText returns a value in the form of the language.
func valueText(v eval.Value) string { // long: one case a type
	switch x := v.(type) {
	case value.Null:
		return "null"
	case value.String:
		return fmt.Sprintf("%q", brief(string(x)))
	case value.Reference, *eval.Path:
		return eval.PathOf(v).String()
	case value.Timestamp:
		return "timestamp " + x.Time().Format("2006-01-02T15:04:05.999999999Z07:00")
	case eval.Duration:
		return "duration " + durationText(x)
	case value.Array:
		return listText("[", x, "]")
	case *eval.Set:
		return listText("set [", x.Items(), "]")
	case value.Map:
		return mapText(x)
	case *eval.Document:
		return "document " + x.Name.String() + " " + mapText(x.Data)
	case *eval.Failure:
		return "error: " + x.Text
	case eval.Bools, eval.Unknown, *eval.Field, *eval.Partial:
		return "not certain"
	case value.Bytes:
		return fmt.Sprintf("%d bytes", len(x))
	case *eval.Diff:
		return "difference"
	case value.GeoPoint:
		return fmt.Sprintf("latlng %v, %v", x.Lat, x.Lng)
	}
	return fmt.Sprint(v)
}

// listText returns items between two marks.
func listText(open string, items []eval.Value, end string) string {
	texts := make([]string, 0, maxItems+1)
	for i, item := range items {
		if i == maxItems {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, brief(valueText(item)))
	}
	return open + strings.Join(texts, ", ") + end
}

// mapText returns a map in the form of the language.
func mapText(m value.Map) string {
	texts := make([]string, 0, maxItems+1)
	for i, key := range value.SortedKeys(m) {
		if i == maxItems {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, key+": "+brief(valueText(m[key])))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
