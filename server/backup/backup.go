package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"clave/server/fault"
)

// storeName is the store's folder in a data folder.
const storeName = "store"

// The modes of what is written: for its owner alone.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Source is a store that is in use.
type Source interface {
	// Checkpoint makes dir, which does not exist, a store with everything applied so far.
	Checkpoint(dir string) error
}

// Make writes a copy of the data folder, whose store is s, to dir, which must not exist and not be in the data folder.
func Make(s Source, data, dir string) (err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fault.E(fault.AlreadyExists, "%s is there already; name a folder that is not, such as one with today's date", dir)
	}
	inside, err := within(data, dir)
	if err != nil {
		return fault.Because(err, fault.FailedPrecondition, "cannot write the copy: %v", err)
	}
	if inside {
		return fault.E(fault.InvalidArgument, "%s is in the data folder; name one outside it", dir)
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-")
	if err != nil {
		return fault.Because(err, fault.FailedPrecondition, "cannot write the copy: %v", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	store := filepath.Join(part, storeName)
	if err := s.Checkpoint(store); err != nil {
		return err
	}
	if err := os.Chmod(store, folderMode); err != nil {
		return err
	}
	if err := copyTree(data, part, func(name string) bool { return name == storeName }); err != nil {
		return fmt.Errorf("copy %s: %w", data, err)
	}
	if err := sync(part); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err != nil {
		return err
	}
	return sync(filepath.Dir(dir))
}

// Restore makes data, which must be empty or absent, a data folder from the copy in dir. The copy stays as it is.
func Restore(dir, data string) error {
	if entries, err := os.ReadDir(filepath.Join(dir, storeName)); err != nil || len(entries) == 0 {
		return fault.Because(err, fault.NotFound, "%s is no copy that clave backup made: it has no folder %s with something in it", dir, storeName)
	}
	if err := os.MkdirAll(data, folderMode); err != nil {
		return fault.Because(err, fault.FailedPrecondition, "cannot make the data folder %s: %v. Choose another with --data.", data, err)
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() != "lost+found" { // what a new file system has of its own
			return fault.E(fault.FailedPrecondition, "the data folder %s is not empty. Stop the server, move the folder away, and try again.", data)
		}
	}
	if err := copyTree(dir, data, func(name string) bool { return name == storeName }); err != nil {
		return fmt.Errorf("copy %s: %w", dir, err)
	}
	// The store comes last and by its name at once, so that what was interrupted is no data folder.
	part := filepath.Join(data, storeName+".part")
	if err := os.Mkdir(part, folderMode); err != nil {
		return err
	}
	if err := copyTree(filepath.Join(dir, storeName), part, func(string) bool { return false }); err != nil {
		return fmt.Errorf("copy %s: %w", dir, err)
	}
	if err := os.Rename(part, filepath.Join(data, storeName)); err != nil {
		return err
	}
	return sync(data)
}

// within reports whether a path whose last name is new leads into a folder, links followed.
func within(folder, path string) (bool, error) {
	parent := filepath.Dir(path)
	for _, p := range []*string{&folder, &parent} {
		absolute, err := filepath.Abs(*p)
		if err != nil {
			return false, err
		}
		if *p, err = filepath.EvalSymlinks(absolute); err != nil {
			return false, err
		}
	}
	rest, err := filepath.Rel(folder, parent)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator)), err
}

// copyTree copies the folders and ordinary files of one folder into another that is there, but for names of the first
// level that skip tells. Sockets and links are left out.
func copyTree(from, to string, skip func(name string) bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		switch {
		case skip(entry.Name()):
		case entry.IsDir():
			if err := os.Mkdir(target, folderMode); err != nil {
				return err
			}
			err = copyTree(source, target, func(string) bool { return false })
		case entry.Type().IsRegular():
			err = copyFile(source, target)
		}
		if err != nil {
			return err
		}
	}
	return sync(to)
}

// copyFile copies a file and waits until it is on disk. A file that is gone by then, as old keys may be, is left out.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // a read
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}

// sync waits until a folder's names are on disk.
func sync(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
