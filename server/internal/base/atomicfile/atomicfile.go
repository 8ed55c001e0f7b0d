// Package atomicfile replaces files so that after a crash or on a full disk a file has either its old or its new
// content.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// suffix is appended to a file's name for its new content. A killed process leaves that file, and the next Write to the
// same name replaces it.
const suffix = ".new"

// Write replaces the content of a file, which need not exist. When it returns nil, the content is on disk. After an
// error, the file has its old content, or is absent as before.
func Write(path string, content []byte, mode fs.FileMode) error {
	part := path + suffix
	if err := write(part, content, mode); err != nil {
		return errors.Join(err, remove(part))
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(err, remove(part))
	}
	return SyncFolder(filepath.Dir(path))
}

// write writes a file and waits until its content is on disk.
func write(path string, content []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// remove removes a file if it exists.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SyncFolder waits until the names in a folder are on disk.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
