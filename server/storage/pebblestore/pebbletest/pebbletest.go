// Package pebbletest opens stores for tests.
package pebbletest

import (
	"testing"

	"clave/server/storage/pebblestore"
)

// Open opens an empty store in memory, and closes it at the end of the test.
func Open(t testing.TB) *pebblestore.Store {
	t.Helper()
	store, err := pebblestore.OpenMemory()
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
