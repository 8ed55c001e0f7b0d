package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/folder"
)

// storeName is the store's folder in a data folder.
const storeName = "store"

// ExportsName is the folder of exports to and from a bucket that are in progress, in a data folder.
const ExportsName = "exports-in-progress"

// notCopied lists the parts of a data folder that are not copied as files: the store's own folder, the deployed site,
// which copySite copies, a cluster node's replica and name, the position, the rest and the keys of its log, the notes
// of unfinished copies, exports in progress, and the list and the lock of the copy that was used as this data folder.
var notCopied = []string{storeName, siteName, ExportsName, "replica", "node", "log-position", "log-position.new", "log-rest", "log-rest.new", "log-keys", notesName, contentsName, lockName}

// The modes of written files and folders: only the owner has access.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Source is a store that is in use.
type Source interface {
	// Checkpoint creates dir, which must not exist, as a store with everything applied so far.
	Checkpoint(ctx context.Context, dir string) error
}

// Make copies the data folder, whose store is s, to dir. dir must not exist and not be in the data folder.
func Make(ctx context.Context, s Source, data, dir string) error {
	return create(data, dir, func(part string) error {
		if err := gather(ctx, s, data, part); err != nil {
			return err
		}
		return list(ctx, part)
	})
}

// gather copies the store and the other files of a data folder, as they are now, to a folder.
func gather(ctx context.Context, s Source, data, dir string) error {
	store := filepath.Join(dir, storeName)
	if err := s.Checkpoint(ctx, store); err != nil {
		return err
	}
	if err := os.Chmod(store, folderMode); err != nil {
		return err
	}
	if err := copyTree(ctx, data, dir, isNotCopied); err != nil {
		return fmt.Errorf("copy %s: %w", data, err)
	}
	return copySite(ctx, data, dir)
}

// isNotCopied reports whether a name of a data folder's first level is not copied as a file.
func isNotCopied(name string) bool {
	return slices.Contains(notCopied, name) || strings.Contains(name, copyInfix)
}

// create creates the copy dir of a data folder. fill writes its files and their list to a folder with a temporary name,
// which gets the final one.
func create(data, dir string, fill func(part string) error) (err error) {
	_, err = os.Lstat(dir)
	if err == nil {
		return fault.E(fault.AlreadyExists, "%s exists already; name a new folder, such as one with today's date", dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write the copy: %v", err)
	}
	if err := Outside(data, dir); err != nil {
		return err
	}
	forget, err := Note(data, filepath.Dir(dir))
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err)
	}
	defer func() { err = errors.Join(err, forget()) }() // after the part is gone
	part, done, err := Scratch(filepath.Dir(dir), filepath.Base(dir)+partInfix)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write the copy: %v", err)
	}
	defer func() {
		if err = errors.Join(err, done()); errors.Is(err, syscall.ENOSPC) {
			err = fault.Wrap(err, fault.ResourceExhausted, "cannot write the copy: there is no space for it in %s", filepath.Dir(dir))
		}
	}()
	if err := fill(part); err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(part); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err != nil { // After this, done removes nothing.
		return err
	}
	// If it were removed before the renaming, a killed process would leave a folder without it.
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		return err
	}
	return errors.Join(atomicfile.SyncFolder(dir), atomicfile.SyncFolder(filepath.Dir(dir)))
}

// Restore creates the data folder data, which must be empty or absent, from the copy in dir, which does not change. It
// copies the files that the copy's list names, and compares them with the list. It calls verify with the new store
// before the store gets its final name; verify must close the store. A Restore that fails removes what it has written.
// A Restore that is interrupted leaves a marker (see Interrupted), and the next Restore begins again.
func Restore(ctx context.Context, dir, data string, verify func(store string) error) error {
	if entries, err := os.ReadDir(filepath.Join(dir, storeName)); err != nil || len(entries) == 0 {
		return fault.Wrap(err, fault.NotFound, "%s is not a backup made by clave backup: its folder %s is missing or empty", dir, storeName)
	}
	inside, err := folder.Contains(dir, data)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot create the data folder %s: %v", data, err)
	}
	if inside {
		return fault.E(fault.InvalidArgument, "the data folder %s is in the copy %s, which must not change; name one outside it", data, dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // for reading
	files, err := readContents(root, dir)
	if err != nil {
		return err
	}
	fill := func(part string) error {
		if err := CheckSpace(data, files.size()); err != nil {
			return err
		}
		if err := os.Mkdir(part, folderMode); err != nil {
			return err
		}
		if err := files.copyTo(ctx, root, data, part); err != nil {
			return err
		}
		return verify(part)
	}
	err = files.check(root)
	if err == nil {
		err = Build(dir, data, fill)
	}
	return cannotRestore(dir, data, err)
}

// cannotRestore returns the error for a failed restore.
func cannotRestore(dir, data string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fault.Wrap(err, fault.ResourceExhausted, "%s can't be restored: there is no space for it in %s", dir, data)
	case fault.Is(err, fault.DataLoss):
		return fault.Wrap(err, fault.DataLoss, "%s can't be restored: %s", dir, reason(err))
	}
	return err
}

// CheckSpace returns ENOSPC if a number of bytes can't be written to a folder. A file system whose space can't be
// measured is large enough.
func CheckSpace(folder string, size int64) error {
	usage, err := vfs.Default.GetDiskUsage(folder)
	if err != nil || uint64(size) <= usage.AvailBytes {
		return nil
	}
	return syscall.ENOSPC
}

// Build creates the data folder data, which must be empty or absent. fill creates the store at a path, closes it, and
// writes the other files into data. A Build that fails removes what it has written. A Build that is interrupted leaves
// a marker that contains from (see Interrupted), and the next Build begins again.
func Build(from, data string, fill func(store string) error) (err error) {
	_, err = os.Stat(data)
	created := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(data, folderMode); err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot create the data folder %s: %v. Choose another with --data.", data, err)
	}
	// The steps are in an order in which a crash never leaves a folder that looks complete. The marker comes first and
	// goes last; a server does not start while it is there. The store is copied beside its place, verified there, and
	// renamed when it is good.
	if err := beginRestore(from, data); err != nil {
		if created {
			err = errors.Join(err, os.Remove(data))
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undoRestore(data, created))
		}
	}()
	part := filepath.Join(data, partName)
	if err := fill(part); err != nil {
		return err
	}
	if err := os.Rename(part, filepath.Join(data, storeName)); err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(data); err != nil {
		return err
	}
	return errors.Join(os.Remove(filepath.Join(data, restoringName)), atomicfile.SyncFolder(data))
}

// partName is the folder of a store that is being restored.
const partName = storeName + ".part"

// restoringName is the marker of a restore that is in progress, with the copy's name as its content.
const restoringName = "restoring"

// beginRestore marks a restore. It removes the files of an interrupted restore and returns an error if there are other
// files.
func beginRestore(dir, data string) error {
	entries, err := os.ReadDir(data)
	if err != nil {
		return err
	}
	interrupted := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == restoringName })
	for _, entry := range entries {
		switch name := entry.Name(); {
		case isLostAndFound(name):
		case !interrupted:
			return fault.E(fault.FailedPrecondition, "the data folder %s is not empty. Stop the server, move the folder away, and try again.", data)
		case name != restoringName:
			if err := os.RemoveAll(filepath.Join(data, name)); err != nil {
				return err
			}
		}
	}
	marker := filepath.Join(data, restoringName)
	if err := os.WriteFile(marker, []byte(dir), fileMode); err != nil {
		_ = os.Remove(marker) // The file may not exist, and the folder is empty.
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err)
	}
	return atomicfile.SyncFolder(data)
}

// isLostAndFound reports whether a name is that of a file that new file systems contain, which is not data.
func isLostAndFound(name string) bool { return name == "lost+found" }

// undoRestore removes what a failed restore wrote, the marker last, and the data folder if the restore created it.
func undoRestore(data string, created bool) error {
	entries, err := os.ReadDir(data)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); !isLostAndFound(name) && name != restoringName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(data, name)))
		}
	}
	if err != nil {
		return err // The marker stays.
	}
	if err := os.Remove(filepath.Join(data, restoringName)); err != nil || !created {
		return err
	}
	return os.Remove(data)
}

// Interrupted returns the copy from which a restore of a data folder was interrupted; empty when none was.
func Interrupted(data string) (dir string, err error) {
	return ReadMarker(filepath.Join(data, restoringName))
}

// UnknownSource is the source of a marker that can't be read.
const UnknownSource = "(unknown)"

// ReadMarker returns the source that a marker names, or "" if there is no marker. A marker of another content, or
// without any because the process ended before it was on disk, names the source "(unknown)".
func ReadMarker(path string) (source string, err error) {
	const most = 4096 // the longest path
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrPermission):
		return "", nil // opening the folder reports the error
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > most:
		return UnknownSource, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(string(text), func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return UnknownSource, nil
	}
	return string(text), nil
}

// reason returns the text of an error for the operator.
func reason(err error) string {
	var named *fault.Error
	if errors.As(err, &named) {
		return named.Message
	}
	return err.Error()
}

// Outside returns InvalidArgument if a file or a folder that exists or is to be written is in the data folder, and
// FailedPrecondition if that cannot be decided.
func Outside(data, dir string) error {
	inside, err := folder.Contains(data, dir)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write the copy: %v", err)
	}
	if inside {
		return fault.E(fault.InvalidArgument, "%s is in the data folder; name one outside it", dir)
	}
	return nil
}

// copyTree copies the folders and regular files of one folder into another, which exists, except the names of the first
// level for which skip returns true. Sockets and links are omitted.
func copyTree(ctx context.Context, from, to string, skip func(name string) bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		switch {
		case skip(entry.Name()):
		case entry.IsDir():
			if err := os.Mkdir(target, folderMode); err != nil {
				return err
			}
			err = copyTree(ctx, source, target, func(string) bool { return false })
		case entry.Type().IsRegular():
			err = copyFile(source, target)
		}
		if err != nil {
			return err
		}
	}
	return atomicfile.SyncFolder(to)
}

// copyFile copies a file and waits until it is on disk. It ignores a file that was deleted meanwhile, such as an old
// key.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // a read
	return WriteFile(source, to)
}

// WriteFile writes a file, which must not exist, and waits until it is on disk.
func WriteFile(from io.Reader, to string) error {
	target, err := NewFile(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, from)
	return errors.Join(err, target.Sync(), target.Close())
}
