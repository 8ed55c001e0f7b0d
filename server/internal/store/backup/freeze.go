package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"clave/server/internal/base/fault"
)

// Freeze returns a folder in the data folder, whose store is s, with everything as it is now. Its tables are links, so
// it takes little space until the data are deleted. done removes it.
func Freeze(ctx context.Context, s Source, data string) (frozen string, done func() error, err error) {
	forget, err := Note(data, data)
	if err != nil {
		return "", nil, fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err)
	}
	frozen, remove, err := Scratch(data, "backup"+copyInfix)
	if err != nil {
		return "", nil, errors.Join(fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err), forget())
	}
	done = func() error { return errors.Join(remove(), forget()) }
	if err := gather(ctx, s, data, frozen); err != nil {
		return "", nil, errors.Join(err, done())
	}
	return frozen, done, nil
}

// CloneStore returns a copy of the store of a folder that Freeze returned, which can be opened. Its tables are links.
// data is the data folder. done removes it.
func CloneStore(frozen, data string) (store string, done func() error, err error) {
	scratch, done, err := ScratchCopy(filepath.Join(data, "inventory"))
	if err != nil {
		return "", nil, err
	}
	store = filepath.Join(scratch, storeName)
	err = os.Mkdir(store, folderMode)
	entries, readErr := os.ReadDir(filepath.Join(frozen, storeName))
	err = errors.Join(err, readErr)
	for _, entry := range entries {
		from, to := filepath.Join(frozen, storeName, entry.Name()), filepath.Join(store, entry.Name())
		if err == nil && (filepath.Ext(from) != tableSuffix || os.Link(from, to) != nil) {
			err = copyFile(from, to)
		}
	}
	if err != nil {
		return "", nil, errors.Join(err, done())
	}
	return store, done, nil
}

// tableSuffix is the end of the names of tables, which are never changed.
const tableSuffix = ".sst"

// IsFrozen reports whether a name of a folder that Freeze returned is that of a file or a folder of the data.
func IsFrozen(name string) bool { return name != lockName }

// IsStore reports whether the name of a file, a path with slashes, is that of a file of the store.
func IsStore(name string) bool { return strings.HasPrefix(name, storeName+"/") }

// NewFile creates a file, which must not exist, that only the owner can read.
func NewFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}
