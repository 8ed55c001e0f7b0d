package eval_test

import (
	"strings"
	"testing"

	"clave/server/rules/eval"
	"clave/server/value"
)

// TestGreater checks that the size of long strings counts, also if they are last or alone. Otherwise the coverage report would
// keep them.
func TestGreater(t *testing.T) {
	long := value.String(strings.Repeat("x", 64*201))
	many := make(value.Array, 201)
	for i := range many {
		many[i] = value.Null{}
	}
	for _, tt := range []struct {
		name string
		v    eval.Value
		want bool
	}{
		{"a number", value.Int(1), false},
		{"a short text", value.String("abc"), false},
		{"a long text", long, true},
		{"long bytes", value.Bytes(long), true},
		{"a long text in a list", value.Array{value.Int(1), long}, true},
		{"a long text in a map in a map", value.Map{"a": value.Map{"b": long}}, true},
		{"200 values", many[:199], false},
		{"201 values", many[:200], true},
		{"a long path", eval.NewPath(strings.Split(strings.Repeat("a/", 200), "/")...), true},
		{"a short path", eval.NewPath("a", "b"), false},
	} {
		if got := eval.Greater(tt.v, 200); got != tt.want {
			t.Errorf("Greater(%s, 200) = %t, want %t", tt.name, got, tt.want)
		}
	}
}
