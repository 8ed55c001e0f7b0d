package past_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// db is the database of the tests.
var db = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// number is the number of db in keys. The databases with the numbers beside it have commits too, which must not be
// read.
const number = 7

// history is a store with a random history of commits, and what each version has.
type history struct {
	store *pebble.Store
	// versions are those of the commits, and states the documents at each of them.
	versions []clock.Version
	states   map[clock.Version]map[string]*document.Document
	changes  map[clock.Version][]document.Change
}

// record returns a document's record, or nil for an absent one.
func record(d *document.Document) []byte {
	if d == nil {
		return nil
	}
	return records.Append(nil, d, value.SortedKeys(d.Fields))
}

// paths are the documents of random histories.
var paths = []string{"c/a", "c/b", "c/b/s/x", "c/c/s/y", "d/a", "d/é"}

// newHistory makes commits of up to three documents each.
func newHistory(t *testing.T, r *rand.Rand, commits int) *history {
	t.Helper()
	h := &history{store: pebbletest.Open(t), states: map[clock.Version]map[string]*document.Document{}, changes: map[clock.Version][]document.Change{}}
	state, v := map[string]*document.Document{}, clock.Version(100)
	var batch store.Batch
	for _, other := range []uint32{number - 1, number + 1} {
		foreign, _ := records.AppendImage(nil, records.Image{Path: "c/a", After: record(&document.Document{Fields: value.Map{}})})
		batch.Set(keys.Change(other, 1<<40), foreign)
	}
	for range commits {
		v += clock.Version(1 + r.IntN(3))
		state = maps.Clone(state)
		var log []byte
		for _, i := range r.Perm(len(paths))[:1+r.IntN(3)] {
			name := resource.Document{DB: db, Path: paths[i]}
			before, after := state[name.Path], (*document.Document)(nil)
			if r.IntN(3) > 0 {
				after = &document.Document{Name: name, Fields: value.Map{"n": value.Int(r.IntN(100))}, CreateTime: v, UpdateTime: v}
			}
			if before == nil && after == nil {
				continue
			}
			log, _ = records.AppendImage(log, records.Image{Path: name.Path, Before: record(before), After: record(after)})
			h.changes[v] = append(h.changes[v], document.Change{Name: name, Before: before, After: after})
			delete(state, name.Path)
			if after != nil {
				state[name.Path] = after
				batch.Set(keys.Document(number, name.Path), record(after))
			} else {
				batch.Delete(keys.Document(number, name.Path))
			}
		}
		if log == nil {
			continue
		}
		batch.Set(keys.Change(number, v), log)
		h.versions, h.states[v] = append(h.versions, v), state
	}
	if err := h.store.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	return h
}

// at returns the documents at a version, which may be between commits.
func (h *history) at(v clock.Version) map[string]*document.Document {
	for _, at := range slices.Backward(h.versions) {
		if at <= v {
			return h.states[at]
		}
	}
	return nil
}

// TestStatesOfThePast reads every document at every version of random histories, from the store's latest state and the
// differences.
func TestStatesOfThePast(t *testing.T) {
	for seed := range uint64(20) {
		h := newHistory(t, rand.New(rand.NewPCG(seed, 1)), 30)
		last := h.versions[len(h.versions)-1]
		if got, err := past.Last(h.store, number); err != nil || got != last {
			t.Fatalf("seed %d: Last = %d, %v; want %d", seed, got, err, last)
		}
		for v := h.versions[0] - 1; v <= last+1; v++ {
			overlay, err := past.At(t.Context(), h.store, number, past.Scope{}, v, nil, func(int64) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			if v >= last && overlay != nil {
				t.Errorf("seed %d: the overlay of the latest version has %d documents, want none", seed, len(overlay))
			}
			state := &past.State{Reader: h.store, DB: db, Number: number, Overlay: overlay}
			for _, path := range paths {
				got, err := state.Get(state.Document(path))
				if want := h.at(v)[path]; err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: %s at %d = %+v, %v; want %+v", seed, path, v, got, err, want)
				}
			}
		}
	}
}

// TestCommits reads parts of the log, each commit once and in order.
func TestCommits(t *testing.T) {
	h := newHistory(t, rand.New(rand.NewPCG(1, 2)), 20)
	for i, after := range h.versions {
		for j, upto := range h.versions {
			var got []clock.Version
			err := past.Commits(t.Context(), h.store, db, number, after, upto, func(c document.Commit) error {
				if got = append(got, c.Version); !reflect.DeepEqual(c.Changes, h.changes[c.Version]) {
					t.Errorf("changes of %d = %+v, want %+v", c.Version, c.Changes, h.changes[c.Version])
				}
				return nil
			})
			var want []clock.Version
			if i < j {
				want = h.versions[i+1 : j+1]
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("commits after %d up to %d = %v, %v; want %v", after, upto, got, err, want)
			}
		}
	}
}

// TestReadingTheLogEnds ends with the error of the context, of the caller, and of a record that the engine did not
// write.
func TestReadingTheLogEnds(t *testing.T) {
	h := newHistory(t, rand.New(rand.NewPCG(3, 3)), 10)
	errFull := errors.New("full")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := past.At(ended, h.store, number, past.Scope{}, 0, nil, func(int64) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if _, err := past.At(t.Context(), h.store, number, past.Scope{}, 0, nil, func(int64) error { return errFull }); !errors.Is(err, errFull) {
		t.Errorf("with a full memory: %v, want %v", err, errFull)
	}
	if _, err := h.unreadable(t, h.versions[5]); err != nil {
		t.Fatal(err)
	}
	if _, err := past.At(t.Context(), h.store, number, past.Scope{}, 0, nil, func(int64) error { return nil }); !errors.Is(err, keys.ErrCorrupt) {
		t.Errorf("with a corrupt commit: %v, want %v", err, keys.ErrCorrupt)
	}
}

// TestASearchForDocumentsEndsInTheLog searches the log for documents. It must not read on after the first change of the
// last one: there is a commit that can't be read.
func TestASearchForDocumentsEndsInTheLog(t *testing.T) {
	h := newHistory(t, rand.New(rand.NewPCG(6, 6)), 30)
	v := h.versions[0]
	first := map[string]int{} // the index of the first change after v
	for i, at := range h.versions[1:] {
		for _, c := range h.changes[at] {
			if _, known := first[c.Name.Path]; !known {
				first[c.Name.Path] = i + 1
			}
		}
	}
	ends := 0
	for _, a := range paths {
		for _, b := range paths {
			last := max(first[a], first[b])
			if first[a] == 0 || first[b] == 0 || last+1 == len(h.versions) {
				continue
			}
			kept, err := h.unreadable(t, h.versions[last+1])
			if err != nil {
				t.Fatal(err)
			}
			overlay, err := past.At(t.Context(), h.store, number, past.Scope{Paths: []string{a, b}}, v, nil, func(int64) error { return nil })
			if err != nil || !overlay.Has(a) || !overlay.Has(b) {
				t.Errorf("%s and %s, whose changes end before what can't be read: %v, %v", a, b, overlay, err)
			}
			if _, err := past.At(t.Context(), h.store, number, past.Scope{Paths: []string{a, b, "c/unknown"}}, v, nil, func(int64) error { return nil }); !errors.Is(err, keys.ErrCorrupt) {
				t.Errorf("with a document that has not changed: %v, want %v", err, keys.ErrCorrupt)
			}
			if err := h.set(t, h.versions[last+1], kept); err != nil {
				t.Fatal(err)
			}
			ends++
		}
	}
	if ends == 0 {
		t.Error("no search ended before a commit")
	}
}

// set writes the record of a commit.
func (h *history) set(t *testing.T, v clock.Version, record []byte) error {
	var batch store.Batch
	batch.Set(keys.Change(number, v), record)
	return h.store.Apply(t.Context(), &batch)
}

// unreadable makes a commit unreadable. It returns its record.
func (h *history) unreadable(t *testing.T, v clock.Version) ([]byte, error) {
	kept, _, err := h.store.Get(keys.Change(number, v))
	if err != nil {
		return nil, err
	}
	return kept, h.set(t, v, []byte{0xff})
}

// TestAtHoldsWhatItKeeps counts the bytes of the kept documents, each once.
func TestAtHoldsWhatItKeeps(t *testing.T) {
	h := newHistory(t, rand.New(rand.NewPCG(4, 4)), 30)
	v := h.versions[10]
	var held int64
	overlay, err := past.At(t.Context(), h.store, number, past.Scope{}, v, func(path string) bool { return path < "d" }, func(n int64) error { held += n; return nil })
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	for path := range overlay {
		if path >= "d" {
			t.Errorf("the overlay has %s, which is not kept", path)
		}
		want += int64(len(record(h.at(v)[path])))
	}
	if len(overlay) == 0 || held != want {
		t.Errorf("%d bytes are held for %d documents, want %d", held, len(overlay), want)
	}
}

// TestOverlay checks what the engine's listings read of an overlay.
func TestOverlay(t *testing.T) {
	o := past.Overlay{"c/b": {1}, "c/a": nil, "c/é": {1}, "c/a/s/x": nil, "c/a/u/x": {1}, "ca/a": nil, "d/a/s/x/t/y": {1}}
	if !o.Has("c/a") || o.Has("c/x") {
		t.Error("Has does not report exactly the overlay's documents")
	}
	var got []string
	for _, name := range o.In(resource.Collection{DB: db, ID: "c"}, index.AppendSegment(nil, "b")) {
		got = append(got, name.Path)
	}
	if want := []string{"c/b", "c/é"}; !slices.Equal(got, want) {
		t.Errorf("In = %v, want %v", got, want)
	}
	for parent, want := range map[string]map[string]bool{
		"": {"c": true, "ca": false, "d": true}, "c/a": {"s": false, "u": true}, "d/a": {"s": true}, "d/a/s/x": {"t": true},
	} {
		if got := o.Collections(parent); !maps.Equal(got, want) {
			t.Errorf("Collections(%q) = %v, want %v", parent, got, want)
		}
	}
	if id, ok := past.ChildCollection("c/a", "c/ab/s/x"); ok {
		t.Errorf("c/ab/s/x is in the collection %q below c/a", id)
	}
}

// TestDropped drops commits, and reads from which version on there are any.
func TestDropped(t *testing.T) {
	h := newHistory(t, rand.New(rand.NewPCG(5, 5)), 10)
	if v, err := past.Dropped(h.store, number); err != nil || v != 0 {
		t.Errorf("before: Dropped = %d, %v", v, err)
	}
	var batch store.Batch
	past.SetDropped(&batch, number, h.versions[4])
	if err := h.store.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	if v, err := past.Dropped(h.store, number); err != nil || v != h.versions[4] {
		t.Errorf("Dropped = %d, %v; want %d", v, err, h.versions[4])
	}
	var got []clock.Version
	if err := past.Commits(t.Context(), h.store, db, number, 0, 1<<50, func(c document.Commit) error { got = append(got, c.Version); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := h.versions[4:]; !slices.Equal(got, want) {
		t.Errorf("the log has %v, want %v", got, want)
	}
	if v, err := past.Last(h.store, number+1); err != nil || v != 1<<40 {
		t.Errorf("the commit of another database: %d, %v", v, err)
	}
	batch = store.Batch{}
	batch.Set(keys.Prefix(keys.KindDropped, number), []byte("7 bytes"))
	if err := h.store.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	if _, err := past.Dropped(h.store, number); !errors.Is(err, keys.ErrCorrupt) {
		t.Errorf("Dropped = %v, want %v", err, keys.ErrCorrupt)
	}
}

// TestLastOfNoCommits reads an empty log.
func TestLastOfNoCommits(t *testing.T) {
	if v, err := past.Last(pebbletest.Open(t), number); err != nil || v != 0 {
		t.Errorf("Last = %d, %v; want 0", v, err)
	}
}
