package jsontree_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/jsontree"
)

// places lists the values of a file with their paths, places and kinds.
func places(text string, v *jsontree.Value) (all []string) {
	line, column := jsontree.Place([]byte(text), v.Offset)
	all = append(all, fmt.Sprintf("%d:%d %s is %s", line, column, v.Path(), v.Kind()))
	for _, inner := range append(slices.Clone(v.Members), v.Items...) {
		all = append(all, places(text, inner)...)
	}
	return all
}

// TestParse checks the paths and places of values.
func TestParse(t *testing.T) {
	text := "{ \"a\" : [1,\r\n  true , {\"b\\u0063\":\"x\"}],\n\"\": {}, \"n\": null}\n"
	root, err := jsontree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1:1  is an object", "1:9 a is a list", "1:10 a[0] is a number", "2:3 a[1] is true or false", "2:10 a[2] is an object",
		"2:21 a[2].bc is a string", "3:5  is an object", "3:14 n is null",
	}
	if got := places(text, root); !slices.Equal(got, want) {
		t.Errorf("the values are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if inner := root.Member("a").Items[2].Member("bc"); inner.NameOffset != strings.Index(text, `"b`) || string(inner.Raw) != `"x"` {
		t.Errorf("the member is %+v", inner)
	}
	if x, ok := root.Member("a").Items[2].Member("bc").Text(); x != "x" || !ok {
		t.Errorf("Text = %q, %v", x, ok)
	}
}

// TestParseRefuses checks the places of mistakes.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]int{"": 0, "{": 0, "[1,]": 3, `{"a":1,}`: 7, `{"a" 1}`: 5, "{} x": 3, "{'a':1}": 1} {
		_, err := jsontree.Parse([]byte(text))
		if syntax := (*jsontree.SyntaxError)(nil); !errors.As(err, &syntax) || syntax.Offset != want {
			t.Errorf("Parse(%q) = %#v, want a mistake at %d", text, err, want)
		}
	}
}

// TestRemarks checks that remarks on members of one name become one.
func TestRemarks(t *testing.T) {
	text := []byte("{\"x\": 1,\n \"list\": [{\"y\": 1}, {\"y\": 2}, {\"z\": 3}], \"x\": 2}")
	root, err := jsontree.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	remarks := jsontree.NewRemarks(text)
	remarks.Unknown(root, "x", "list")
	for _, item := range root.Member("list").Items {
		remarks.Unknown(item, "z")
	}
	want := []string{"f:1:2: x is given again below, and this one has no effect", "f:2:12: list[0].y is not known and has no effect (and 1 more of this name)"}
	if got := remarks.Lines("f"); !slices.Equal(got, want) {
		t.Errorf("the remarks are %q, want %q", got, want)
	}
	many := jsontree.NewRemarks(text)
	for i := range 100 {
		many.Add(root, fmt.Sprint(i))
	}
	if got := many.Lines("f"); len(got) != 21 || got[20] != "f: 80 more remarks" {
		t.Errorf("100 remarks are %d lines, the last of which is %q", len(got), got[len(got)-1])
	}
}

// FuzzParse checks that each value is at its place, and that Parse accepts what encoding/json accepts.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a": [1, {"b": null}], "c": "\u00e9\\"}`))
	f.Add([]byte("4E444"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := jsontree.Parse(text)
		if (err == nil) != json.Valid(text) {
			t.Fatalf("Parse(%q) = %v", text, err)
		}
		if err != nil {
			return
		}
		var check func(v *jsontree.Value)
		check = func(v *jsontree.Value) {
			if end := v.Offset + len(v.Raw); !json.Valid(v.Raw) || string(text[v.Offset:end]) != string(v.Raw) {
				t.Fatalf("Parse(%q): %s is %q", text, v.Path(), v.Raw)
			}
			for _, m := range v.Members {
				if text[m.NameOffset] != '"' {
					t.Fatalf("Parse(%q): the name of %s is at %d", text, m.Path(), m.NameOffset)
				}
				check(m)
			}
			for _, item := range v.Items {
				check(item)
			}
		}
		check(root)
	})
}
