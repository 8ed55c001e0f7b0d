package index_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/database/index"
)

// TestFormsOfTheFirebaseCLI reads forms of index files that the Firebase CLI deploys, with the remarks on them.
func TestFormsOfTheFirebaseCLI(t *testing.T) {
	ab := index.Definition{CollectionGroup: "r", Fields: []index.Field{{Path: "a"}, {Path: "b", Mode: index.Descending}}}
	tags := index.Definition{CollectionGroup: "r", Fields: []index.Field{{Path: "a"}, {Path: "t", Mode: index.Contains}}}
	for _, c := range []struct {
		name, in string
		want     []index.Definition
		remarks  []string
	}{
		{
			"v1beta1", "{\"indexes\": [\n{\"collectionId\": \"r\", \"fields\": [{\"fieldPath\": \"a\", \"mode\": \"ASCENDING\"}, {\"fieldPath\": \"b\", \"mode\": \"DESCENDING\"}]},\n" +
				"{\"collectionId\": \"r\", \"fields\": [{\"fieldPath\": \"a\", \"mode\": \"ASCENDING\"}, {\"fieldPath\": \"t\", \"mode\": \"ARRAY_CONTAINS\"}]}]}",
			[]index.Definition{ab, tags},
			[]string{
				"i.json:2:2: indexes[0].collectionId is the form of v1beta1 for collectionGroup (and 1 more of this name)",
				"i.json:2:53: indexes[0].fields[0].mode is the form of v1beta1 for order and arrayConfig (and 3 more of this name)",
			},
		},
		{
			"a byte order mark", "\ufeff" + `{"indexes": [` + ab.JSON() + `]}`, []index.Definition{ab}, nil,
		},
		{
			"both forms", `{"indexes": [{"collectionGroup": "r", "collectionId": "x", "fields": [{"fieldPath": "a", "order": "ASCENDING", "mode": "DESCENDING"}, {"fieldPath": "b", "order": "DESCENDING", "arrayConfig": "CONTAINS"}]}]}`,
			[]index.Definition{ab},
			[]string{
				"i.json:1:39: indexes[0].collectionId has no effect here beside collectionGroup",
				"i.json:1:112: indexes[0].fields[0].mode has no effect here beside order",
				"i.json:1:177: indexes[0].fields[1].arrayConfig has no effect here beside order",
			},
		},
		{
			"null and empty members", `{"indexes": [{"collectionGroup": "r", "collectionId": null, "queryScope": null, "fields": [{"fieldPath": "a", "order": "ASCENDING", "arrayConfig": null, "vectorConfig": null}, {"fieldPath": "b", "mode": "", "order": "DESCENDING"}]}], "fieldOverrides": null}`,
			[]index.Definition{ab}, nil,
		},
		{
			"unknown members", `{"$schema": "x", "rules": 1, "indexes": [{"collectionGroup": "r", "comment": "x", "fields": [{"fieldPath": "a", "order": "ASCENDING", "queryScope": 3}, {"fieldPath": "b", "order": "DESCENDING"}]}]}`,
			[]index.Definition{ab},
			[]string{
				"i.json:1:18: rules is not known and has no effect", "i.json:1:67: indexes[0].comment is not known and has no effect",
				"i.json:1:135: indexes[0].fields[0].queryScope is not known and has no effect",
			},
		},
		{
			"members without effect", `{"indexes": [{"name": "projects/x", "state": "READY", "collectionGroup": "r", "apiScope": "MONGODB_COMPATIBLE_API", "density": "DENSE", "multikey": true, "unique": true, "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "DESCENDING"}]},
{"collectionGroup": "r", "apiScope": "ANY_API", "density": "SPARSE_ALL", "multikey": false, "unique": false, "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "t", "arrayConfig": "CONTAINS"}]}],
"fieldOverrides": [{"collectionGroup": "r", "fieldPath": "at", "ttl": true, "indexes": [{"order": "ASCENDING", "density": "SPARSE_ANY"}]}, {"collectionGroup": "r", "fieldPath": "b", "ttl": false, "indexes": []}]}`,
			[]index.Definition{ab, tags},
			[]string{
				"i.json:1:79: indexes[0].apiScope has no effect here", "i.json:1:117: indexes[0].density has no effect here (and 1 more of this name)",
				"i.json:1:137: indexes[0].multikey has no effect here", "i.json:1:155: indexes[0].unique has no effect here",
			},
		},
		{
			"a text search", `{"indexes": [{"collectionGroup": "r", "fields": [{"fieldPath": "a", "searchConfig": {"textSpec": {"indexSpecs": []}}}]}, ` + ab.JSON() + `]}`,
			[]index.Definition{ab}, []string{"i.json:1:69: indexes[0].fields[0].searchConfig is not supported: its index is left out"},
		},
		{
			"a repeated member", `{"indexes": [], "indexes": [` + ab.JSON() + `]}`,
			[]index.Definition{ab}, []string{"i.json:1:2: indexes is given again below, and this one has no effect"},
		},
	} {
		got, remarks, err := index.ParseDefinitions([]byte(c.in))
		if err != nil || !reflect.DeepEqual(got.Indexes, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got.Indexes, err, c.want)
		}
		if lines := remarks.Lines("i.json"); !slices.Equal(lines, c.remarks) {
			t.Errorf("%s: the remarks are\n%s\nwant\n%s", c.name, strings.Join(lines, "\n"), strings.Join(c.remarks, "\n"))
		}
	}
}
