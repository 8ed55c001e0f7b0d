package target

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// unfinishedName is the folder of unfinished objects, which are not objects, nor are the locks. The next process that
// writes objects of the same lock removes them.
const unfinishedName = "unfinished"

// unfinishedOf returns the beginning of the name of an unfinished object, by the lock under which it is written: that
// of the log for its segments.
func unfinishedOf(name string) string {
	if strings.HasPrefix(name, "log/") {
		return string(Log) + "-"
	}
	return string(Backups) + "-"
}

// The modes of written files and folders: only the owner has access.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Folder is a folder of objects, each a file.
type Folder struct {
	// Dir is an absolute path. Its parent must exist: the folder below a disk that is not mounted must not be created.
	Dir string
}

// String implements Target.
func (f Folder) String() string { return f.Dir }

// path returns the file of an object.
func (f Folder) path(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// Put implements Target.
func (f Folder) Put(ctx context.Context, name string, content io.ReadSeeker, _ int64) (tag string, err error) {
	final := f.path(name)
	part := filepath.Join(f.Dir, unfinishedName, unfinishedOf(name)+randid.New(16))
	err = f.makeFolders(filepath.Dir(part))
	if err == nil {
		err = f.makeFolders(filepath.Dir(final))
	}
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err == nil {
		if err = writeFile(ctx, part, content); err == nil {
			err = os.Rename(part, final)
		}
		if err != nil {
			_ = os.Remove(part) // or the next lock does
		}
	}
	if err == nil {
		err = atomicfile.SyncFolder(filepath.Dir(final))
	}
	return "", f.writeError(ctx, err)
}

// writeError returns the error for a failed write.
func (f Folder) writeError(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.Wrap(err, fault.ResourceExhausted, "cannot write the backup: there is no space for it in %s", f.Dir)
	}
	return fault.Wrap(err, fault.FailedPrecondition, "cannot write the backup to %s: %v", f.Dir, err)
}

// makeFolders creates a folder below the target, whose own folder must exist, and waits until its name is on disk.
func (f Folder) makeFolders(dir string) error {
	if _, err := os.Stat(dir); err == nil || dir == f.Dir || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.makeFolders(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(dir))
}

// writeFile writes a file, which must not exist, and waits until it is on disk.
func writeFile(ctx context.Context, path string, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, cancellable{ctx, content})
	return errors.Join(err, file.Sync(), file.Close())
}

// cancellable is a reader that returns an error once a context has ended.
type cancellable struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r cancellable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// readFile is a file that is being read.
type readFile struct {
	cancellable
	io.Closer
}

// Get implements Target.
func (f Folder) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	path := f.path(name)
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fault.E(fault.DataLoss, "%s is not a regular file", path)
	}
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, f.readError(err)
	}
	return readFile{cancellable{ctx, file}, file}, nil
}

// readError returns the error for a failed read. Those of an absent file and of an ended context stay.
func (f Folder) readError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(err, fault.FailedPrecondition, "cannot read the backups: %v", err)
}

// List implements Target.
func (f Folder) List(ctx context.Context, prefix string) (all []Object, err error) {
	if _, err := os.Stat(f.Dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.Wrap(err, fault.NotFound, "%s does not exist; name the folder that clave serve has as --backup-to", f.Dir)
		}
		return nil, f.readError(err)
	}
	err = filepath.WalkDir(f.path(prefix[:strings.LastIndex(prefix, "/")+1]), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // It was removed meanwhile, or nothing has such a name.
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		local, err := filepath.Rel(f.Dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(local)
		if d.IsDir() && name == unfinishedName {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasPrefix(name, prefix) || name == string(Backups) || name == string(Log) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		all = append(all, Object{Name: name, Size: info.Size(), Modified: info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, f.readError(err)
	}
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Has implements Target.
func (f Folder) Has(ctx context.Context, prefix string) (bool, error) {
	all, err := f.List(ctx, prefix)
	return len(all) > 0, err
}

// Remove implements Target.
func (f Folder) Remove(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return f.writeError(ctx, err)
		}
		_ = os.Remove(filepath.Dir(f.path(name))) // succeeds if it is empty
	}
	return nil
}

// Lock implements Target. It creates the folder, and removes what killed processes have left. The lock of a process
// ends with it, so none is taken from another.
func (f Folder) Lock(ctx context.Context, of LockName, _ string) (Lock, error) {
	if err := os.Mkdir(f.Dir, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot create the folder of the backups: %v", err)
	}
	lock, err := vfs.Default.Lock(filepath.Join(f.Dir, string(of)))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOSPC):
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot write the backups to %s: %v", f.Dir, err)
	case err != nil:
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot write to %s: another server or command is writing backups there", f.Dir)
	}
	if err := f.removeUnfinished(of); err != nil {
		return nil, errors.Join(f.writeError(ctx, err), lock.Close())
	}
	return folderLock{lock}, nil
}

// removeUnfinished removes the unfinished objects of a lock. Those of the backups include those of earlier versions.
func (f Folder) removeUnfinished(of LockName) error {
	dir := filepath.Join(f.Dir, unfinishedName)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	for _, entry := range entries {
		if isLog := strings.HasPrefix(entry.Name(), string(Log)+"-"); isLog == (of == Log) {
			if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// folderLock is the lock of a folder, which ends with the process.
type folderLock struct{ io.Closer }

// Held implements Lock.
func (folderLock) Held() error { return nil }
