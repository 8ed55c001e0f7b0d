// Package exports keeps the exports of the administration APIs in a bucket of S3: they are written to and read from a
// folder of this machine, which has one only while it is being exported or imported.
package exports

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
	"time"

	"clave/server/internal/admin/firestoreadmin"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/suite/transfer"
)

// The maximum number of objects of an export that is imported, and the time within which the rest of one that failed is
// removed.
const (
	maxObjects = 100_000
	removeTime = time.Minute
)

// reserve is the number of bytes of the disk of the data that exports and imports leave free, so that the server can
// write.
const reserve = 1 << 30

// overallSuffix ends the name of the file that describes an export. Without it there is no export.
const overallSuffix = ".overall_export_metadata"

// Bucket implements firestoreadmin.Transfers. The folder of an export in Folder stands for the objects below the same
// path in Target. It is safe for concurrent use.
type Bucket struct {
	firestoreadmin.Transfers
	Target target.Target
	// Folder is emptied by Open. It has a folder for each transfer in progress. Reserve is the number of bytes of its
	// disk that stay free.
	Folder  string
	Reserve int64
}

// Open prepares the folder, which may have the rest of transfers of a process that was killed.
func (b *Bucket) Open() error {
	if err := os.RemoveAll(b.Folder); err != nil {
		return err
	}
	return os.MkdirAll(b.Folder, 0o700)
}

// atTarget returns the error for clients of a failure at the bucket, whose name and reason are for the operator: the
// log has them.
func atTarget(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case fault.Is(err, fault.ResourceExhausted):
		return fault.Wrap(err, fault.ResourceExhausted, "The bucket of exports of this server has no space.")
	}
	return fault.Wrap(err, fault.Unavailable, "The bucket of exports of this server can't be used at the moment. Please try again.")
}

// atTargetReader reads an object with the errors of atTarget.
type atTargetReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r atTargetReader) Read(into []byte) (int, error) {
	n, err := r.r.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = atTarget(r.ctx, err)
	}
	return n, err
}

// prefix returns the beginning of the names of the objects of an export.
func (b *Bucket) prefix(dir string) (string, error) {
	of, err := filepath.Rel(b.Folder, dir)
	if err != nil || of == "." || !filepath.IsLocal(of) {
		return "", fault.Wrap(err, fault.InvalidArgument, "%s is not the folder of an export", dir)
	}
	return filepath.ToSlash(of) + "/", nil
}

// Blank implements firestoreadmin.Transfers.
func (b *Bucket) Blank(ctx context.Context, dir string) (bool, error) {
	prefix, err := b.prefix(dir)
	if err != nil {
		return false, err
	}
	has, err := b.Target.Has(ctx, prefix)
	return !has, atTarget(ctx, err)
}

// beside calls do with a folder for one transfer, with the name of dir, whose files are named after it. The folder is
// removed afterwards, and errors name dir in its place.
func (b *Bucket) beside(dir string, do func(part string) error) error {
	of, err := os.MkdirTemp(b.Folder, "transfer-")
	if err != nil {
		return err
	}
	part := filepath.Join(of, filepath.Base(dir))
	err = do(part)
	left := os.RemoveAll(of)
	if err == nil {
		return left
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fault.Wrap(err, fault.ResourceExhausted, "The disk of this server has no space for the export.")
	}
	if text := fault.FromError(err).Message; strings.Contains(text, part) {
		return fault.Wrap(err, fault.CodeOf(err), "%s", strings.ReplaceAll(text, part, dir))
	}
	return err
}

// ExportDocuments implements firestoreadmin.Transfers. The object that describes the export is written last, so that
// nothing can be imported of an export that fails. Its other objects are removed then.
func (b *Bucket) ExportDocuments(ctx context.Context, db resource.Database, dir string, sel transfer.Selection) (documents int64, err error) {
	prefix, err := b.prefix(dir)
	if err == nil {
		err = b.remove(ctx, prefix) // the rest of an export of a process that was killed
	}
	if err != nil {
		return 0, err
	}
	local := sel
	local.Report = func(p transfer.Progress) error {
		if err := backup.CheckSpace(b.Folder, b.Reserve); err != nil || sel.Report == nil {
			return err
		}
		return sel.Report(p)
	}
	err = b.beside(dir, func(part string) error {
		if documents, err = b.Transfers.ExportDocuments(ctx, db, part, local); err != nil {
			return err
		}
		return b.upload(ctx, part, prefix)
	})
	if err != nil {
		left, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		err = errors.Join(err, b.remove(left, prefix))
	}
	return documents, err
}

// remove removes the objects with a prefix.
func (b *Bucket) remove(ctx context.Context, prefix string) error {
	all, err := b.Target.List(ctx, prefix)
	if err != nil || len(all) == 0 {
		return atTarget(ctx, err)
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.Name
	}
	return atTarget(ctx, b.Target.Remove(ctx, names...))
}

// upload writes the files of a folder to objects with a prefix, the one that describes the export last.
func (b *Bucket) upload(ctx context.Context, folder, prefix string) error {
	var names []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		of, err := filepath.Rel(folder, path)
		names = append(names, of)
		return err
	})
	if err != nil {
		return err
	}
	last := filepath.Base(folder) + overallSuffix
	names = append(slices.DeleteFunc(names, func(name string) bool { return name == last }), last)
	for _, name := range names {
		if err := b.put(ctx, filepath.Join(folder, name), prefix+filepath.ToSlash(name)); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file to an object.
func (b *Bucket) put(ctx context.Context, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 { // Objects are not empty. Readers of logs, such as one without documents, skip a zero at the end.
		_, err = b.Target.Put(ctx, name, strings.NewReader("\x00"), 1)
		return atTarget(ctx, err)
	}
	_, err = b.Target.Put(ctx, name, f, info.Size())
	return atTarget(ctx, err)
}

// LoadDocuments implements firestoreadmin.Transfers. The objects may be those of others: their names lead nowhere but
// into the folder of the transfer, and all of them have to fit on the disk.
func (b *Bucket) LoadDocuments(ctx context.Context, db resource.Database, dir string, sel transfer.Selection) error {
	prefix, err := b.prefix(dir)
	if err != nil {
		return err
	}
	all, err := b.Target.List(ctx, prefix)
	if err != nil {
		return atTarget(ctx, err)
	}
	if len(all) > maxObjects {
		return fault.E(fault.InvalidArgument, "%s has more than %d objects.", dir, maxObjects)
	}
	size := int64(0)
	for _, o := range all {
		size += o.Size
	}
	return b.beside(dir, func(part string) error {
		if err := backup.CheckSpace(b.Folder, size+b.Reserve); err != nil {
			return err
		}
		for _, o := range all {
			if strings.HasSuffix(o.Name, "/") { // tools write such objects for folders
				continue
			}
			name := filepath.FromSlash(strings.TrimPrefix(o.Name, prefix))
			if !filepath.IsLocal(name) {
				return fault.E(fault.InvalidArgument, "%s has an object whose name is not that of a file: %.200q", dir, o.Name)
			}
			if err := b.get(ctx, o, filepath.Join(part, name)); err != nil {
				return err
			}
		}
		return b.Transfers.LoadDocuments(ctx, db, part, sel)
	})
}

// get reads an object into a new file.
func (b *Bucket) get(ctx context.Context, o target.Object, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := b.Target.Get(ctx, o.Name)
	if err != nil {
		return atTarget(ctx, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	n, err := io.Copy(f, io.LimitReader(atTargetReader{ctx, r}, o.Size+1))
	if err == nil && n != o.Size {
		err = fault.E(fault.Aborted, "The object %.200q has changed while it was read.", o.Name)
	}
	return err
}
