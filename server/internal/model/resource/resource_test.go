package resource_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

func TestParseDocument(t *testing.T) {
	const root = "projects/p/databases/(default)/documents"
	good := map[string]string{root + "/a/b": "a/b", root + "/a/b/c/d": "a/b/c/d", root + "/a/__id7__": "a/__id7__"}
	for in, want := range good {
		d, err := resource.ParseDocument(in)
		if err != nil || d.Path != want || d.String() != in {
			t.Errorf("ParseDocument(%q) = %v, %v; want path %q and the same name back", in, d, err, want)
		}
	}
	bad := []string{
		"", "a/b", root, root + "/a", root + "/a/b/c", root + "/a//b/c", root + "/a/..", root + "/a/__x__",
		"projects/p/databases/(default)", "projects//databases/d/documents/a/b", root + "/a/" + strings.Repeat("x", 1501),
		root + "/a/\xff", "projects/p/databases/d/documentsx/a/b",
		"projects/p\xff/databases/d/documents/a/b", "projects/p/databases/d\xff/documents/a/b", "projects/p\x00/databases/d/documents/a/b",
		"projects/p/databases/d\n/documents/a/b", "projects/" + strings.Repeat("p", 1501) + "/databases/d/documents/a/b",
	}
	for _, in := range bad {
		if d, err := resource.ParseDocument(in); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("ParseDocument(%.80q) = %v, %v; want InvalidArgument", in, d, err)
		}
	}
}

// TestDatabaseNamesAreText checks that names and the texts of errors are valid UTF-8.
func TestDatabaseNamesAreText(t *testing.T) {
	for _, name := range []string{"projects/\xff/databases/d", "projects/p/databases/\xff", "projects/p\x00q/databases/d"} {
		_, err := resource.ParseDatabase(name)
		_, _, parentErr := resource.ParseParent(name + "/documents")
		for _, err := range []error{err, parentErr} {
			if !fault.Is(err, fault.InvalidArgument) || !utf8.ValidString(err.Error()) {
				t.Errorf("%q: %q, want InvalidArgument in valid UTF-8", name, err)
			}
		}
	}
}

func TestDocumentParts(t *testing.T) {
	d := resource.Document{DB: resource.Database{Project: "p", ID: "d"}, Path: "a/b/c/d"}
	c := d.Collection()
	if d.ID() != "d" || c.Parent != "a/b" || c.ID != "c" || c.Path() != "a/b/c" || c.Doc("d") != d {
		t.Errorf("parts of %v: id %q, collection %+v", d, d.ID(), c)
	}
}

func TestComparePathsSorts(t *testing.T) {
	want := []string{"a", "a/__id-5__", "a/__id7__", "a/__id12__", "a/12", "a/7", "a/A", "a/a", "a/a/b", "a/a/b/c", "a/b", "a/é", "ab"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, resource.ComparePaths)
	if !slices.Equal(got, want) {
		t.Errorf("sorted = %q, want %q", got, want)
	}
}

func TestCheckIDs(t *testing.T) {
	tests := []struct {
		check func(string) error
		id    string
		want  string // "" means no error
	}{
		{resource.CheckDocumentID, "a", ""},
		{resource.CheckDocumentID, "a%2Fb", ""},
		{resource.CheckDocumentID, "a/b", `Resource id "a/b" is invalid because it contains "/".`},
		{resource.CheckDocumentID, "..", `Resource id ".." is invalid because it is reserved.`},
		{resource.CheckDocumentID, "____", ""},
		{resource.CheckDocumentID, "_____", `Resource id "_____" is invalid because it is reserved.`},
		{resource.CheckCollectionID, "____", ""},
		{resource.CheckCollectionID, "_____", `Collection id "_____" is invalid because it is reserved.`},
		{resource.CheckDocumentID, "__x__", `Resource id "__x__" is invalid because it is reserved.`},
		{resource.CheckCollectionID, "a b", ""},
		{resource.CheckCollectionID, ".", `Collection id "." is invalid because it is reserved.`},
		{resource.CheckCollectionID, "a/b", `Collection id "a/b" is invalid because it contains "/".`},
	}
	for _, tt := range tests {
		err := tt.check(tt.id)
		if got := fault.FromError(err); (err == nil) != (tt.want == "") || (err != nil && got.Message != tt.want) {
			t.Errorf("check of id %q = %v, want %q", tt.id, err, tt.want)
		}
	}
}

func FuzzParseDocument(f *testing.F) {
	f.Add("projects/p/databases/(default)/documents/a/b")
	f.Fuzz(func(t *testing.T, name string) {
		d, err := resource.ParseDocument(name)
		if err == nil && d.String() != name {
			t.Errorf("ParseDocument(%q).String() = %q", name, d.String())
		}
	})
}

func TestErrorsNameThePosition(t *testing.T) {
	const root = "projects/p/databases/(default)/documents"
	tests := []struct{ in, want string }{
		{"a/b", `Document name "a/b" lacks "projects" at index 0.`},
		{"projects//databases/d/documents/a/b", `Document name "projects//databases/d/documents/a/b" lacks a project id at index 9.`},
		{"projects/p/databases//documents/a/b", `Document name "projects/p/databases//documents/a/b" lacks a database id at index 21.`},
		{"projects/p/databases/d", `Document name "projects/p/databases/d" lacks "/" at index 22.`},
		{root + "/a", `Document name "` + root + `/a" lacks "/" at index 42.`},
		{root, `Document name "` + root + `" is invalid: Omit "/documents" when referencing a database (except as the parent of a document).`},
		{root + "/a/", `Document name "` + root + `/a/" has invalid trailing "/".`},
		{root + "/a//b", `Document name "` + root + `/a//b" lacks a resource id at index 43.`},
		{root + "/a/..", `Document name "` + root + `/a/.." contains a resource id ".." at index 43.`},
		{root + "//b", `Document name "` + root + `//b" lacks a collection id at index 41.`},
		{root + "/a/b/../d", `Document name "` + root + `/a/b/../d" contains a collection id ".." at index 45.`},
		{root + "/a/__x__", `Resource id "__x__" is invalid because it is reserved.`},
		{root + "/a/__id__", `Resource id "__id__" is invalid because it is reserved.`},
		{root + "/a/__id07__", `Resource id "__id07__" is invalid because it is reserved.`},
		{root + "/a/__id0__", `Resource id "__id0__" is invalid because it is reserved.`},
		{root + "/a/__id9223372036854775808__", `Resource id "__id9223372036854775808__" is invalid because it is not a 64 bit integer.`},
		{root + "/__c__/x", `Collection id "__c__" is invalid because it is reserved.`},
		{root + "/a/" + strings.Repeat("x", 1501), "The key path element name is longer than 1500 bytes."},
		{root + "/" + strings.Repeat("x", 1501) + "/a", "The key path element kind is longer than 1500 bytes."},
		{root + strings.Repeat("/"+strings.Repeat("x", 1499), 5), "The key path is longer than 6144 bytes."},
		{root + strings.Repeat("/c/x", 101), "Key path is too long. Cannot exceed 100 elements."},
	}
	for _, tt := range tests {
		if _, err := resource.ParseDocument(tt.in); !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want {
			t.Errorf("ParseDocument(%.60q) = %v, want %q", tt.in, err, tt.want)
		}
	}
	if _, err := resource.ParseDocument(root + strings.Repeat("/c/x", 100)); err != nil {
		t.Errorf("100 collections deep: %v", err)
	}
	if _, path, err := resource.ParseParent(root); path != "" || err != nil {
		t.Errorf("ParseParent(%q) = %q, %v", root, path, err)
	}
	const want = `Document parent name "` + root + `/a" lacks "/" at index 42.`
	if _, _, err := resource.ParseParent(root + "/a"); err == nil || fault.FromError(err).Message != want {
		t.Errorf("ParseParent of a collection = %v, want %q", err, want)
	}
}
