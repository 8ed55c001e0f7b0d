package series

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
)

// Request is a request for a backup.
type Request struct {
	// Source is the store, and Data its data folder.
	Source backup.Source
	Data   string
	// ID is the identity of the data, and Secret a secret of the data, which hides what encrypted objects contain.
	ID, Secret string
	// Rate is the maximum number of bytes that are read in a second, from the data, their copy that is counted, and what
	// was written; zero for no limit.
	Rate int64
	// Reread reads the objects that earlier backups have written, even those whose tags are as they were. The backup has
	// tables, not changes.
	Reread bool
	// Inventory counts what is in the folder of a store that is not in use, as JSON; nil for backups without. It calls
	// took with the number of bytes that it has read, which pauses for Rate and returns an error once ctx has ended.
	Inventory func(ctx context.Context, store string, took func(n int) error) (json.RawMessage, error)
	// Log is the log of the data; nil if it is not shipped.
	Log   Log
	Clock clock.Clock
}

// Made describes a backup that Make has made.
type Made struct {
	// Bytes is the size of all files, and Copied the size of those that were written.
	Bytes, Copied int64
	// Changes is set if the tables are those of the backup before.
	Changes bool
	// NotCounted is the reason why the backup has no inventory, or nil: a damaged store is still copied.
	NotCounted error
}

// Make makes a backup. lock must be that of the series.
func (s *Series) Make(ctx context.Context, lock target.Lock, r Request) (b Backup, made Made, err error) {
	b = Backup{Time: r.Clock.Now().UTC().Truncate(time.Second), Encrypted: s.o.Keys != nil}
	b.Name = b.Time.Format(nameForm)
	if err := s.own(ctx, r.ID); err != nil {
		return b, made, err
	}
	all, err := s.List(ctx)
	if err != nil {
		return b, made, err
	}
	for _, other := range all {
		if other.Name == b.Name {
			return b, made, fault.E(fault.AlreadyExists, "%s exists already", s.Path(b))
		}
	}
	w := &writer{s: s, r: r, name: b.Name, pace: &pace{rate: r.Rate, clock: r.Clock}, done: make(map[string]object)}
	if err := w.learn(ctx, all); err != nil {
		return b, made, err
	}
	done, err := w.freeze(ctx)
	if err != nil {
		return b, made, err
	}
	defer func() { err = errors.Join(err, done()) }()
	changes, err := w.increment(ctx)
	if err == nil {
		w.made.Changes = changes
		err = w.all(ctx, changes)
	}
	if err != nil {
		return b, made, err
	}
	if r.Inventory != nil {
		w.inventory, w.made.NotCounted = w.count(ctx)
		if ctx.Err() != nil {
			return b, made, ctx.Err()
		}
	}
	if err := lock.Held(); err != nil {
		return b, made, err
	}
	b.Bytes, b.Log = w.made.Bytes, w.place
	if err := w.finish(ctx, b.Name); err != nil {
		return b, w.made, err
	}
	if b.Log != (Place{}) {
		r.Log.Forget(b.Log.From)
	}
	return b, w.made, nil
}

// freeze takes the state of the data, and its place in their log. done removes it.
func (w *writer) freeze(ctx context.Context) (done func() error, err error) {
	mark := func(context.Context) (changelog.Mark, error) { return changelog.Mark{}, nil }
	if w.r.Log != nil {
		mark = w.r.Log.Mark
	}
	before, err := mark(ctx)
	if err != nil {
		return nil, err
	}
	if w.frozen, done, err = backup.Freeze(ctx, w.r.Source, w.r.Data); err != nil {
		return nil, err
	}
	after, err := mark(ctx)
	if err != nil {
		return nil, errors.Join(err, done())
	}
	if before.Log == after.Log && after.Log != "" {
		w.place = Place{Log: after.Log, From: before.Seq, To: after.Seq, At: after.At}
	}
	return done, nil
}

// writer writes a backup.
type writer struct {
	s      *Series
	r      Request
	name   string
	frozen string
	place  Place
	pace   *pace
	// newest is the newest backup, and old its list; nil if there is none. base are its objects by the first parts of
	// their names, and stored are those of the target by their names there.
	newest Backup
	old    *manifest
	base   map[string]object
	stored map[string]target.Object
	// done are the objects of this backup by the checksums of their contents.
	done  map[string]object
	files []backup.File
	// inventory is what was counted.
	inventory json.RawMessage
	made      Made
}

// count counts what is in the store, in a copy, because opening it changes it.
func (w *writer) count(ctx context.Context) (counted json.RawMessage, err error) {
	store, done, err := backup.CloneStore(w.frozen, w.r.Data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return w.r.Inventory(ctx, store, func(n int) error { return w.pace.took(ctx, n) })
}

// baseLength is the length of the first part of the name of an object.
const baseLength = 2 * sha256.Size

// learn reads what the target has.
func (w *writer) learn(ctx context.Context, all []Backup) error {
	objects, err := w.s.o.Target.List(ctx, objectFolder)
	if err != nil {
		return err
	}
	w.stored = make(map[string]target.Object, len(objects))
	for _, o := range objects {
		w.stored[o.Name] = o
	}
	w.base = make(map[string]object)
	var ok bool
	if w.newest, ok = Newest(all); !ok {
		return nil
	}
	if w.old, err = w.s.manifest(ctx, w.newest.Name); err != nil {
		return err
	}
	for _, o := range w.old.Objects {
		w.base[o.Name[:baseLength]] = o
	}
	return nil
}

// all writes the objects of all files, without those of the store if there are changes.
func (w *writer) all(ctx context.Context, changes bool) error {
	return filepath.WalkDir(w.frozen, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !backup.IsFrozen(d.Name()) {
			return err
		}
		name, err := filepath.Rel(w.frozen, path)
		if name = filepath.ToSlash(name); err != nil || changes && backup.IsStore(name) {
			return err
		}
		return w.file(ctx, path, name)
	})
}

// file writes the object of a file, unless the target has it.
func (w *writer) file(ctx context.Context, path, name string) error {
	f := backup.File{Name: name}
	var err error
	if f.Size, f.SHA256, err = w.sum(ctx, path); err != nil {
		return err
	}
	if f.Size == 0 { // It needs no object; some servers refuse empty ones.
		w.files = append(w.files, f)
		return nil
	}
	o, ok := w.done[f.SHA256]
	if !ok {
		if o, ok, err = w.reuse(ctx, f); err != nil {
			return err
		}
	}
	if !ok {
		if o, err = w.write(ctx, path, f); err != nil {
			return err
		}
		w.made.Copied += f.Size
	}
	w.done[f.SHA256] = o
	w.made.Bytes += f.Size
	f.Object = o.Name
	w.files = append(w.files, f)
	return nil
}

// sum returns the size and the checksum of a file.
func (w *writer) sum(ctx context.Context, path string) (int64, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = f.Close() }() // a read
	digest := sha256.New()
	n, err := io.Copy(digest, &paced{ctx: ctx, pace: w.pace, Reader: f})
	return n, hex.EncodeToString(digest.Sum(nil)), err
}

// reuse returns the object that the target has of a file. The newest backup names it, or, without keys, its own name.
// ok is false if it has none.
func (w *writer) reuse(ctx context.Context, f backup.File) (o object, ok bool, err error) {
	name := w.s.o.Keys.base(f.SHA256, w.r.Secret)
	o, ok = w.base[name]
	if !ok && w.s.o.Keys == nil { // a remainder of a backup that was never complete, or of an older one
		o = object{Name: name, Size: f.Size, SHA256: f.SHA256}
	} else if !ok {
		return object{}, false, nil
	}
	return w.intact(ctx, o)
}

// intact returns an object with its present tag. ok is false if the target has lost or changed it. An object whose tag
// is not the one of the last comparison is read.
func (w *writer) intact(ctx context.Context, o object) (_ object, ok bool, err error) {
	is, ok := w.stored[o.path()]
	if !ok || is.Size != o.Size {
		return object{}, false, nil
	}
	if is.Tag != "" && is.Tag == o.Tag && !w.r.Reread {
		return o, true, nil
	}
	err = w.s.compare(ctx, o, w.pace)
	if fault.Is(err, fault.DataLoss) {
		return object{}, false, nil // It is written anew.
	}
	o.Tag = is.Tag
	return o, err == nil, err
}

// write writes the object of a file and reads it back.
func (w *writer) write(ctx context.Context, path string, f backup.File) (o object, err error) {
	o = object{Name: w.s.o.Keys.base(f.SHA256, w.r.Secret), Size: f.Size, SHA256: f.SHA256}
	if w.s.o.Keys != nil {
		o.Name += "-" + randid.New(12)
		if path, err = w.seal(path, &o); err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, os.Remove(path)) }()
	}
	content, err := os.Open(path)
	if err != nil {
		return o, err
	}
	defer func() { _ = content.Close() }() // a read
	if o.Tag, err = w.s.o.Target.Put(ctx, o.path(), &pacedFile{paced{ctx: ctx, pace: w.pace, Reader: content}, content}, o.Size); err != nil {
		return o, err
	}
	if err := w.s.compare(ctx, o, w.pace); err != nil {
		if fault.Is(err, fault.DataLoss) {
			err = fault.Wrap(err, fault.DataLoss, "%s does not keep what is written: %s", w.s, fault.Reason(err))
		}
		return o, err
	}
	return o, nil
}

// seal encrypts a file to a temporary one, and sets the size and the checksum of the object.
func (w *writer) seal(path string, o *object) (sealed string, err error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }() // a read
	sealed = filepath.Join(w.frozen, sealedName)
	to, err := backup.NewFile(sealed)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	count := &counted{Writer: io.MultiWriter(to, digest)}
	err = errors.Join(w.s.o.Keys.sealTo(count, from), to.Close())
	o.Size, o.SHA256 = count.n, hex.EncodeToString(digest.Sum(nil))
	if err != nil {
		err = errors.Join(err, os.Remove(sealed))
	}
	return sealed, err
}

// sealedName is the temporary file of an encrypted one. The list of files of the folder is read before.
const sealedName = "zz-sealed"

// finish writes the list of the backup, which makes it complete, and reads it back.
func (w *writer) finish(ctx context.Context, name string) error {
	m := &manifest{Format: 1, Bytes: w.made.Bytes}
	if w.made.Changes { // Older versions refuse it.
		m.Format = manifestFormat
	}
	for _, o := range w.done {
		m.Objects = append(m.Objects, o)
	}
	if w.place != (Place{}) {
		m.Log = &w.place
	}
	c := &contents{Files: w.files, Inventory: w.inventory}
	if w.s.o.Keys == nil {
		m.Contents = c
	} else {
		text, err := json.Marshal(c)
		if err == nil {
			m.Sealed, err = w.s.o.Keys.seal(text)
		}
		if err != nil {
			return err
		}
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	if err := writeSmall(ctx, w.s.o.Target, manifestFolder+name+manifestSuffix, text); err != nil {
		return err
	}
	_, err = w.s.manifest(ctx, name)
	return err
}

// counted is a writer that counts its bytes.
type counted struct {
	io.Writer
	n int64
}

// Write implements io.Writer.
func (w *counted) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += int64(n)
	return n, err
}
