package index_test

import (
	"bytes"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/model/value"
)

// entriesOf returns a document's entries under definitions.
func entriesOf(t *testing.T, defs index.Definitions, path string, fields value.Map) ([]index.Entry, error) {
	t.Helper()
	ids := make([]uint32, len(defs.Indexes))
	for i := range ids {
		ids[i] = uint32(i + 1)
	}
	return index.NewSet(defs, ids).Entries([]byte("prefix"), path, fields)
}

func TestEntriesOfADocument(t *testing.T) {
	composite := index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "t", Mode: index.Contains}}}
	fields := value.Map{"a": value.Int(1), "t": value.Array{value.Int(1), value.Double(1), value.Int(2)}, "m": value.Map{"x": value.Null{}}}
	tests := []struct {
		name string
		defs index.Definitions
		path string
		want int
	}{
		// a, t, two different elements, m and m.x.
		{"automatic", index.Definitions{}, "c/1", 6},
		{"composite with an array", index.Definitions{Indexes: []index.Definition{composite}}, "c/1", 8},
		{"composite of another collection", index.Definitions{Indexes: []index.Definition{composite}}, "d/1", 6},
		{"exempt", index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "t"}}}, "c/1", 3},
		{"exempt map", index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "m"}}}, "c/1", 4},
		{"all exempt", index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "*"}}}, "c/1", 0},
		{"also of the group", index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "a",
			Collection: index.Single{Ascending: true}, Group: index.Single{Ascending: true}}}}, "x/1/c/1", 7},
	}
	for _, tt := range tests {
		got, err := entriesOf(t, tt.defs, tt.path, fields)
		if err != nil || len(got) != tt.want {
			t.Errorf("%s: %d entries (%v), want %d", tt.name, len(got), err, tt.want)
		}
		for i, e := range got {
			if !bytes.HasPrefix(e.Key, []byte("prefix")) || i > 0 && bytes.Compare(got[i-1].Key, e.Key) >= 0 {
				t.Errorf("%s: entry %d, %q, is out of order", tt.name, i, e.Key)
			}
			info, err := index.ParseInfo(e.Value)
			if err != nil || info.Truncated || info.NameLen <= 0 || info.NameLen > len(e.Key) {
				t.Errorf("%s: entry %q has %+v (%v)", tt.name, e.Key, info, err)
			}
		}
	}
}

func TestLimitsOfEntries(t *testing.T) {
	numbers := func(n int) value.Map {
		a := make(value.Array, n)
		for i := range a {
			a[i] = value.Int(i)
		}
		return value.Map{"ints": a}
	}
	tests := []struct {
		name   string
		path   string
		fields value.Map
		want   string
	}{
		{"19,999 elements", "c/d", numbers(19_999), ""},
		{"20,000 elements", "c/d", numbers(20_000), "too many index entries for entity /c/d"},
		{"long value", "c/d", value.Map{"s": value.String(strings.Repeat("x", 1<<20))}, ""},
		{"long name of an empty document", "c/" + strings.Repeat("d", 1490) + strings.Repeat("/c/"+strings.Repeat("d", 1490), 3), nil,
			"Index entry is too large."},
		{"name as long as production takes", "c/" + strings.Repeat("d", 1490) + strings.Repeat("/c/"+strings.Repeat("d", 1490), 2), nil, ""},
		{"long name", "c/" + strings.Repeat("d", 1500) + strings.Repeat("/c/"+strings.Repeat("d", 1500), 3), value.Map{"s": value.String("")},
			"Index entry is too large."},
	}
	for _, tt := range tests {
		_, err := entriesOf(t, index.Definitions{}, tt.path, tt.fields)
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (!fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
