package eval

import (
	"context"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// The maximum sizes of an expression's values; documents are far smaller. Without a limit, repeated doubling of a value
// would use up all memory within the budget of expressions.
const (
	maxBytes    = 4 << 20 // of a text or byte string
	maxItems    = 1 << 19 // of a list, or of all values inside each other
	maxSegments = 1000    // of a path
)

// tooLarge is the failure of a request that creates too large a value. No other expression can override it.
var tooLarge = &Failure{
	Text:  "Unable to evaluate the expression as the maximum memory usage of 1000 has been reached.",
	abort: true,
}

// bounded returns v, or tooLarge if v is too large.
func (e *Evaluator) bounded(ctx context.Context, x syntax.Expr, v Value) Value {
	great := false
	switch x.(type) {
	case *syntax.ListLit, *syntax.MapLit:
		left := maxItems
		great = !weigh(v, &left)
		if f := e.work(ctx, maxItems-left); f != nil {
			return f
		}
	case *syntax.Binary, *syntax.Method, *syntax.Call, *syntax.PathLit:
		switch y := v.(type) {
		case value.String:
			great = len(y) > maxBytes
		case value.Bytes:
			great = len(y) > maxBytes
		case value.Array:
			great = len(y) > maxItems
		case *Path:
			great = len(y.Parts) > maxSegments
		}
	}
	if great {
		e.steps, e.spent = maxSteps+1, tooLarge
		return tooLarge
	}
	return v
}

// Greater reports whether v consists of more than n values, counting v itself, and a long text as several values.
func Greater(v Value, n int) bool { return !weigh(v, &n) }

// weigh subtracts the number of values inside v from left, where long texts count as several, and reports whether left
// sufficed.
func weigh(v Value, left *int) bool {
	*left--
	if *left < 0 {
		return false
	}
	// 64 bytes of a text count as one value.
	switch x := v.(type) {
	case value.String:
		*left -= len(x) >> 6
	case value.Bytes:
		*left -= len(x) >> 6
	case value.Reference:
		*left -= len(x) >> 6
	case value.Array:
		for _, item := range x {
			if !weigh(item, left) {
				return false
			}
		}
	case value.Map:
		for _, item := range x {
			if !weigh(item, left) {
				return false
			}
		}
	case *Document:
		return weigh(x.Data, left)
	case *Partial:
		for _, item := range x.Fields {
			if !weigh(item, left) {
				return false
			}
		}
	case *Set:
		for _, item := range x.items {
			if !weigh(item, left) {
				return false
			}
		}
	case *Path:
		*left -= len(x.Parts)
	case *Diff:
		*left -= len(x.added) + len(x.removed) + len(x.changed) + len(x.unchanged)
	}
	return *left >= 0
}
