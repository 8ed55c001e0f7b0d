package value_test

import (
	"strings"
	"testing"

	"clave/server/internal/model/value"
)

func TestParseFieldPath(t *testing.T) {
	good := map[string]value.FieldPath{
		"a": {"a"}, "a.b_1.c": {"a", "b_1", "c"}, "`a.b`": {"a.b"}, "`max-missing`.x": {"max-missing", "x"},
		"`\\``": {"`"}, "`\\\\`": {"\\"}, "__name__": {"__name__"}, "a.`é`": {"a", "é"},
	}
	for in, want := range good {
		got, err := value.ParseFieldPath(in)
		if err != nil || !got.Equal(want) {
			t.Errorf("ParseFieldPath(%q) = %q, %v; want %q", in, got, err, want)
		}
		if got.String() != in {
			t.Errorf("ParseFieldPath(%q).String() = %q", in, got.String())
		}
	}
	for _, in := range []string{"", "a..b", ".a", "a.", "max-missing", "1a", "`a", "``", "`a`b", "a b", "`a\\", "`a\\xb`", "a.``"} {
		if got, err := value.ParseFieldPath(in); err == nil {
			t.Errorf("ParseFieldPath(%q) = %q, want an error", in, got)
		} else if !strings.Contains(err.Error(), "Invalid property path \""+in+"\"") {
			t.Errorf("ParseFieldPath(%q) fails with %q", in, err)
		}
	}
}

func FuzzParseFieldPath(f *testing.F) {
	f.Add("a.`b\\``.c")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := value.ParseFieldPath(s)
		if err != nil {
			return
		}
		again, err := value.ParseFieldPath(p.String())
		if err != nil || !again.Equal(p) {
			t.Errorf("ParseFieldPath(%q) = %q, printed and parsed again %q, %v", s, p, again, err)
		}
	})
}

func TestMapAtPaths(t *testing.T) {
	m := value.Map{"a": value.Map{"b": value.Int(1)}, "c": value.Int(2)}
	path := func(s string) value.FieldPath {
		p, err := value.ParseFieldPath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if v, ok := m.Get(path("a.b")); !ok || v != value.Int(1) {
		t.Errorf("Get(a.b) = %v, %t", v, ok)
	}
	if v, ok := m.Get(path("c.b")); ok {
		t.Errorf("Get(c.b) = %v, want none: c is no map", v)
	}
	set := m.Set(path("c.d.e"), value.Int(3))
	if want := (value.Map{"a": m["a"], "c": value.Map{"d": value.Map{"e": value.Int(3)}}}); !value.Identical(set, want) {
		t.Errorf("Set(c.d.e) = %v, want %v", set, want)
	}
	deleted := m.Delete(path("a.b"))
	if want := (value.Map{"a": value.Map{}, "c": value.Int(2)}); !value.Identical(deleted, want) {
		t.Errorf("Delete(a.b) = %v, want %v", deleted, want)
	}
	if want := (value.Map{"a": value.Map{"b": value.Int(1)}, "c": value.Int(2)}); !value.Identical(m, want) {
		t.Errorf("the map itself changed to %v", m)
	}
}

func TestSize(t *testing.T) {
	tests := []struct {
		v    value.Value
		want int
	}{
		{value.Null{}, 1}, {value.Bool(true), 1}, {value.Int(1), 8}, {value.Double(1), 8}, {value.Timestamp{}, 8},
		{value.String("abc"), 4}, {value.Bytes("abc"), 3}, {value.GeoPoint{}, 16},
		{value.Reference("projects/p/databases/d/documents/users/jeff"), 27},
		{value.Array{value.Int(1), value.String("a")}, 10}, {value.Map{"ab": value.Int(1)}, 11},
	}
	for _, tt := range tests {
		if got := value.Size(tt.v); got != tt.want {
			t.Errorf("Size(%#v) = %d, want %d", tt.v, got, tt.want)
		}
	}
}
