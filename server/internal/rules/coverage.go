package rules

import (
	"sync"
	"sync/atomic"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
)

// maxValues is the maximum number of distinct values that are kept for one expression.
const maxValues = 100

// Coverage counts the values of a ruleset's expressions since it was loaded. It is safe for concurrent use.
type Coverage struct {
	enabled atomic.Bool
	mu      struct {
		sync.Mutex
		exprs [][]seen // by expression id
	}
}

// seen is one value of an expression.
type seen struct {
	text  string // the value as JSON, which identifies values
	count int
}

// newCoverage returns the coverage of so many expressions, not yet enabled.
func newCoverage(exprs int) *Coverage {
	c := &Coverage{}
	c.mu.exprs = make([][]seen, exprs)
	return c
}

// Cover begins counting. Decisions take longer from then on.
func (r *Ruleset) Cover() { r.coverage.enabled.Store(true) }

// recorder keeps the values of one request's expressions.
type recorder struct{ traced []traced }

// traced is one value of one expression.
type traced struct {
	id   int
	text string
}

// Trace implements eval.Tracer.
func (r *recorder) Trace(id int, v eval.Value) {
	r.traced = append(r.traced, traced{id: id, text: shown(v)})
}

// The texts of the values that most expressions have.
const (
	shownTrue    = `{"boolValue":true}`
	shownFalse   = `{"boolValue":false}`
	shownNull    = `{"nullValue":null}`
	shownUnknown = `{}`
	shownGreat   = `{"mapValue":{"fields":{}}}`
)

// maxShown is the maximum number of nested values that are shown. Larger values, such as large documents, are shown
// empty.
const maxShown = 200

// shown returns a value as the report shows it.
func shown(v eval.Value) string {
	switch x := v.(type) {
	case value.Bool:
		if x {
			return shownTrue
		}
		return shownFalse
	case value.Null:
		return shownNull
	case eval.Unknown, eval.Bools:
		return shownUnknown
	}
	if eval.Greater(v, maxShown) {
		return shownGreat
	}
	return string(render(v))
}

// add counts the values of a request.
func (c *Coverage) add(r *recorder) {
	c.mu.Lock()
	defer c.mu.Unlock()
next:
	for _, t := range r.traced {
		values := c.mu.exprs[t.id]
		for i := range values {
			if values[i].text == t.text {
				values[i].count++
				continue next
			}
		}
		if len(values) < maxValues {
			c.mu.exprs[t.id] = append(values, seen{text: t.text, count: 1})
		}
	}
}

// values returns a copy of an expression's values.
func (c *Coverage) values(id int) []seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]seen(nil), c.mu.exprs[id]...)
}
