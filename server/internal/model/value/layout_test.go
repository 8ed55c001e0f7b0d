package value_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/model/value"
)

// filled returns a random map with its layout, and the names of its members and of those of the maps inside it, by the
// path of the map.
func filled(r *rand.Rand, depth int, path string, names map[string][]string) (value.Map, *value.Branch) {
	m := value.Map{}
	var f value.Filler
	order := []string{}
	most := 6
	if r.IntN(10) == 0 {
		most = 26
	}
	for _, i := range r.Perm(most)[:r.IntN(most+1)] {
		name := string(rune('a' + i))
		v, b := filledValue(r, depth, path+name, names)
		f.Put(m, name, v, b)
		order = append(order, name)
	}
	if !slices.IsSorted(order) {
		names[path] = order
	}
	return m, f.Branch(m)
}

// filledValue returns a random value with its layout.
func filledValue(r *rand.Rand, depth int, path string, names map[string][]string) (value.Value, *value.Branch) {
	if n := r.IntN(4); depth > 0 && n == 0 {
		return filled(r, depth-1, path+"/", names)
	} else if depth > 0 && n == 1 {
		list, items := make(value.Array, r.IntN(4)), value.Items{}
		for i := range list {
			var b *value.Branch
			list[i], b = filledValue(r, depth-1, path+"#"+string(rune('0'+i)), names)
			items.Put(i, b)
		}
		return list, items.Branch()
	}
	return value.Int(r.IntN(9)), nil
}

// orders returns the names of the members of the maps of a layout that are not in order, by the path of the map.
func orders(b *value.Branch, v value.Value, path string, out map[string][]string) {
	switch x := v.(type) {
	case value.Map:
		names := b.Names(x)
		if !slices.IsSorted(names) {
			out[path] = names
		}
		for name, inner := range x {
			orders(b.At(value.FieldPath{name}), inner, path+name+"/", out)
		}
	case value.Array:
		// Elements have no path: Each finds them.
		b.Each(x, func(m value.Map, names []string) { out[path+"#"] = append(out[path+"#"], strings.Join(names, "")) })
	}
}

func TestStoredLayoutReadsBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	unsorted := 0
	for range 2000 {
		names := map[string][]string{}
		m, b := filled(r, 3, "", names)
		if (len(names) == 0) != (b == nil) {
			t.Fatalf("%v: the layout of %v is %v", m, names, b)
		}
		stored := value.LayoutOf(b).AppendStored(nil, m, value.SortedKeys(m))
		if (len(stored) == 0) != (b == nil) {
			t.Fatalf("%v: a layout is stored as %x", m, stored)
		}
		got := value.StoredLayout(stored)
		if want := value.LayoutOf(b); got.Sorted() != want.Sorted() || !reflect.DeepEqual(got.Branch(m), b) {
			t.Fatalf("%v: layout %v read back as %v", m, b, got.Branch(m))
		}
		count := 0
		got.Branch(m).Each(m, func(value.Map, []string) { count++ })
		if count != len(names) {
			t.Fatalf("%v: Each called for %d maps, want %d", m, count, len(names))
		}
		if again := got.AppendStored(nil, m, value.SortedKeys(m)); !slices.Equal(again, stored) {
			t.Fatalf("%v: stored as %x, and again as %x", m, stored, again)
		}
		unsorted += len(names)
	}
	if unsorted < 1000 {
		t.Errorf("%d maps are not in order: the test checks too little", unsorted)
	}
}

func TestFillerKeepsTheFirstPlaceOfAName(t *testing.T) {
	m := value.Map{}
	var f value.Filler
	for i, name := range []string{"b", "c", "a", "b", "c"} {
		f.Put(m, name, value.Int(i), nil)
	}
	if got := f.Branch(m).Names(m); !slices.Equal(got, []string{"b", "c", "a"}) || m["b"] != value.Int(3) {
		t.Errorf("names %v of %v, want b c a", got, m)
	}
}

func TestEditorMovesChangedFieldsToTheEnd(t *testing.T) {
	m, inner := value.Map{}, value.Map{}
	var f, g value.Filler
	for i, name := range []string{"z", "n", "b", "a"} {
		if name == "n" {
			for _, name := range []string{"y", "x", "w"} {
				g.Put(inner, name, value.Int(i), nil)
			}
			f.Put(m, name, inner, g.Branch(inner))
			continue
		}
		f.Put(m, name, value.Int(i), nil)
	}
	e := m.Edit(value.LayoutOf(f.Branch(m)))
	e.Set(value.FieldPath{"b"}, value.Int(7), nil)
	e.Set(value.FieldPath{"n", "y"}, value.Int(7), nil)
	e.Delete(value.FieldPath{"z"})
	e.Delete(value.FieldPath{"none", "x"})
	e.Set(value.FieldPath{"k", "o"}, value.Int(7), nil)
	e.Set(value.FieldPath{"k", "c"}, value.Int(7), nil)
	e.Move(value.FieldPath{"b"})
	got := map[string][]string{}
	orders(e.Layout().Branch(e.Map()), e.Map(), "", got)
	if want := map[string][]string{"": {"a", "n", "k", "b"}, "n/": {"x", "w", "y"}, "k/": {"o", "c"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func FuzzStoredLayout(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		m, b := filled(r, 3, "", map[string][]string{})
		f.Add(value.AppendBinary(nil, m), value.LayoutOf(b).AppendStored(nil, m, value.SortedKeys(m)))
	}
	f.Fuzz(func(t *testing.T, encoded, stored []byte) {
		v, _, err := value.Decode(encoded)
		m, ok := v.(value.Map)
		if err != nil || !ok {
			return
		}
		b := value.StoredLayout(stored).Branch(m)
		b.Each(m, func(m value.Map, names []string) {
			if sorted := slices.Sorted(slices.Values(names)); !slices.Equal(sorted, value.SortedKeys(m)) || slices.Equal(sorted, names) {
				t.Errorf("%v: names %v", m, names)
			}
		})
		again := value.LayoutOf(b).AppendStored(nil, m, value.SortedKeys(m))
		if got := value.StoredLayout(again).Branch(m); !reflect.DeepEqual(got, b) {
			t.Errorf("%v: layout %v read back as %v", m, b, got)
		}
	})
}

// TestTheFirstPlaceOfANameCounts puts names several times, one after the other and with others in between.
func TestTheFirstPlaceOfANameCounts(t *testing.T) {
	for _, c := range []struct{ put, want []string }{
		{[]string{"b", "b", "a", "b"}, []string{"b", "a"}},
		{[]string{"a", "a", "b", "b"}, nil},
		{[]string{"a", "b", "a"}, nil},
		{[]string{"c", "a", "a", "c", "b"}, []string{"c", "a", "b"}},
	} {
		m := value.Map{}
		var f value.Filler
		for _, name := range c.put {
			f.Put(m, name, value.Null{}, nil)
		}
		if got := f.Branch(m); (got == nil) != (c.want == nil) || got != nil && !slices.Equal(got.Names(m), c.want) {
			t.Errorf("%q: %v, want %q", c.put, got, c.want)
		}
	}
}
