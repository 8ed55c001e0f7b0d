package pebble_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// diskFault is a kind of failure of a disk.
type diskFault struct {
	name string
	is   func(errorfs.Op) bool
	err  error
}

// open opens a store on a disk that works until broken is set. It also returns the disk without the fault.
func (f diskFault) open(t *testing.T) (s *pebble.Store, mem *vfs.MemFS, broken *atomic.Bool) {
	t.Helper()
	mem, broken = vfs.NewMem(), &atomic.Bool{}
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && f.is(op) {
			return f.err
		}
		return nil
	}))
	s, err := pebble.Open("data", pebble.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return s, mem, broken
}

// faults lists the kinds of failures, except a full disk (space_test.go).
var faults = []diskFault{
	{"fsync fails", func(op errorfs.Op) bool {
		return op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
	}, syscall.EIO},
	{"the log alone fails", func(op errorfs.Op) bool {
		return filepath.Ext(op.Path) == ".log" && op.Kind != errorfs.OpFileReadAt
	}, syscall.EIO},
	{"read-only", func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }, syscall.EROFS},
}

// TestAFailingDiskIsAnError makes the disk fail while batches are applied. The failed batch and all later ones return
// an error, acknowledged data can be read, and the store closes. Opened on a working disk, it contains the acknowledged
// batches, and possibly the failed one.
func TestAFailingDiskIsAnError(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			s, mem, broken := tt.open(t)
			apply := func(key string) error {
				var b store.Batch
				b.Set([]byte(key), []byte("v"))
				return s.Apply(t.Context(), &b)
			}
			for i := range 3 {
				if err := apply(fmt.Sprintf("k%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			broken.Store(true)
			if err := apply("lost"); !errors.Is(err, tt.err) {
				t.Errorf("Apply on a failing disk = %v, want %v", err, tt.err)
			}
			broken.Store(false)
			if err := apply("later"); err == nil {
				t.Error("Apply after the disk has failed is acknowledged")
			}
			if _, found, err := s.Get([]byte("k2")); !found || err != nil {
				t.Errorf("Get after the disk has failed: %t, %v", found, err)
			}
			if err := s.Close(); err != nil {
				t.Logf("Close: %v", err)
			}
			again, err := pebble.Open("data", pebble.Options{FS: mem})
			if err != nil {
				t.Fatalf("Open when the disk works again = %v", err)
			}
			defer func() { _ = again.Close() }()
			for i := range 3 {
				if _, found, err := again.Get(fmt.Appendf(nil, "k%d", i)); !found || err != nil {
					t.Errorf("k%d was acknowledged; after reopening: %t, %v", i, found, err)
				}
			}
			if _, found, _ := again.Get([]byte("later")); found {
				t.Error("a batch that was refused is there")
			}
		})
	}
}

// TestADiskThatFailsAtOpeningIsAnError opens a store on disks that fail from the beginning.
func TestADiskThatFailsAtOpeningIsAnError(t *testing.T) {
	for _, tt := range faults {
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if tt.is(op) {
				return tt.err
			}
			return nil
		}))
		if _, err := pebble.Open("data", pebble.Options{FS: fs}); !errors.Is(err, tt.err) {
			t.Errorf("%s: Open = %v, want %v", tt.name, err, tt.err)
		}
	}
}

// TestAFailingDiskBlocksNoWriter makes the disk fail under many concurrent writers. Each of them must return.
func TestAFailingDiskBlocksNoWriter(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			var writes atomic.Int64
			s, mem, broken := tt.open(t)
			const writers, before = 8, 200
			acknowledged := make([]int, writers)
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for i := 0; ; i++ {
						var b store.Batch
						b.Set(fmt.Appendf(nil, "%d-%d", w, i), nil)
						if s.Apply(t.Context(), &b) != nil {
							return
						}
						acknowledged[w] = i + 1
						if writes.Add(1) == before {
							broken.Store(true)
						}
					}
				})
			}
			wg.Wait()
			_ = s.Close()
			again, err := pebble.Open("data", pebble.Options{FS: mem})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = again.Close() }()
			for w, n := range acknowledged {
				for i := range n {
					if _, found, err := again.Get(fmt.Appendf(nil, "%d-%d", w, i)); !found || err != nil {
						t.Fatalf("%d-%d was acknowledged; after reopening: %t, %v", w, i, found, err)
					}
				}
			}
		})
	}
}
