package index

import (
	"reflect"
	"testing"
)

// TestFormat parses the text of definitions of every form, which must return them.
func TestFormat(t *testing.T) {
	all := Single{Ascending: true, Descending: true, Contains: true}
	want := Definitions{
		Indexes: []Definition{
			{CollectionGroup: "a", Fields: []Field{{Path: "x"}, {Path: "`y z`", Mode: Descending}, {Path: "l", Mode: Contains}}},
			{CollectionGroup: "a&b", Group: true, Fields: []Field{{Path: "x"}, {Path: "v", Mode: Vector, Dimension: 3}}},
			{CollectionGroup: "n", Fields: []Field{{Path: "x"}, {Path: "__name__", Mode: Descending}}},
		},
		Overrides: []Override{
			{CollectionGroup: "a", Path: "none"}, {CollectionGroup: "a", Path: "*", Collection: Single{Ascending: true}},
			{CollectionGroup: "a", Path: "until", Collection: all, Group: Single{Contains: true}, TTL: true},
		},
	}
	text := Format(want)
	got, _, err := ParseDefinitions(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ParseDefinitions(Format) = %+v, %v; want %+v; the text is %s", got, err, want, text)
	}
	if empty, _, err := ParseDefinitions(Format(Definitions{})); err != nil || !reflect.DeepEqual(empty, Definitions{}) {
		t.Errorf("ParseDefinitions of no definitions = %+v, %v", empty, err)
	}
}
