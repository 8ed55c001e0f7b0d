package pebble

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/store"
)

// TestGetAllReadsWhatIsThere compares runs of keys with a map. Some of the keys are stored, some deleted and some were
// never written, in the table in memory and in tables on disk.
func TestGetAllReadsWhatIsThere(t *testing.T) {
	const keys = 2000
	rnd := rand.New(rand.NewPCG(1, 2))
	s, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	stored := make(map[int]string)
	for round := range 30 {
		var b store.Batch
		for range 20 {
			from := rnd.IntN(keys)
			for k := from; k < min(from+1+rnd.IntN(40), keys); k++ {
				if rnd.IntN(2) == 0 {
					delete(stored, k)
					b.Delete(fmt.Appendf(nil, "k%05d", k))
				} else {
					stored[k] = fmt.Sprintf("%d in round %d", k, round)
					b.Set(fmt.Appendf(nil, "k%05d", k), []byte(stored[k]))
				}
			}
		}
		if round%10 == 9 { // a long run of deleted keys
			b.DeleteRange(fmt.Appendf(nil, "k%05d", 500), fmt.Appendf(nil, "k%05d", 900))
			for k := 500; k < 900; k++ {
				delete(stored, k)
			}
		}
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatalf("Apply = %v", err)
		}
		if round%4 == 3 {
			if err := s.db.Flush(); err != nil {
				t.Fatalf("Flush = %v", err)
			}
		}
		for range 50 {
			checkGetAll(t, s, stored, rnd.IntN(keys+200), 1+rnd.IntN(100), 1+rnd.IntN(3))
		}
	}
}

// checkGetAll reads n keys from a number on, with a distance between them, in order and in the opposite order.
func checkGetAll(t *testing.T, s *Store, stored map[int]string, from, n, step int) {
	t.Helper()
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }()
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = from + i*step
	}
	for range 2 {
		names := make([][]byte, n)
		want := make(map[int]string)
		for i, k := range numbers {
			names[i] = fmt.Appendf(nil, "k%05d", k)
			if v, ok := stored[k]; ok {
				want[i] = v
			}
		}
		got := make(map[int]string)
		err := snap.GetAll(names, func(i int, value []byte) error {
			got[i] = string(value)
			return nil
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("GetAll(%d keys from %d by %d) = %v, %v, want %v", n, from, step, got, err, want)
		}
		slices.Reverse(numbers)
	}
}

// TestGetAllOfAbsentKeysSeeksOnce reads keys in order between which nothing is stored. One seek finds many of them
// absent, unless it passes many deleted keys.
func TestGetAllOfAbsentKeysSeeksOnce(t *testing.T) {
	s, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var b store.Batch
	var keys [][]byte
	for i := range 10 * window {
		b.Set(fmt.Appendf(nil, "a%05d", i), []byte("before"))
		b.Set(fmt.Appendf(nil, "k%05d/deleted", i), []byte("between"))
		keys = append(keys, fmt.Appendf(nil, "k%05d", i))
	}
	b.Set([]byte("z"), []byte("after"))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	leading := func() (int, int) {
		it, err := s.db.NewIter(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = it.Close() }()
		n, err := leadingAbsent(it, keys)
		if err != nil {
			t.Fatal(err)
		}
		return n, deadPassed(it)
	}
	if n, _ := leading(); n != 0 {
		t.Errorf("%d keys are absent beside stored ones at once, want 0", n)
	}
	b = store.Batch{}
	for i := range 10 * window {
		b.Delete(fmt.Appendf(nil, "k%05d/deleted", i))
	}
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	if n, dead := leading(); n == 0 || n == len(keys) || dead > maxDeadAbsent+2*window {
		t.Errorf("%d of %d keys are absent at once between deleted ones, of which %d were passed", n, len(keys), dead)
	}
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "m%05d", i)
	}
	if n, _ := leading(); n != len(keys) {
		t.Errorf("%d of %d keys are absent at once, want all", n, len(keys))
	}
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "m%05d with a long end", i)
	}
	if n, _ := leading(); n != 0 {
		t.Errorf("%d keys far from each other are absent at once, want 0", n)
	}
}
