package pebble_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/storetest"
)

// memory opens a store in memory.
func memory(t *testing.T) store.Store {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatalf("OpenMemory() = %v", err)
	}
	return s
}

func TestMemory(t *testing.T) { storetest.Run(t, memory) }

func TestDisk(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s, err := pebble.Open(t.TempDir(), pebble.Options{})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		return s
	})
}

func TestDataSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s, err := pebble.Open(dir, pebble.Options{})
		if err != nil {
			t.Fatalf("Open() number %d = %v", i, err)
		}
		for j := range i {
			if _, found, err := s.Get(fmt.Appendf(nil, "k%d", j)); !found || err != nil {
				t.Errorf("after reopening %d times: Get(k%d) found %t, %v", i, j, found, err)
			}
		}
		var b store.Batch
		b.Set(fmt.Appendf(nil, "k%d", i), nil)
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatalf("Apply = %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatalf("Close() = %v", err)
		}
	}
}

// TestCrashKeepsAcknowledgedBatches simulates a power failure after each batch, which loses all data that were not
// synced.
func TestCrashKeepsAcknowledgedBatches(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := pebble.Open("data", pebble.Options{FS: fs})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = s.Close() }()
	for i := range 20 {
		var b store.Batch
		b.Set(fmt.Appendf(nil, "k%02d", i), nil)
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatalf("Apply = %v", err)
		}
		crashed, err := pebble.Open("data", pebble.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
		if err != nil {
			t.Fatalf("Open() after a crash = %v", err)
		}
		it, n := crashed.Scan(store.Range{}), 0
		for it.Next() {
			n++
		}
		if err := it.Close(); err != nil || n != i+1 {
			t.Errorf("after %d acknowledged batches and a crash: %d keys (%v)", i+1, n, err)
		}
		if err := crashed.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	s, err := pebble.Open(dir, pebble.Options{})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = s.Close() }()
	if _, err := pebble.Open(dir, pebble.Options{}); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("second Open() = %v, want FAILED_PRECONDITION", err)
	}
}
