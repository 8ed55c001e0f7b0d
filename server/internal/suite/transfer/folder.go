package transfer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
)

// The modes of written files and folders: only the owner has access to accounts and their hashes.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// cannotWrite returns the error for an export that can't be written.
func cannotWrite(err error) error {
	return fault.Wrap(err, fault.FailedPrecondition, "cannot write the export: %v", err)
}

// syncFolders waits until the names in a folder and in those below it are on disk.
func syncFolders(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return atomicfile.SyncFolder(path)
	})
}

// CanExport checks that Export may write to a folder, which must be blank or an earlier export.
func CanExport(dir string) error { return replaceable(filepath.Clean(dir), suiteFile) }

// placeholders are files that keep a folder in a repository, and what operating systems and file systems create.
var placeholders = []string{".gitkeep", ".keep", ".DS_Store", "lost+found"}

// isPlaceholder reports whether a name in a folder is that of a placeholder, or of a temporary folder of an export.
func isPlaceholder(name string) bool {
	return slices.Contains(placeholders, name) || strings.HasPrefix(name, scratchName+".")
}

// Blank is the function Blank, for callers that know an interface only.
func (t *Transfer) Blank(_ context.Context, dir string) (bool, error) { return Blank(dir) }

// Blank reports whether a folder is absent or contains only placeholders.
func Blank(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, cannotWrite(err)
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !isPlaceholder(e.Name()) }), nil
}

// replaceable checks that a folder may be replaced.
func replaceable(dir, marker string) error {
	if blank, err := Blank(dir); err != nil || blank {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
		return fault.E(fault.FailedPrecondition, "%s is neither empty nor an earlier export: name another folder", dir)
	}
	return nil
}

// writeFile writes a file and waits until it is on disk.
func writeFile(name string, text []byte) error {
	f, err := createFile(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// createFile creates a file, which must not exist, and its folder.
func createFile(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), folderMode); err != nil {
		return nil, cannotWrite(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, cannotWrite(err)
	}
	return f, nil
}
