package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A copy is first written to a folder with a temporary name. A killed process leaves that folder, which has the size of
// a copy and contains the keys. So each such folder contains a file that its process has locked, and the next copy
// removes the folders whose lock is free. The file is created first and removed last, so a folder without it is empty.

// partInfix is part of the names of unfinished copies, and copyInfix of the names of copies from which an export is
// made.
const (
	partInfix = ".part-"
	copyInfix = ".copy-"
)

// lockName is the locked file in an unfinished copy.
const lockName = "unfinished.lock"

// ScratchCopy creates a folder beside dir for a temporary copy. done removes it.
func ScratchCopy(dir string) (scratch string, done func() error, err error) {
	return Scratch(filepath.Dir(dir), filepath.Base(dir)+copyInfix)
}

// Scratch creates a folder in parent whose name begins with prefix, and removes the folders that killed processes left
// there. done removes the folder, unless it was renamed.
func Scratch(parent, prefix string) (scratch string, done func() error, err error) {
	_ = removeAbandoned(parent) // If it can't be read, MkdirTemp fails.
	var lock io.Closer
	for {
		if scratch, err = os.MkdirTemp(parent, prefix); err != nil {
			return "", nil, err
		}
		lock, err = vfs.Default.Lock(filepath.Join(scratch, lockName))
		if !errors.Is(err, fs.ErrNotExist) {
			break
		} // Another process has removed the folder, which was empty.
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(scratch))
	}
	return scratch, func() error { return errors.Join(removeScratch(scratch), lock.Close()) }, nil
}

// removeScratch removes an unfinished copy if it exists, the locked file last.
func removeScratch(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if entry.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, entry.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// removeAbandoned removes the unfinished copies in a folder whose processes have ended. It returns the errors of those
// that can't be removed.
func removeAbandoned(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	var all []error
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() || !strings.Contains(name, partInfix) && !strings.Contains(name, copyInfix) {
			continue
		}
		path := filepath.Join(parent, name)
		_ = os.Remove(path) // succeeds if it is empty
		if lock := abandoned(path); lock != nil {
			all = append(all, removeScratch(path), lock.Close())
		}
	}
	return errors.Join(all...)
}

// abandoned returns the lock of an unfinished copy whose process has ended, nil for other folders.
func abandoned(path string) io.Closer {
	file := filepath.Join(path, lockName)
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	lock, err := vfs.Default.Lock(file)
	if err != nil {
		return nil // Its process runs.
	}
	return lock
}
