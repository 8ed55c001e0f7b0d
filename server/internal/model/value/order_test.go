package value_test

import (
	"slices"
	"testing"

	"clave/server/internal/model/value"
)

func TestOrderOfNames(t *testing.T) {
	maps := []value.Map{
		{"b": nil, "a": nil, "c": nil}, {"c": nil, "b": nil, "a": nil}, {"a": nil, "b": nil, "d": nil}, {"a": nil, "b": nil}, {}, nil, {"é": nil, "z": nil}, {"z": nil, "é": nil},
	}
	var o value.Order
	var kept [][]string
	for i, m := range maps {
		got := o.Names(m)
		if want := value.SortedKeys(m); !slices.Equal(got, want) {
			t.Errorf("map %d: Names = %q, want %q", i, got, want)
		}
		kept = append(kept, got)
	}
	for i, names := range kept {
		if want := value.SortedKeys(maps[i]); !slices.Equal(names, want) {
			t.Errorf("map %d: the names became %q, want %q", i, names, want)
		}
	}
}
