package release_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/release"
)

// rules returns files with rules of the default database.
func rules(name, text string) release.Files {
	return release.Files{"(default)": {Rules: &release.File{Name: name, Text: text}}}
}

func TestWith(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	none := &release.Release{}
	first, changed := none.With(rules("a.rules", "one"), "ann", at)
	if !changed || first.Version != 1 || first.By != "ann" || !first.Time.Equal(at) {
		t.Fatalf("With of nothing = %+v, %t; want version 1", first, changed)
	}
	if same, changed := first.With(rules("other name", "one"), "bob", at); changed || same != first {
		t.Errorf("With of the same text = %+v, %t; want the same release", same, changed)
	}
	indexes := release.Files{"(default)": {Indexes: &release.File{Name: "i.json", Text: "{}"}}}
	second, changed := first.With(indexes, "bob", at)
	if !changed || second.Version != 2 || second.Files["(default)"].Rules == nil || second.Files["(default)"].Indexes == nil {
		t.Errorf("With of indexes = %+v, %t; want both kinds in version 2", second, changed)
	}
	if first.Files["(default)"].Indexes != nil {
		t.Error("With has changed the release that it was called on")
	}
	if first.Digest() == second.Digest() || first.Digest() == none.Digest() {
		t.Errorf("digests %s, %s, %s; want three", none.Digest(), first.Digest(), second.Digest())
	}
}

// TestWithMade makes a database of whose name rules were released before. It does not have them.
func TestWithMade(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	before, _ := (&release.Release{}).With(release.Files{"made": {Rules: &release.File{Name: "a.rules", Text: "one"}}}, "ann", at)
	next, changed := before.With(release.Files{"made": {Indexes: &release.File{Name: "i.json", Text: "{}"}, Made: &release.Made{Time: at}}}, "ann", at)
	if got := next.Files["made"]; !changed || got.Rules != nil || got.Indexes == nil || got.Made == nil {
		t.Errorf("the database that was made has %+v", got)
	}
	if same, changed := next.With(release.Files{"made": {Rules: &release.File{Name: "b.rules", Text: "two"}}}, "ann", at); !changed || same.Files["made"].Made == nil || same.Files["made"].Indexes == nil {
		t.Errorf("after a release of rules it has %+v", same.Files["made"])
	}
}

func TestMissingAndDiffering(t *testing.T) {
	r, _ := (&release.Release{}).With(rules("a.rules", "one"), "", time.Time{})
	own := release.Files{
		"(default)": {Rules: &release.File{Name: "own.rules", Text: "two"}, Indexes: &release.File{Name: "own.json", Text: "{}"}},
		"other":     {Rules: &release.File{Name: "other.rules", Text: "three"}},
	}
	want := release.Files{"(default)": {Indexes: own["(default)"].Indexes}, "other": own["other"]}
	if got := r.Missing(own); !reflect.DeepEqual(got, want) {
		t.Errorf("Missing = %v, want %v", got, want)
	}
	if got := r.Differing(own); !slices.Equal(got, []string{"own.rules"}) {
		t.Errorf("Differing = %v, want own.rules", got)
	}
}

func TestLoad(t *testing.T) {
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if r, err := release.Load(st); err != nil || r.Version != 0 || len(r.Files) != 0 {
		t.Fatalf("Load of an empty store = %+v, %v; want the zero Release", r, err)
	}
	want, _ := (&release.Release{}).With(rules("a.rules", "one"), "ann", time.Date(2026, 11, 22, 10, 0, 0, 5e6, time.UTC))
	value, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	b.Set(release.Key(), value)
	if err := st.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if got, err := release.Load(st); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Load = %v, %v; want %v", got, err, want)
	}
	if _, err := release.Decode([]byte("{")); err == nil {
		t.Error("Decode takes what is no release")
	}
}
