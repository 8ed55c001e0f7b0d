package pebble

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"clave/server/internal/store"
)

// TestALogThatCannotBeReplaced fills memtables on disks whose logs fail when a full memtable needs the next log: when
// it is created, and when the previous one is closed. Writes must return the error, reads must continue, and the
// folder of the killed process must have all acknowledged writes.
func TestALogThatCannotBeReplaced(t *testing.T) {
	var opened atomic.Bool
	noNewLog := func(mem *vfs.MemFS) vfs.FS {
		return errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if opened.Load() && isLogFile(op.Path) && slices.Contains([]errorfs.OpKind{errorfs.OpCreate, errorfs.OpReuseForWrite}, op.Kind) {
				return syscall.EFBIG
			}
			return nil
		}))
	}
	unsynced := func(s *Store, b *store.Batch) error { return s.ApplyUnsynced(b) }
	for _, tt := range []struct {
		name  string
		disk  func(mem *vfs.MemFS) vfs.FS
		apply func(s *Store, b *store.Batch) error
	}{
		{"created", noNewLog, func(s *Store, b *store.Batch) error { return s.Apply(t.Context(), b) }},
		{"closed", func(mem *vfs.MemFS) vfs.FS { return limitedDisk{mem} }, unsynced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opened.Store(false)
			mem := vfs.NewCrashableMem()
			s, err := Open("data", Options{FS: tt.disk(mem), MemTableBytes: 256 << 10})
			if err != nil {
				t.Fatal(err)
			}
			opened.Store(true)
			if err := write(t.Context(), s, "acknowledged", 10); err != nil {
				t.Fatal(err)
			}
			for n := 0; err == nil; n++ {
				if n == 1000 {
					t.Fatal("all writes are accepted")
				}
				var b store.Batch
				b.Set(fmt.Appendf(nil, "k%03d", n), make([]byte, 30_000))
				err = tt.apply(s, &b)
			}
			if !errors.Is(err, syscall.EFBIG) {
				t.Errorf("a write without a log = %v, want EFBIG", err)
			}
			for _, later := range []func() error{func() error { return write(t.Context(), s, "later", 10) }, s.Sync, s.Err} {
				if err := later(); !errors.Is(err, syscall.EFBIG) {
					t.Errorf("a call after the failure = %v, want EFBIG", err)
				}
			}
			after := mem.CrashClone(killed)
			has(t, s, "acknowledged")
			if err := s.Close(); !errors.Is(err, syscall.EFBIG) {
				t.Errorf("Close = %v, want EFBIG", err)
			}
			for name, folder := range map[string]vfs.FS{"killed": after, "closed": mem} {
				again, err := Open("data", Options{FS: folder})
				if err != nil {
					t.Fatalf("Open of the %s folder = %v", name, err)
				}
				has(t, again, "acknowledged")
				if err := again.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// has requires a key of a store.
func has(t *testing.T, s *Store, key string) {
	t.Helper()
	if _, found, err := s.Get([]byte(key)); !found || err != nil {
		t.Errorf("Get(%s): found %t, %v", key, found, err)
	}
}
