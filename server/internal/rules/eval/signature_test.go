package eval

import "testing"

// TestOverloadsTakeTheSameNumberOfArguments checks an assumption of the checker: all overloads of a name, of any type,
// have the same number of arguments.
func TestOverloadsTakeTheSameNumberOfArguments(t *testing.T) {
	counts := make(map[string]int)
	check := func(name string, b builtin) {
		if len(b.overloads) == 0 {
			t.Errorf("%s has no overloads", name)
		}
		for _, o := range b.overloads {
			if n, ok := counts[name]; ok && n != len(o.types) {
				t.Errorf("%s takes %d arguments and %d", name, n, len(o.types))
			}
			counts[name] = len(o.types)
		}
	}
	for name, f := range functions {
		check(name, f)
	}
	for _, r := range receivers {
		for name, m := range r.methods {
			check("."+name, m)
		}
	}
	if got := Builtins().Methods["size"].On.String(); got != "string, bytes, list, set, map" {
		t.Errorf("size is a method of %s", got)
	}
}
