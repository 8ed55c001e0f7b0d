package engine_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/storage/pebblestore"
	"clave/server/value"
)

// TestAFullDiskLosesNothingAcknowledged fills the disk under clients that write alone and in transactions. All hear of it and nobody waits
// for ever; what is there can still be read; and a server on a disk with room again has all that was acknowledged.
func TestAFullDiskLosesNothingAcknowledged(t *testing.T) {
	var full atomic.Bool
	mem := vfs.NewMem()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpCreate) {
			return syscall.ENOSPC
		}
		return nil
	}))
	s, err := pebblestore.Open("data", pebblestore.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	put(t, e, set("c/0", n(0)), set("c/1", n(0)), set("c/2", n(0)), set("c/3", n(0)))
	const writers, before = 8, 100
	var commits atomic.Int64
	acknowledged := make([]int, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 1; ; i++ {
				r := engine.CommitRequest{Writes: []document.Write{set(fmt.Sprintf("c/%d", w), n(i))}}
				if w%2 == 0 {
					id, err := e.Begin(t.Context(), testDB, engine.TransactionOptions{})
					if err != nil {
						t.Errorf("Begin on a full disk = %v", err)
						return
					}
					r.Transaction = id
				}
				if _, err := e.Commit(t.Context(), testDB, r, nil); err != nil {
					if code := fault.CodeOf(err); code != fault.Internal && code != fault.Unavailable {
						t.Errorf("Commit on a full disk = %v, want INTERNAL or UNAVAILABLE", err)
					}
					return
				}
				acknowledged[w] = i
				if commits.Add(1) == before {
					full.Store(true)
				}
			}
		})
	}
	wg.Wait()
	full.Store(false)
	_, err = e.Commit(t.Context(), testDB, engine.CommitRequest{Writes: []document.Write{set("c/late", n(1))}}, nil)
	wantCode(t, "a commit after the disk was full", err, fault.Unavailable)
	wantCode(t, "Err", e.Err(), fault.Unavailable)
	if d, err := get(t, e, engine.At{}, "c/1"); err != nil || d == nil || int(d.Fields["n"].(value.Int)) != acknowledged[1] {
		t.Errorf("c/1 after the disk was full = %v, %v; want n = %d", d, err, acknowledged[1])
	}
	if err := e.Close(); err != nil {
		t.Errorf("close the engine: %v", err)
	}
	_ = s.Close() // It says that it has failed.
	again, err := pebblestore.Open("data", pebblestore.Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	next := open(t, engine.Options{Store: again})
	for w, want := range acknowledged {
		d, err := get(t, next, engine.At{}, fmt.Sprintf("c/%d", w))
		if err != nil {
			t.Fatal(err)
		}
		var got value.Int
		if d != nil {
			got, _ = d.Fields["n"].(value.Int)
		}
		if int(got) < want {
			t.Errorf("c/%d was acknowledged with %d, a new server has %d", w, want, got)
		}
	}
	if _, err := get(t, next, engine.At{}, "c/late"); err != nil {
		t.Error(err)
	}
	put(t, next, set("c/after", n(1)))
}
