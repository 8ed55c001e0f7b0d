// Package storetest is the test suite for storage engines. It has one test for each guarantee of store.Store.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"clave/server/internal/store"
)

// Maker opens an empty store; the suite closes it.
type Maker func(t *testing.T) store.Store

// Run runs the suite with stores that open opens.
func Run(t *testing.T, open Maker) {
	tests := []struct {
		name string
		run  func(*testing.T, store.Store)
	}{
		{"get returns what was set", testGet},
		{"a batch is applied in order", testBatchOrder},
		{"a range is walked in order of bytes", testScan},
		{"a seek stays within the range", testSeek},
		{"a snapshot sees one moment", testSnapshot},
		{"a snapshot reads many keys", testGetAll},
		{"an iterator sees the moment of its opening", testIteratorMoment},
		{"concurrent batches are atomic", testAtomic},
		{"a random history equals a sorted map's", testModel},
		{"a closed store returns ErrClosed", testClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			defer func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close() = %v", err)
				}
			}()
			tt.run(t, s)
		})
	}
}

// apply applies changes written as "k=v", "-k" or "a..b" (delete the range), and fails the test on an error.
func apply(t *testing.T, s store.Store, changes ...string) {
	t.Helper()
	var b store.Batch
	for _, c := range changes {
		key, value, isSet := bytes.Cut([]byte(c), []byte("="))
		from, to, isRange := bytes.Cut([]byte(c), []byte(".."))
		switch {
		case isSet:
			b.Set(key, value)
		case isRange:
			b.DeleteRange(from, to)
		default:
			b.Delete([]byte(c[1:]))
		}
	}
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatalf("Apply(%q) = %v", changes, err)
	}
}

// walk returns the keys and values of a range as "k=v k=v".
func walk(t *testing.T, r store.Reader, rng store.Range) string {
	t.Helper()
	it := r.Scan(rng)
	defer func() { _ = it.Close() }()
	var out []byte
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatalf("Value() at %q = %v", it.Key(), err)
		}
		out = fmt.Appendf(out, " %s=%s", it.Key(), v)
		it.Park()
	}
	if err := it.Err(); err != nil {
		t.Fatalf("Scan(%q, %q) ended with %v", rng.From, rng.To, err)
	}
	return string(bytes.TrimPrefix(out, []byte(" ")))
}

// wantWalk checks the content of a range.
func wantWalk(t *testing.T, r store.Reader, rng store.Range, want string) {
	t.Helper()
	if got := walk(t, r, rng); got != want {
		t.Errorf("Scan(%q, %q, reverse %t) = %q, want %q", rng.From, rng.To, rng.Reverse, got, want)
	}
}

// testGet reads present, absent and empty values.
func testGet(t *testing.T, s store.Store) {
	apply(t, s, "a=1", "b=")
	for _, tt := range []struct {
		key, want string
		found     bool
	}{{"a", "1", true}, {"b", "", true}, {"c", "", false}} {
		got, found, err := s.Get([]byte(tt.key))
		if err != nil || found != tt.found || string(got) != tt.want {
			t.Errorf("Get(%q) = %q, %t, %v, want %q, %t", tt.key, got, found, err, tt.want, tt.found)
		}
	}
}

// testBatchOrder checks that later changes of a batch override earlier ones.
func testBatchOrder(t *testing.T, s store.Store) {
	apply(t, s, "a=1", "b=1", "c=1")
	apply(t, s, "a..c", "b=2", "c=2", "-c", "-absent")
	wantWalk(t, s, store.Range{}, "b=2")
}

// testScan walks ranges both ways, with bounds that are keys and bounds that are not.
func testScan(t *testing.T, s store.Store) {
	apply(t, s, "b=1", "d=2", "\x00=0", "\xff\xff=3")
	for _, tt := range []struct{ from, to, want, reversed string }{
		{"", "", "\x00=0 b=1 d=2 \xff\xff=3", "\xff\xff=3 d=2 b=1 \x00=0"},
		{"b", "d", "b=1", "b=1"},
		{"a", "e", "b=1 d=2", "d=2 b=1"},
		{"b\x00", "", "d=2 \xff\xff=3", "\xff\xff=3 d=2"},
		{"c", "c", "", ""},
	} {
		wantWalk(t, s, store.Range{From: []byte(tt.from), To: []byte(tt.to)}, tt.want)
		wantWalk(t, s, store.Range{From: []byte(tt.from), To: []byte(tt.to), Reverse: true}, tt.reversed)
	}
}

// testSeek moves within a range, before it and after it.
func testSeek(t *testing.T, s store.Store) {
	apply(t, s, "a=1", "c=1", "e=1", "g=1")
	for _, tt := range []struct {
		seek    string
		reverse bool
		want    string
	}{
		{"c", false, "c e"}, {"d", false, "e"}, {"a", false, "c e"}, {"f", false, ""},
		{"e", true, "e c"}, {"d", true, "c"}, {"z", true, "e c"}, {"b", true, ""},
	} {
		it := s.Scan(store.Range{From: []byte("c"), To: []byte("g"), Reverse: tt.reverse})
		got := ""
		for ok := it.Seek([]byte(tt.seek)); ok; ok = it.Next() {
			got += " " + string(it.Key())
		}
		if want := tt.want; got != want && got != " "+want {
			t.Errorf("Seek(%q) in [c, g), reverse %t: walked%s, want %s", tt.seek, tt.reverse, got, want)
		}
		if err := it.Close(); err != nil {
			t.Errorf("iterator Close() = %v", err)
		}
	}
}

// testSnapshot changes the store under a snapshot.
func testSnapshot(t *testing.T, s store.Store) {
	apply(t, s, "a=1", "b=1")
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }()
	apply(t, s, "a=2", "-b", "c=2")
	wantWalk(t, snap, store.Range{}, "a=1 b=1")
	wantWalk(t, s, store.Range{}, "a=2 c=2")
	if v, found, err := snap.Get([]byte("b")); string(v) != "1" || !found || err != nil {
		t.Errorf("snapshot Get(b) = %q, %t, %v, want 1", v, found, err)
	}
}

// testGetAll reads many keys of a snapshot, in order and not, with the same one twice.
func testGetAll(t *testing.T, s store.Store) {
	apply(t, s, "a=1", "aa=2", "b=", "c=4", "d=5", "e=6")
	apply(t, s, "c..e", "a=7", "d=8")
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }()
	apply(t, s, "-a", "f=9", "aa=0")
	for _, tt := range []struct{ keys, want string }{
		{"", ""}, {"a", "0=7 "}, {"a aa ab b c d e f", "0=7 1=2 3= 5=8 6=6 "}, {"e c b a a", "0=6 2= 3=7 4=7 "},
	} {
		got := ""
		err := snap.GetAll(bytes.Fields([]byte(tt.keys)), func(i int, value []byte) error {
			got += fmt.Sprintf("%d=%s ", i, value)
			return nil
		})
		if err != nil || got != tt.want {
			t.Errorf("GetAll(%q) found %q, %v, want %q", tt.keys, got, err, tt.want)
		}
	}
	failed := errors.New("enough")
	if err := snap.GetAll(bytes.Fields([]byte("a b")), func(int, []byte) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("GetAll = %v, want the error of found", err)
	}
}

// testIteratorMoment changes the store under an iterator.
func testIteratorMoment(t *testing.T, s store.Store) {
	apply(t, s, "a=1", "b=1")
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	apply(t, s, "-b", "c=1")
	var got []string
	for it.Next() {
		got = append(got, string(it.Key()))
	}
	if fmt.Sprint(got) != "[a b]" {
		t.Errorf("iterator opened over a, b walked %v", got)
	}
}

// testAtomic writes pairs of keys concurrently; no reader may see one of a pair alone.
func testAtomic(t *testing.T, s store.Store) {
	const writers, rounds = 4, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range rounds {
				var b store.Batch
				text := fmt.Appendf(nil, "%d", i)
				b.Set(fmt.Appendf(nil, "x%d", w), text)
				b.Set(fmt.Appendf(nil, "y%d", w), text)
				if err := s.Apply(t.Context(), &b); err != nil {
					t.Errorf("Apply = %v", err)
					return
				}
			}
		})
	}
	for range 50 {
		snap := s.Snapshot()
		for w := range writers {
			x, _, _ := snap.Get(fmt.Appendf(nil, "x%d", w))
			y, _, _ := snap.Get(fmt.Appendf(nil, "y%d", w))
			if !bytes.Equal(x, y) {
				t.Errorf("snapshot has x%d = %s and y%d = %s", w, x, w, y)
			}
		}
		_ = snap.Close()
	}
	wg.Wait()
}

// testClosed calls every method of a closed store.
func testClosed(t *testing.T, s store.Store) {
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	if _, _, err := s.Get([]byte("a")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Get after Close = %v, want ErrClosed", err)
	}
	if err := s.Snapshot().GetAll(bytes.Fields([]byte("a")), nil); !errors.Is(err, store.ErrClosed) {
		t.Errorf("GetAll after Close = %v, want ErrClosed", err)
	}
	it := s.Scan(store.Range{})
	if it.Next() || !errors.Is(it.Err(), store.ErrClosed) {
		t.Errorf("Scan after Close ended with %v, want ErrClosed", it.Err())
	}
	_ = it.Close()
	if err := s.Apply(t.Context(), &store.Batch{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Apply after Close = %v, want ErrClosed", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Apply(ctx, &store.Batch{}); err == nil {
		t.Error("Apply with a cancelled context = nil, want an error")
	}
}
