package pebble

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Remove removes the folder of a store, or one that contains it, while the store is locked. It removes nothing if
// another store has the lock, or if the store's folder does not exist. A process that is killed meanwhile leaves no
// part of a store under its name, but a folder that RemoveLeft removes.
func Remove(dir, folder string) error {
	lock, err := pebble.LockDirectory(dir, vfs.Default)
	if err != nil {
		return nil // Another store has the lock, or there is no folder.
	}
	RemoveLeft(folder)
	if os.Rename(folder, unusedName(folder)) == nil { // Systems that can't rename a folder with a lock remove it in place.
		folder = unusedName(folder)
	}
	return errors.Join(os.RemoveAll(folder), lock.Close())
}

// RemoveLeft removes what a Remove of a folder has left that was killed. What can't be removed stays.
func RemoveLeft(folder string) { _ = os.RemoveAll(unusedName(folder)) }

// unusedName returns the name that a folder has while it is removed.
func unusedName(folder string) string { return filepath.Clean(folder) + ".clave-unused" }
