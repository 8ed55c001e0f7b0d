package pebble

import (
	"errors"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Remove removes the folder of a store, or one that contains it, while the store is locked. It removes nothing if
// another store has the lock, or if the store's folder does not exist.
func Remove(dir, folder string) error {
	lock, err := pebble.LockDirectory(dir, vfs.Default)
	if err != nil {
		return nil // Another store has the lock, or there is no folder.
	}
	return errors.Join(os.RemoveAll(folder), lock.Close())
}
