package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// list returns all pages of a listing as paths; missing documents have a question mark.
func list(t *testing.T, e *engine.Engine, at request.At, req request.List) []string {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, at)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	for {
		page, err := r.List(t.Context(), req)
		if err != nil {
			t.Fatalf("List(%+v) = %v", req, err)
		}
		for _, d := range page.Documents {
			mark := ""
			if d.CreateTime == 0 {
				mark = "?"
			}
			out = append(out, d.Name.Path+mark)
		}
		if page.Next == "" {
			return out
		}
		req.PageToken = page.Next
	}
}

func TestList(t *testing.T) {
	e := open(t, engine.Options{})
	old := put(t, e, set("c/1", n(1)), set("c/3", n(1)), set("c/__id7__", n(1)), set("c/2/s/x", n(1)), set("c/3/s/x", n(1)),
		set("c/4/s/x/t/y", n(1)), set("d/1", n(1)), set("cc/1", n(1)))
	put(t, e, document.Write{Op: document.Delete, Name: doc("c/3")}, set("c/5", n(1)), document.Write{Op: document.Delete, Name: doc("c/4/s/x/t/y")})
	c := resource.Collection{DB: testDB, ID: "c"}
	tests := []struct {
		name    string
		at      request.At
		missing bool
		want    []string
	}{
		{"now", request.At{}, false, []string{"c/__id7__", "c/1", "c/5"}},
		{"now with missing", request.At{}, true, []string{"c/__id7__", "c/1", "c/2?", "c/3?", "c/5"}},
		{"then", request.At{ReadTime: old.Version}, false, []string{"c/__id7__", "c/1", "c/3"}},
	}
	for _, tt := range tests {
		for _, size := range []int{0, 1, 2, 3} {
			got := list(t, e, tt.at, request.List{Collection: c, PageSize: size, ShowMissing: tt.missing})
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s in pages of %d: %v, want %v", tt.name, size, got, tt.want)
			}
		}
	}
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, token := range []string{"x", "!!!", "wQ", "AAAA"} {
		_, err := r.List(t.Context(), request.List{Collection: c, PageToken: token})
		wantCode(t, fmt.Sprintf("List with token %q", token), err, fault.InvalidArgument)
	}
}

func TestCollectionIDs(t *testing.T) {
	e := open(t, engine.Options{})
	e.SetMaxOverlay(1)
	old := put(t, e, set("b/1", n(1)), set("a/1", n(1)), set("a/1/z/1", n(1)), set("a/1/y/1/x/1", n(1)), set("gone/1", n(1)))
	put(t, e, document.Write{Op: document.Delete, Name: doc("gone/1")}, set("new/1", n(1)))
	for _, tt := range []struct {
		at     request.At
		parent string
		want   []string
	}{
		{request.At{}, "", []string{"a", "b", "new"}},
		{request.At{}, "a/1", []string{"y", "z"}},
		{request.At{}, "a/1/y/1", []string{"x"}},
		{request.At{}, "a/2", nil},
		{request.At{ReadTime: old.Version}, "", []string{"a", "b", "gone"}},
		{request.At{ReadTime: old.Version}, "a/1", []string{"y", "z"}},
		{request.At{ReadTime: old.Version - 1}, "", nil},
	} {
		r, err := e.Read(t.Context(), testDB, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.CollectionIDs(t.Context(), tt.parent)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("CollectionIDs(%q) at %v = %v, %v, want %v", tt.parent, tt.at.ReadTime, got, err, tt.want)
		}
		r.Close()
	}
}
