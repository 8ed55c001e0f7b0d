package download

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestWithoutName removes the document's name where the API has added it to the fields of an index.
func TestWithoutName(t *testing.T) {
	name := func(order string) indexPart { return indexPart{FieldPath: "__name__", Order: order} }
	a, b := indexPart{FieldPath: "a", Order: "ASCENDING"}, indexPart{FieldPath: "b", Order: "DESCENDING"}
	tags, vector := indexPart{FieldPath: "tags", ArrayConfig: "CONTAINS"}, indexPart{FieldPath: "v", VectorConfig: json.RawMessage(`{"dimension":3,"flat":{}}`)}
	for _, tt := range []struct{ given, want []indexPart }{
		{[]indexPart{a, b, name("DESCENDING")}, []indexPart{a, b}},
		{[]indexPart{a, b, name("ASCENDING")}, []indexPart{a, b, name("ASCENDING")}},
		{[]indexPart{a, tags, name("ASCENDING")}, []indexPart{a, tags}},
		{[]indexPart{tags, b, name("DESCENDING")}, []indexPart{tags, b}},
		{[]indexPart{a, name("ASCENDING"), vector}, []indexPart{a, vector}},
		{[]indexPart{a, name("DESCENDING"), b}, []indexPart{a, name("DESCENDING"), b}},
		{[]indexPart{a, b}, []indexPart{a, b}},
	} {
		if got := withoutName(tt.given); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("withoutName(%+v) = %+v, want %+v", tt.given, got, tt.want)
		}
	}
}

// TestUnlikeIndexes names indexes that Clave does not have.
func TestUnlikeIndexes(t *testing.T) {
	fields := []indexPart{{FieldPath: "a", Order: "ASCENDING"}, {FieldPath: "b", Order: "DESCENDING"}}
	as := definitions{Indexes: []definition{{CollectionGroup: "g", QueryScope: "COLLECTION", Fields: fields}}}
	for _, tt := range []struct {
		in   indexJSON
		want bool
	}{
		{indexJSON{}, false},
		{indexJSON{APIScope: "ANY_API", Density: "SPARSE_ALL"}, false},
		{indexJSON{APIScope: "DATASTORE_MODE_API"}, true},
		{indexJSON{Density: "DENSE"}, true},
		{indexJSON{Fields: []indexPart{{FieldPath: "a", SearchConfig: json.RawMessage(`{}`)}}}, true},
	} {
		if why := tt.in.unlike(as); (why != "") != tt.want {
			t.Errorf("unlike(%+v) = %q", tt.in, why)
		}
	}
	as.Indexes[0].Fields = []indexPart{{FieldPath: "a", Order: "SIDEWAYS"}}
	if why := new(indexJSON).unlike(as); why == "" {
		t.Error("an index with an unknown order is accepted")
	}
}
