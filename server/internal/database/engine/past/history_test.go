package past_test

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/store"
)

// reads is a reader that counts the segments whose commits are read.
type reads struct {
	store.Reader
	segments int
}

// Get implements store.Reader.
func (r *reads) Get(key []byte) ([]byte, bool, error) {
	if prefix := keys.History(number, keys.HistoryCommits, 0); bytes.HasPrefix(key, prefix[:len(prefix)-8]) {
		r.segments++
	}
	return r.Reader.Get(key)
}

// archive moves the commits before a version to the history, in segments of a number of commits.
func (h *history) archive(t *testing.T, before clock.Version, each int) {
	t.Helper()
	from := clock.Version(0)
	var old [][]clock.Version
	for _, v := range h.versions {
		if v < before {
			if len(old) == 0 || len(old[len(old)-1]) == each {
				old = append(old, nil)
			}
			old[len(old)-1] = append(old[len(old)-1], v)
		}
	}
	for _, versions := range old {
		s := past.NewSegment(nil, from)
		for _, v := range versions {
			record, found, err := h.store.Get(keys.Change(number, v))
			if err != nil || !found {
				t.Fatalf("the commit %d: %v, %v", v, found, err)
			}
			if err := s.Add(v, bytes.Clone(record)); err != nil {
				t.Fatal(err)
			}
		}
		batch := store.Batch{Deletes: true}
		s.Move(&batch, number)
		if err := h.store.Apply(t.Context(), &batch); err != nil {
			t.Fatal(err)
		}
		from = s.Last() + 1
	}
}

// TestDocumentsOfThePast looks for some documents at every version of random histories, of which a part is in
// segments. It finds what a search for everything finds of them, and reads no segment after it has.
func TestDocumentsOfThePast(t *testing.T) {
	hold := func(int64) error { return nil }
	fewer := 0
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		h := newHistory(t, random, 60)
		h.archive(t, h.versions[len(h.versions)*2/3], 4)
		for v := h.versions[0] - 1; v <= h.versions[len(h.versions)-1]; v++ {
			want, err := past.At(t.Context(), h.store, number, past.Scope{}, v, nil, hold)
			if err != nil {
				t.Fatal(err)
			}
			var some []string
			for _, i := range random.Perm(len(paths))[:1+random.IntN(3)] {
				some = append(some, paths[i], paths[i])
			}
			maps.DeleteFunc(want, func(path string, _ []byte) bool { return !slices.Contains(some, path) })
			r := &reads{Reader: h.store}
			got, err := past.At(t.Context(), r, number, past.Scope{Paths: some}, v, nil, hold)
			if err != nil || !maps.EqualFunc(got, want, func(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }) {
				t.Fatalf("seed %d: %q at %d: %v, %v; want %v", seed, some, v, got, err, want)
			}
			needed, all := h.needed(t, v, some)
			if r.segments > needed {
				t.Errorf("seed %d: %q at %d: %d segments were read, want at most %d", seed, some, v, r.segments, needed)
			}
			if needed < all {
				fewer++
			}
		}
	}
	if fewer < 100 {
		t.Errorf("only %d searches could end early", fewer)
	}
}

// needed returns how many segments after a version there are up to the one in which the last of some documents first
// changes, and how many there are. If one of them does not change, it needs all.
func (h *history) needed(t *testing.T, v clock.Version, some []string) (needed, all int) {
	t.Helper()
	left := make(map[string]bool)
	for _, path := range some {
		left[path] = true
	}
	err := past.Summaries(h.store, number, v+1, func(s past.Summary) (bool, error) {
		all++
		if len(left) > 0 {
			needed++
		}
		return true, past.ScanAll(context.Background(), h.store, number, past.Scope{}, max(v, s.Begin-1), s.Last, func(_ clock.Version, images []records.Image) error {
			for _, i := range images {
				delete(left, i.Path)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return needed, all
}
