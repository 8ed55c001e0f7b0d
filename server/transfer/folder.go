package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"clave/server/atomicfile"
	"clave/server/backup"
	"clave/server/fault"
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

// replace writes a folder and gives it the name dir, which must be absent, be empty, or have the marker: a file of
// every export. The folder is written into a temporary folder beside dir. If the process ends before the new folder is
// complete, dir stays as it was, and the next export removes the temporary folder.
func replace(dir, marker string, write func(part string) error) (err error) {
	if err := replaceable(dir, marker); err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, folderMode); err != nil {
		return cannotWrite(err)
	}
	scratch, done, err := backup.ScratchCopy(dir)
	if err != nil {
		return cannotWrite(err)
	}
	defer func() {
		if err = errors.Join(err, done()); errors.Is(err, syscall.ENOSPC) {
			err = fault.Wrap(err, fault.ResourceExhausted, "cannot write the export: there is no space for it in %s", parent)
		}
	}()
	part := filepath.Join(scratch, "export")
	if err := os.Mkdir(part, folderMode); err != nil {
		return cannotWrite(err)
	}
	if err := write(part); err != nil {
		return err
	}
	if err := syncFolders(part); err != nil {
		return cannotWrite(err)
	}
	if err := swap(part, dir); err != nil {
		return cannotWrite(err)
	}
	return atomicfile.SyncFolder(parent)
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

// placeholders are files that keep a folder in a repository, or that operating systems create.
var placeholders = []string{".gitkeep", ".keep", ".DS_Store"}

// Blank reports whether a folder is absent or contains only placeholders.
func Blank(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, cannotWrite(err)
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(placeholders, e.Name()) }), nil
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

// swap gives a folder the name of another, which may be absent, and the other the folder's name or one beside it.
func swap(part, dir string) error {
	err := os.Rename(part, dir) // succeeds if dir is absent or empty
	if err == nil {
		return nil
	}
	if err := exchange(part, dir); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	old := part + ".old"
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
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
