package resource_test

import (
	"slices"
	"strings"
	"testing"

	"clave/server/fault"
	"clave/server/resource"
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
	}
	for _, in := range bad {
		if d, err := resource.ParseDocument(in); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("ParseDocument(%.80q) = %v, %v; want InvalidArgument", in, d, err)
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

func FuzzParseDocument(f *testing.F) {
	f.Add("projects/p/databases/(default)/documents/a/b")
	f.Fuzz(func(t *testing.T, name string) {
		d, err := resource.ParseDocument(name)
		if err == nil && d.String() != name {
			t.Errorf("ParseDocument(%q).String() = %q", name, d.String())
		}
	})
}
