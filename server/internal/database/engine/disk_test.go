package engine_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// TestAFullDiskLosesNothingAcknowledged fills the disk while clients write with and without transactions. The first
// commit on the full disk waits, later ones are refused, existing data can still be read, and all clients continue when
// there is space. A server that is started later has every acknowledged commit.
func TestAFullDiskLosesNothingAcknowledged(t *testing.T) {
	var full atomic.Bool
	mem := vfs.NewMem()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpCreate) {
			return syscall.ENOSPC
		}
		return nil
	}))
	s, err := pebble.Open("data", pebble.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	put(t, e, set("c/0", n(0)), set("c/1", n(0)), set("c/2", n(0)), set("c/3", n(0)))
	const writers, before = 8, 100
	acknowledged := make([]int, writers)
	var commits atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 1; i <= 2*before; i++ {
				err := commitMaybeIn(t, e, w%2 == 0, set(fmt.Sprintf("c/%d", w), n(i)))
				switch {
				case err == nil:
					acknowledged[w] = i
					if commits.Add(1) == before {
						full.Store(true)
					}
				case !fault.Is(err, fault.ResourceExhausted):
					t.Errorf("Commit on a full disk = %v, want RESOURCE_EXHAUSTED", err)
				}
			}
		})
	}
	for s.Err() == nil && t.Context().Err() == nil { // Wait until a write is blocked.
	}
	wantCode(t, "Commit on a full disk", commitMaybeIn(t, e, false, set("c/refused", n(1))), fault.ResourceExhausted)
	if _, err := get(t, e, request.At{}, "c/1"); err != nil {
		t.Errorf("read on a full disk = %v", err)
	}
	full.Store(false)
	wg.Wait()
	for s.Err() != nil && t.Context().Err() == nil { // Wait until the blocked write has ended.
	}
	put(t, e, set("c/late", n(1)))
	if err := e.Err(); err != nil {
		t.Errorf("Err when there is space again = %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("close the engine: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close the store: %v", err)
	}
	again, err := pebble.Open("data", pebble.Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	next := open(t, engine.Options{Store: again})
	for w, want := range acknowledged {
		if want == 0 {
			continue // The disk was full at its first write.
		}
		wantN(t, next, request.At{}, fmt.Sprintf("c/%d", w), value.Int(want))
	}
	wantN(t, next, request.At{}, "c/late", value.Int(1))
}

// commitMaybeIn commits writes, in a transaction if transaction is set.
func commitMaybeIn(t *testing.T, e *engine.Engine, transaction bool, writes ...document.Write) error {
	r := request.Commit{Writes: writes}
	if transaction {
		id, err := e.Begin(t.Context(), testDB, request.TransactionOptions{})
		if err != nil {
			return err
		}
		r.Transaction = id
	}
	_, err := e.Commit(t.Context(), testDB, r, engine.Unrestricted())
	return err
}

// TestDeletesOnAFullDisk writes deletes and other commits together on a full disk. The deletes succeed, the others are
// refused.
func TestDeletesOnAFullDisk(t *testing.T) {
	s := pebbletest.OpenFullDisk(t)
	e := open(t, engine.Options{Store: s})
	const count = 50
	for i := range count {
		put(t, e, set(fmt.Sprintf("c/%d", i), n(i)))
	}
	s.Left.Store(0)
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() {
			if err := commitMaybeIn(t, e, false, document.Write{Op: document.Delete, Name: doc(fmt.Sprintf("c/%d", i))}); err != nil {
				t.Errorf("delete on a full disk = %v", err)
			}
		})
		wg.Go(func() {
			wantCode(t, "set on a full disk", commitMaybeIn(t, e, false, set(fmt.Sprintf("d/%d", i), n(i))), fault.ResourceExhausted)
		})
	}
	wg.Wait()
	s.Left.Store(pebbletest.Plenty)
	put(t, e, set("c/after", n(1)))
	for i := range count {
		for _, name := range []string{"c", "d"} {
			if d, err := get(t, e, request.At{}, fmt.Sprintf("%s/%d", name, i)); d != nil || err != nil {
				t.Errorf("%s/%d = %v, %v; want none", name, i, d, err)
			}
		}
	}
}
