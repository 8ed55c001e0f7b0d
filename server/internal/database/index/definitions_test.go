package index_test

import (
	"reflect"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
)

func TestParseDefinitions(t *testing.T) {
	got, _, err := index.ParseDefinitions([]byte(`{
  "note": "other members of the file are left alone",
  "indexes": [
    {"collectionGroup": "c", "queryScope": "COLLECTION", "density": "SPARSE_ALL", "fields": [
      {"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b.c", "arrayConfig": "CONTAINS"}, {"fieldPath": "__name__", "order": "ASCENDING"}]},
    {"collectionGroup": "c", "queryScope": "COLLECTION_GROUP", "fields": [
      {"fieldPath": "a", "order": "DESCENDING"}, {"fieldPath": "__name__", "order": "ASCENDING"}]},
    {"collectionGroup": "v", "queryScope": "COLLECTION", "fields": [{"fieldPath": "e", "vectorConfig": {"dimension": 3, "flat": {}}}]}
  ],
  "fieldOverrides": [
    {"collectionGroup": "c", "fieldPath": "big", "indexes": []},
    {"collectionGroup": "c", "fieldPath": "a", "ttl": false, "indexes": [
      {"order": "ASCENDING", "queryScope": "COLLECTION"}, {"arrayConfig": "CONTAINS", "queryScope": "COLLECTION_GROUP"}]},
    {"collectionGroup": "c", "fieldPath": "*", "indexes": []}
  ]
}`))
	if err != nil {
		t.Fatal(err)
	}
	want := index.Definitions{
		Indexes: []index.Definition{
			{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b.c", Mode: index.Contains}}},
			{CollectionGroup: "c", Group: true, Fields: []index.Field{{Path: "a", Mode: index.Descending}, {Path: "__name__"}}},
			{CollectionGroup: "v", Fields: []index.Field{{Path: "e", Mode: index.Vector, Dimension: 3}}},
		},
		Overrides: []index.Override{
			{CollectionGroup: "c", Path: "big"},
			{CollectionGroup: "c", Path: "a", Collection: index.Single{Ascending: true}, Group: index.Single{Contains: true}},
			{CollectionGroup: "c", Path: "*"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ParseDefinitions = %+v\nwant %+v", got, want)
	}
	again, _, err := index.ParseDefinitions([]byte(`{"indexes": [` + got.Indexes[1].JSON() + `]}`))
	if err != nil || !again.Indexes[0].Equal(got.Indexes[1]) {
		t.Errorf("ParseDefinitions(%s) = %+v, %v", got.Indexes[1].JSON(), again, err)
	}
}

func TestParseDefinitionsReportsTheLine(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", ``, "line 1, column 1: "},
		{"no object", `[]`, "line 1, column 1: the file must be a JSON object"},
		{"cut off", "{\n \"indexes\": [", "line 2, column 13: "},
		{"no list", `{"indexes": {}}`, "line 1, column 13: indexes must be a list, not an object"},
		{"wrong type", "{\"indexes\": [\n {\"collectionGroup\": 3}]}", "line 2, column 22: indexes[0].collectionGroup must be a string, not a number"},
		{"no collection", `{"indexes": [{"fields": []}]}`, `line 1, column 14: an index needs a "collectionGroup"`},
		{"wrong scope", `{"indexes": [{"collectionGroup": "c", "queryScope": "ALL"}]}`, `line 1, column 14: an index needs`},
		{"no fields", `{"indexes": [{"collectionGroup": "c", "fields": []}]}`, "line 1, column 14: an index has 1 to 100 fields"},
		{"no mode", `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "a"}]}]}`, `field "a" needs one of`},
		{"wrong order", `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "a", "order": "UP"}]}]}`, `field "a" needs one of`},
		{"bad path", `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "a-b", "order": "ASCENDING"}]}]}`, `field path "a-b" is not valid`},
		{"two arrays", `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "a", "arrayConfig": "CONTAINS"}, {"fieldPath": "b", "arrayConfig": "CONTAINS"}]}]}`, "at most one of them an array"},
		{"override without field", `{"fieldOverrides": [{"collectionGroup": "c"}]}`, `line 1, column 21: an override needs`},
		{"text behind", `{} x`, "line 1, column "},
	}
	for _, tt := range tests {
		_, _, err := index.ParseDefinitions([]byte(tt.in))
		if !fault.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: ParseDefinitions = %v, want INVALID_ARGUMENT with %q", tt.name, err, tt.want)
		}
	}
}

// FuzzParseDefinitions checks that accepted definitions can be written and read again.
func FuzzParseDefinitions(f *testing.F) {
	f.Add(`{"indexes": [{"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}]}], "fieldOverrides": [{"collectionGroup": "c", "fieldPath": "x", "indexes": []}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		defs, remarks, err := index.ParseDefinitions([]byte(in))
		remarks.Lines("i.json")
		if err != nil {
			return
		}
		for _, d := range defs.Indexes {
			again, _, err := index.ParseDefinitions([]byte(`{"indexes": [` + d.JSON() + `]}`))
			if err != nil || !again.Indexes[0].Equal(d) {
				t.Errorf("ParseDefinitions(%s) = %+v, %v", d.JSON(), again, err)
			}
		}
	})
}
