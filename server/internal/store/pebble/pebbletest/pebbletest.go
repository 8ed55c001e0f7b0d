// Package pebbletest opens stores for tests.
package pebbletest

import (
	"context"
	"sync/atomic"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// Open opens an empty store in memory, and closes it at the end of the test.
func Open(t testing.TB) *pebble.Store {
	t.Helper()
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// Plenty is a number of batches that no test reaches.
const Plenty = 1 << 40

// FullDisk is a store in memory that refuses batches, except those that may use the space reserved for deletes, after a
// number of others.
type FullDisk struct {
	*pebble.Store
	// Left is the number of batches that succeed before the disk is full.
	Left atomic.Int64
}

// OpenFullDisk opens an empty store with space for Plenty batches, and closes it at the end of the test.
func OpenFullDisk(t testing.TB) *FullDisk {
	t.Helper()
	d := &FullDisk{Store: Open(t)}
	d.Left.Store(Plenty)
	return d
}

// Apply implements store.Store.
func (d *FullDisk) Apply(ctx context.Context, b *store.Batch) error {
	if !b.Deletes && d.Left.Add(-1) < 0 {
		return fault.Wrap(store.ErrFull, fault.ResourceExhausted, "The disk is full.")
	}
	return d.Store.Apply(ctx, b)
}
