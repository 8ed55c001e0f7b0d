package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/changelog"
)

// A backup of a store whose log is shipped can consist of changes: it has the tables of the backup before it, the
// changes that this one has, and a file with what was changed since, key by key. So it moves what was changed and not
// what the store has merged meanwhile. It names all its contents itself, like each backup.

// Store is a store in a folder that no other process uses.
type Store interface {
	store.Reader
	// ApplyUnsynced applies a batch, which is durable after Sync.
	ApplyUnsynced(b *store.Batch) error
	Sync() error
	Close() error
}

// Log is the log of the data, while it is shipped.
type Log interface {
	// Mark returns a place in the log; its zero value if there is none.
	Mark(ctx context.Context) (changelog.Mark, error)
	// Changed returns the keys that the operations from one number to another have changed, and perhaps some more. ok is
	// false if they are not known.
	Changed(from, to uint64) (c *changelog.Changed, ok bool, err error)
	// Forget tells that Changed is not called for operations before a number any more.
	Forget(before uint64)
}

// changesFolder has the files with changes in the list of a backup, in the order in which they are applied.
const changesFolder = "store-changes/"

// A backup has changes of at most a part of the size of its tables, one maxShare-th, or of minChanges bytes, in at most
// maxChanges files. Beyond it, the next one has new tables, so that a restore applies little.
const (
	maxShare   = 4
	minChanges = 4 << 20
	maxChanges = 200
)

// packBytes is the size from which on operations are written to a file of changes.
const packBytes = 8 << 20

// isChanges reports whether a file has changes.
func isChanges(f backup.File) bool { return strings.HasPrefix(f.Name, changesFolder) }

// increment makes the files of the store those of the newest backup and the changes since. ok is false if that is not
// possible, or not worth it; then there are no files.
func (w *writer) increment(ctx context.Context) (ok bool, err error) {
	changed, files, most, err := w.since()
	if err != nil || changed == nil {
		return false, err
	}
	defer func() {
		if !ok {
			w.files, w.done, w.made = nil, make(map[string]object), Made{}
		}
	}()
	if ok, err = w.keep(ctx, files); err != nil || !ok {
		return false, err
	}
	folder, done, err := backup.CloneStore(w.frozen, w.r.Data)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, done()) }()
	from, err := w.s.o.Open(folder)
	if err != nil {
		return false, err
	}
	p := &packer{w: w, from: from, left: most}
	err = p.all(ctx, changed)
	switch err = errors.Join(err, from.Close()); {
	case errors.Is(err, errTooMuch):
		return false, nil
	case fault.Is(err, fault.DataLoss): // A damaged store is still copied.
		return false, nil
	}
	return err == nil, err
}

// since returns the keys that were changed since the newest backup, nil if they are not known or the next backup has
// tables, as while the last trial restore has failed; its files of the store; and the number of bytes that the changes
// may have.
func (w *writer) since() (changed *changelog.Changed, files []backup.File, most int64, err error) {
	if w.old == nil || w.s.o.Open == nil || w.r.Log == nil || w.r.Reread || w.place == (Place{}) || w.newest.Log.Log != w.place.Log {
		return nil, nil, 0, nil
	}
	c, err := w.old.contents(w.s.o.Keys)
	if err != nil {
		if fault.Is(err, fault.FailedPrecondition) || fault.Is(err, fault.DataLoss) { // Without the secret key, or damaged.
			err = nil
		}
		return nil, nil, 0, err
	}
	n, tables, changes := 0, int64(0), int64(0)
	for _, f := range c.Files {
		switch {
		case isChanges(f):
			n, changes = n+1, changes+f.Size
		case backup.IsStore(f.Name):
			tables += f.Size
		default:
			continue
		}
		files = append(files, f)
	}
	most = max(tables/maxShare, minChanges) - changes
	if n >= maxChanges || most <= 0 {
		return nil, nil, 0, nil
	}
	changed, ok, err := w.r.Log.Changed(w.newest.Log.From, w.place.To)
	if err != nil || !ok {
		return nil, nil, 0, err
	}
	return changed, files, most, nil
}

// keep adds files of the newest backup whose objects the target still has. ok is false if one is missing or damaged.
func (w *writer) keep(ctx context.Context, files []backup.File) (ok bool, err error) {
	objects := w.old.byName()
	for _, f := range files {
		if f.Size > 0 {
			o, ok, err := w.intact(ctx, objects[f.Object])
			if err != nil || !ok {
				return false, err
			}
			w.done[f.SHA256] = o
		}
		w.made.Bytes += f.Size
		w.files = append(w.files, f)
	}
	return true, nil
}

// errTooMuch ends the writing of changes that are larger than they may be.
var errTooMuch = errors.New("the changes are too large")

// packer writes changes to files of a backup.
type packer struct {
	w    *writer
	from Store
	// left is the number of bytes that may still be written.
	left int64
	// ops are the next operations, and size their size.
	ops  []store.Op
	size int
	// n is the number of files.
	n int
}

// all writes what is at changed keys in the store now. A range that was deleted near the moment of the copy may have
// been deleted after it, so what is in ranges is written too, and their keys not once more.
func (p *packer) all(ctx context.Context, changed *changelog.Changed) error {
	ranges := merged(changed.Ranges)
	for _, r := range ranges {
		if err := p.add(ctx, store.Op{Kind: store.DeleteRange, Key: r.From, Value: r.To}); err != nil {
			return err
		}
	}
	for _, r := range ranges {
		if err := p.scan(ctx, r); err != nil {
			return err
		}
	}
	for _, key := range changed.Keys {
		if within(ranges, key) {
			continue
		}
		value, found, err := p.from.Get(key)
		if err != nil {
			return err
		}
		op := store.Op{Kind: store.Set, Key: key, Value: value}
		if !found {
			op = store.Op{Kind: store.Delete, Key: key}
		}
		if err := p.add(ctx, op); err != nil {
			return err
		}
	}
	return p.flush(ctx)
}

// merged returns ranges with ends in their order, without empty ones and without what they have in common.
func merged(ranges []store.Range) (all []store.Range) {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b store.Range) int { return bytes.Compare(a.From, b.From) })
	for _, r := range sorted {
		if n := len(all); n > 0 && bytes.Compare(r.From, all[n-1].To) <= 0 {
			if bytes.Compare(r.To, all[n-1].To) > 0 {
				all[n-1].To = r.To
			}
			continue
		}
		if bytes.Compare(r.From, r.To) < 0 {
			all = append(all, r)
		}
	}
	return all
}

// within reports whether a key is in one of merged ranges.
func within(ranges []store.Range, key []byte) bool {
	i, found := slices.BinarySearchFunc(ranges, key, func(r store.Range, key []byte) int { return bytes.Compare(r.From, key) })
	return found || i > 0 && bytes.Compare(key, ranges[i-1].To) < 0
}

// scan adds everything in a range.
func (p *packer) scan(ctx context.Context, r store.Range) (err error) {
	it := p.from.Scan(r)
	defer func() { err = errors.Join(err, it.Err(), it.Close()) }()
	for it.Next() {
		value, err := it.Value()
		if err != nil {
			return err
		}
		if err := p.add(ctx, store.Op{Kind: store.Set, Key: append([]byte{}, it.Key()...), Value: append([]byte{}, value...)}); err != nil {
			return err
		}
	}
	return nil
}

// add adds an operation.
func (p *packer) add(ctx context.Context, op store.Op) error {
	n := changelog.Size(op)
	if p.size+n > changelog.MaxPacked { // A value of up to that size has a file of its own.
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	p.ops, p.size = append(p.ops, op), p.size+n
	if err := p.w.pace.took(ctx, len(op.Key)+len(op.Value)); err != nil || p.size < packBytes {
		return err
	}
	return p.flush(ctx)
}

// flush writes the operations to a file.
func (p *packer) flush(ctx context.Context) (err error) {
	if len(p.ops) == 0 {
		return nil
	}
	p.n++
	stored, err := changelog.Pack(p.w.place.Log, uint64(p.n), p.ops)
	if err != nil {
		return err
	}
	clear(p.ops)
	p.ops, p.size = p.ops[:0], 0
	if p.left -= int64(len(stored)); p.left < 0 {
		return errTooMuch
	}
	path := filepath.Join(p.w.frozen, packedName)
	if err := os.WriteFile(path, stored, 0o600); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	return p.w.file(ctx, path, fmt.Sprintf("%s%s-%06d", changesFolder, p.w.name, p.n))
}

// packedName is a temporary file. The list of files of the folder is read before or later.
const packedName = "zz-changes"

// applyChanges applies the files with changes that a restore has placed in the folder data, in the order of a list, to
// the store in a folder, and removes them.
func (s *Series) applyChanges(ctx context.Context, files []backup.File, data, folder string) (err error) {
	var changes []backup.File
	for _, f := range files {
		if isChanges(f) {
			changes = append(changes, f)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	to, err := s.o.Open(folder)
	if err != nil {
		return err
	}
	for _, f := range changes {
		if err = s.applyFile(ctx, filepath.Join(data, filepath.FromSlash(f.Name)), to); err != nil {
			err = fault.Wrap(err, fault.CodeOf(err), "the file %s: %s", f.Name, fault.Reason(err))
			break
		}
	}
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close(), os.RemoveAll(filepath.Join(data, changesFolder)))
}

// applyFile applies a file with changes.
func (s *Series) applyFile(ctx context.Context, path string, to Store) error {
	stored, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return changelog.Unpack(stored, func(ops []store.Op) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return to.ApplyUnsynced(&store.Batch{Ops: ops})
	})
}
