package pebble

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/internal/store"
)

// isScanned reports whether a key of these tests is only scanned.
func isScanned(key []byte) bool { return bytes.HasPrefix(key, []byte("i")) }

func TestFiltersHavePointKeysOnly(t *testing.T) {
	policy := pointKeys{everyKey, isScanned}
	w := policy.NewWriter(pebble.TableFilter)
	w.AddKey([]byte("d1"))
	alone := w.Finish(nil)
	w = policy.NewWriter(pebble.TableFilter)
	w.AddKey([]byte("d1"))
	for i := range 1000 {
		w.AddKey(fmt.Appendf(nil, "i%d", i))
	}
	filter := w.Finish(nil)
	if !bytes.Equal(filter, alone) {
		t.Errorf("the filter has %d bytes with index entries, %d without", len(filter), len(alone))
	}
	for key, want := range map[string]bool{"d1": true, "d2": false, "i1": true, "i1000": true} {
		if got := policy.MayContain(pebble.TableFilter, filter, []byte(key)); got != want {
			t.Errorf("MayContain(%s) = %t, want %t", key, got, want)
		}
	}
}

// TestFiltersOfOtherOptions reads tables that were written with filters of all keys, of some keys, and both.
func TestFiltersOfOtherOptions(t *testing.T) {
	dir := t.TempDir()
	options := []Options{{}, {Scanned: isScanned}, {}, {Scanned: isScanned}}
	for round, o := range options {
		s, err := Open(dir, o)
		if err != nil {
			t.Fatalf("Open() number %d = %v", round, err)
		}
		var b store.Batch
		for i := range 100 {
			b.Set(fmt.Appendf(nil, "d%d.%d", round, i), []byte("document"))
			b.Set(fmt.Appendf(nil, "i%d.%d", round, i), []byte("entry"))
		}
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatalf("Apply = %v", err)
		}
		if err := s.db.Flush(); err != nil {
			t.Fatalf("Flush = %v", err)
		}
		snap := s.Snapshot()
		for written := range round + 1 {
			for _, kind := range []string{"d", "i"} {
				key := fmt.Appendf(nil, "%s%d.7", kind, written)
				if _, found, err := s.Get(key); !found || err != nil {
					t.Errorf("round %d: Get(%s) found %t, %v", round, key, found, err)
				}
				found := 0
				if err := snap.GetAll([][]byte{key}, func(int, []byte) error { found++; return nil }); found != 1 || err != nil {
					t.Errorf("round %d: GetAll(%s) found %d, %v", round, key, found, err)
				}
			}
		}
		if _, found, err := s.Get(fmt.Appendf(nil, "d%d.7", round+1)); found || err != nil {
			t.Errorf("round %d: Get of an absent key found %t, %v", round, found, err)
		}
		if err := snap.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Fatalf("Close() = %v", err)
		}
	}
}
