package index_test

import (
	"strings"
	"testing"

	"clave/server/internal/database/index"
)

func TestAdd(t *testing.T) {
	group := index.Definition{CollectionGroup: "c", Group: true, Fields: []index.Field{{Path: "a"}}}
	tests := []struct {
		name string
		text string
		add  index.Definition
		want string // without white space
	}{
		{
			"a composite", `{"note":1}`, index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b", Mode: index.Descending}}},
			`{"indexes":[{"collectionGroup":"c","queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}],"note":1}`,
		},
		{
			"the name, backwards", `{"indexes":[{"collectionGroup":"x"}]}`, index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "__name__", Mode: index.Descending}}},
			`{"indexes":[{"collectionGroup":"x"},{"collectionGroup":"c","queryScope":"COLLECTION","fields":[{"fieldPath":"__name__","order":"DESCENDING"}]}]}`,
		},
		{
			"one field repeats the automatic indexes", `{}`, group,
			`{"fieldOverrides":[{"collectionGroup":"c","fieldPath":"a","indexes":[{"order":"ASCENDING","queryScope":"COLLECTION"},` +
				`{"order":"DESCENDING","queryScope":"COLLECTION"},{"arrayConfig":"CONTAINS","queryScope":"COLLECTION"},{"order":"ASCENDING","queryScope":"COLLECTION_GROUP"}]}]}`,
		},
		{
			"one field with an override", `{"fieldOverrides":[{"collectionGroup":"c","fieldPath":"a","ttl":true,"indexes":[]}]}`, group,
			`{"fieldOverrides":[{"collectionGroup":"c","fieldPath":"a","indexes":[{"order":"ASCENDING","queryScope":"COLLECTION_GROUP"}],"ttl":true}]}`,
		},
		{
			"one field without automatic indexes", `{"fieldOverrides":[{"collectionGroup":"c","fieldPath":"*","indexes":[]}]}`,
			index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "a", Mode: index.Contains}}},
			`{"fieldOverrides":[{"collectionGroup":"c","fieldPath":"*","indexes":[]},{"collectionGroup":"c","fieldPath":"a","indexes":[{"arrayConfig":"CONTAINS","queryScope":"COLLECTION"}]}]}`,
		},
	}
	for _, tt := range tests {
		out, err := index.Add([]byte(tt.text), tt.add)
		if got := strings.Join(strings.Fields(string(out)), ""); err != nil || got != tt.want {
			t.Errorf("%s: Add = %s, %v\nwant %s", tt.name, got, err, tt.want)
		}
	}
	for _, broken := range []string{``, `[]`, `{"fieldOverrides":{}}`, `{"fieldOverrides":[1]}`} {
		if out, err := index.Add([]byte(broken), group); err == nil {
			t.Errorf("Add to %q = %s, want an error", broken, out)
		}
	}
}
