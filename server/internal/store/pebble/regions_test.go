package pebble

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/store"
)

// firstTwo is the region of the keys of these tests.
func firstTwo(key []byte) int { return min(2, len(key)) }

// fillRegions writes two windows of samples: half of the bytes to "a1", half to "b1", and a little to many other
// regions between and behind these.
func fillRegions(t *testing.T, s *Store, round int) (keys [][]byte) {
	t.Helper()
	value := make([]byte, 1000)
	key := func(region string, n int) []byte {
		keys = append(keys, binary.BigEndian.AppendUint32([]byte(region), uint32(round<<16+n)))
		return keys[len(keys)-1]
	}
	for written, n := 0, 0; written < 2*sampleWindow*sampleStep; n++ {
		var b store.Batch
		for i := range 32 {
			b.Set(key("a1", 32*n+i), value)
			b.Set(key("b1", 32*n+i), value)
		}
		b.Set(key(fmt.Sprintf("a%c", '2'+n%50), n), nil)
		b.Set(key(fmt.Sprintf("c%c", '2'+n%50), n), nil)
		for _, op := range b.Ops {
			written += opSize(op)
		}
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// tablesOf returns the smallest and the greatest key of each table.
func tablesOf(t *testing.T, s *Store) (out [][2][]byte) {
	t.Helper()
	levels, err := s.db.SSTables()
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range levels {
		for _, table := range level {
			out = append(out, [2][]byte{table.Smallest.UserKey, table.Largest.UserKey})
		}
	}
	return out
}

// mixed returns the number of tables that have keys of one of the two large regions and of another region.
func mixed(t *testing.T, s *Store) (n int) {
	t.Helper()
	for _, table := range tablesOf(t, s) {
		for _, region := range []string{"a1", "b1"} {
			from, to := []byte(region), store.PrefixEnd([]byte(region))
			overlaps := bytes.Compare(table[0], to) < 0 && bytes.Compare(table[1], from) >= 0
			within := bytes.Compare(table[0], from) >= 0 && bytes.Compare(table[1], to) < 0
			if overlaps && !within {
				n++
			}
		}
	}
	return n
}

// openRegions opens a store with regions on a file system.
func openRegions(t *testing.T, fs vfs.FS, region func([]byte) int) *Store {
	t.Helper()
	s, err := Open("data", Options{FS: fs, Region: region})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTablesAreDividedByRegion writes much to two regions and little to a hundred. The tables of the two have no other
// keys, the others share tables, and all keys are read, also by a program without regions.
func TestTablesAreDividedByRegion(t *testing.T) {
	fs := vfs.NewMem()
	s := openRegions(t, fs, firstTwo)
	keys := fillRegions(t, s, 0)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	keys = append(keys, fillRegions(t, s, 1)...)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := mixed(t, s); n > 0 {
		t.Errorf("%d tables have keys of a large region and of others", n)
	}
	if err := s.db.Compact(t.Context(), []byte("a"), []byte("z"), false); err != nil {
		t.Fatal(err)
	}
	if n := mixed(t, s); n > 0 {
		t.Errorf("%d merged tables have keys of a large region and of others", n)
	}
	// The values are zeros, which take little space, so that their size divides few tables.
	if n := len(tablesOf(t, s)); n > 20 {
		t.Errorf("there are %d tables", n)
	}
	if n, want := s.regions.tables.Load(), int64(len(tablesOf(t, s))); n < want {
		t.Errorf("%d tables are counted, %d exist", n, want)
	}
	checkAll(t, s, keys)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openRegions(t, fs, nil)
	defer func() { _ = s.Close() }()
	if n, want := s.regions.tables.Load(), int64(len(tablesOf(t, s))); n < want || want == 0 {
		t.Errorf("%d tables are counted after a start, %d exist", n, want)
	}
	checkAll(t, s, keys)
}

// checkAll checks that the store has keys and no others, by Scan and for some by Get.
func checkAll(t *testing.T, s *Store, keys [][]byte) {
	t.Helper()
	all := make(map[string]bool, len(keys))
	for i, key := range keys {
		all[string(key)] = true
		if i%20 > 0 {
			continue
		}
		if _, found, err := s.Get(key); !found || err != nil {
			t.Fatalf("Get(%q) found %t, %v", key, found, err)
		}
	}
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	for n := 0; ; n++ {
		switch more := it.Next(); {
		case more && all[string(it.Key())]:
		case more:
			t.Fatalf("Scan returned %q", it.Key())
		default:
			if it.Err() != nil || n != len(all) {
				t.Fatalf("Scan returned %d keys, %v, want %d", n, it.Err(), len(all))
			}
			return
		}
	}
}

// TestManyTablesAreNotDivided writes to a store with the greatest number of tables that are divided.
func TestManyTablesAreNotDivided(t *testing.T) {
	s := openRegions(t, vfs.NewMem(), firstTwo)
	defer func() { _ = s.Close() }()
	for _, present := range []int64{0, maxDivided} {
		s.regions.tables.Store(present)
		fillRegions(t, s, 0)
		_, end, err := s.regions.policy([]byte("a1"))
		if divided := end != nil; divided != (present == 0) || err != nil {
			t.Errorf("with %d tables the end of a region is %q, %v", present, end, err)
		}
	}
}

func TestBordersOfRegions(t *testing.T) {
	borders := bordersOf(map[string]int{"b": sampledBusy, "c": sampledBusy, "d": sampledBusy - 1, "\xff": sampleWindow})
	var r regions
	if _, end, err := r.policy([]byte("a")); end != nil || err != nil {
		t.Errorf("without samples the end is %q, %v", end, err)
	}
	r.borders.Store(&borders)
	for key, want := range map[string]string{"a": "b", "b": "c", "b1": "c", "c": "d", "d": "\xff", "e": "\xff", "\xff": "", "\xff1": ""} {
		policy, end, err := r.policy([]byte(key))
		if string(end) != want || err != nil || policy != (pebble.SpanPolicy{}) {
			t.Errorf("policy(%q) = %v, %q, %v, want the end %q", key, policy, end, err, want)
		}
	}
}

// TestSamplesFollowBytes writes batches of different sizes: a key counts once for each step of bytes, whatever the
// batches are.
func TestSamplesFollowBytes(t *testing.T) {
	r := regions{of: firstTwo}
	written := 0
	for i := range 200 {
		ops := []store.Op{{Key: []byte("a1"), Value: make([]byte, 37*i)}, {Key: []byte("b1"), Value: make([]byte, 111*i)}}
		size := opSize(ops[0]) + opSize(ops[1])
		written += size
		r.note(ops, size)
	}
	if got, want := r.mu.samples, written/sampleStep; got != want {
		t.Errorf("%d samples, want %d", got, want)
	}
	if a, b := r.mu.counts["a1"], r.mu.counts["b1"]; b < 2*a || b > 4*a {
		t.Errorf("a1 has %d samples, b1 has %d, want about three times as many", a, b)
	}
}
