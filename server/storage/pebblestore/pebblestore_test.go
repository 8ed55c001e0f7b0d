package pebblestore_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/fault"
	"clave/server/storage"
	"clave/server/storage/pebblestore"
	"clave/server/storage/storagetest"
)

// memory opens a store in memory.
func memory(t *testing.T) storage.Store {
	s, err := pebblestore.OpenMemory()
	if err != nil {
		t.Fatalf("OpenMemory() = %v", err)
	}
	return s
}

func TestMemory(t *testing.T) { storagetest.Run(t, memory) }

func TestDisk(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Store {
		s, err := pebblestore.Open(t.TempDir(), pebblestore.Options{})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		return s
	})
}

func TestDataSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s, err := pebblestore.Open(dir, pebblestore.Options{})
		if err != nil {
			t.Fatalf("Open() number %d = %v", i, err)
		}
		for j := range i {
			if _, found, err := s.Get(fmt.Appendf(nil, "k%d", j)); !found || err != nil {
				t.Errorf("after reopening %d times: Get(k%d) found %t, %v", i, j, found, err)
			}
		}
		var b storage.Batch
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
	s, err := pebblestore.Open("data", pebblestore.Options{FS: fs})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = s.Close() }()
	for i := range 20 {
		var b storage.Batch
		b.Set(fmt.Appendf(nil, "k%02d", i), nil)
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatalf("Apply = %v", err)
		}
		crashed, err := pebblestore.Open("data", pebblestore.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
		if err != nil {
			t.Fatalf("Open() after a crash = %v", err)
		}
		it, n := crashed.Scan(storage.Range{}), 0
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
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = s.Close() }()
	if _, err := pebblestore.Open(dir, pebblestore.Options{}); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("second Open() = %v, want FAILED_PRECONDITION", err)
	}
}
