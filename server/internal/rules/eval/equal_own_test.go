package eval

import (
	"strings"
	"testing"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// TestReferencesAreComparedInPlace compares references with each other and with paths, which takes no time for
// converting one of them: a list has many, and each may be 6 KiB long.
func TestReferencesAreComparedInPlace(t *testing.T) {
	const within = "databases/(default)/documents/c/d"
	segments := strings.Split(within, "/")
	open := NewPath(segments...)
	open.Parts[4].Kind = syntax.Capture
	for _, c := range []struct {
		name string
		a, b Value
		want bool
	}{
		{"the same", value.Reference("projects/p/" + within), value.Reference("projects/p/" + within), true},
		{"of another project", value.Reference("projects/p/" + within), value.Reference("projects/q/" + within), true},
		{"longer", value.Reference("projects/p/" + within), value.Reference("projects/p/" + within + "/e/f"), false},
		{"another", value.Reference("projects/p/" + within), value.Reference("projects/p/databases/(default)/documents/c/e"), false},
		{"a path", value.Reference("projects/p/" + within), NewPath(segments...), true},
		{"a shorter path", value.Reference("projects/p/" + within), NewPath(segments[:4]...), false},
		{"a longer path", value.Reference("projects/p/" + within), NewPath(append(segments[:5:5], "d", "e")...), false},
		{"another path", value.Reference("projects/p/" + within), NewPath("databases", "(default)", "documents", "c", "e"), false},
		{"an open path", value.Reference("projects/p/" + within), open, false},
		{"a text", value.Reference("projects/p/" + within), value.String(within), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if equal(c.a, c.b) != c.want || equal(c.b, c.a) != c.want {
				t.Errorf("equal(%v, %v) = %t, and %t the other way; want %t", c.a, c.b, equal(c.a, c.b), equal(c.b, c.a), c.want)
			}
			if n := testing.AllocsPerRun(10, func() { equal(c.a, c.b) }); n != 0 {
				t.Errorf("a comparison allocates %v times, want 0", n)
			}
			if p, ok := c.b.(*Path); ok && p.open() == "" && (key(c.a) == key(p)) != c.want {
				t.Errorf("the keys are %s and %s, want the same: %t", key(c.a), key(p), c.want)
			}
		})
	}
}
