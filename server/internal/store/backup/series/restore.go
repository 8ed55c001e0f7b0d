package series

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"syscall"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
)

// Check reads all objects of a backup and compares them with its list. It returns DataLoss, with the name of the
// object, for one that is missing or differs. It needs no secret key.
func (s *Series) Check(ctx context.Context, b Backup) error {
	m, err := s.manifest(ctx, b.Name)
	if err == nil {
		_, err = m.contents(s.o.Keys)
		if m.Sealed != nil && fault.Is(err, fault.FailedPrecondition) {
			err = nil // There is no key, or another one: the objects are compared.
		}
	}
	for i := 0; err == nil && i < len(m.Objects); i++ {
		err = s.compare(ctx, m.Objects[i], new(pace))
	}
	if fault.Is(err, fault.DataLoss) {
		return fault.Wrap(err, fault.DataLoss, "%s is damaged: %s", s.Path(b), fault.Reason(err))
	}
	return err
}

// compare reads an object at a pace and compares it with its entry in a list. It returns DataLoss if it differs.
func (s *Series) compare(ctx context.Context, o object, p *pace) error {
	r, err := s.get(ctx, o)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, &paced{ctx: ctx, pace: p, Reader: r})
	return errors.Join(err, r.Close())
}

// get reads an object. At its end, the reader returns DataLoss if the object differs from its entry in a list.
func (s *Series) get(ctx context.Context, o object) (io.ReadCloser, error) {
	r, err := s.o.Target.Get(ctx, o.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.DataLoss, "the object %s is missing", o.path())
	}
	if err != nil {
		return nil, err
	}
	return &compared{ReadCloser: r, o: o, digest: sha256.New()}, nil
}

// compared is a reader of an object that compares it with an entry.
type compared struct {
	io.ReadCloser
	o      object
	n      int64
	digest interface {
		io.Writer
		Sum(b []byte) []byte
	}
}

// Read implements io.Reader.
func (c *compared) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	_, _ = c.digest.Write(p[:n]) // a hash takes everything
	switch {
	case c.n > c.o.Size || err == io.EOF && c.n < c.o.Size:
		return 0, fault.E(fault.DataLoss, "the object %s is damaged: it does not have %d bytes", c.o.path(), c.o.Size)
	case err == io.EOF && hex.EncodeToString(c.digest.Sum(nil)) != c.o.SHA256:
		return 0, fault.E(fault.DataLoss, "the object %s is damaged: its checksum is wrong", c.o.path())
	case errors.Is(err, syscall.EIO):
		return 0, fault.Wrap(err, fault.DataLoss, "the object %s can't be read: %v", c.o.path(), err)
	case errors.Is(err, fs.ErrNotExist):
		return 0, fault.Wrap(err, fault.DataLoss, "the object %s was removed while it was read", c.o.path())
	}
	return n, err
}

// Inventory returns what was counted when a backup was made; nil if it has no inventory. An encrypted backup needs its
// secret key.
func (s *Series) Inventory(ctx context.Context, b Backup) (json.RawMessage, error) {
	m, err := s.manifest(ctx, b.Name)
	if err != nil {
		return nil, err
	}
	c, err := m.contents(s.o.Keys)
	if err != nil {
		return nil, err
	}
	return c.Inventory, nil
}

// Verify verifies the folder of a restored store, with the backup's inventory, which is nil if there is none. It must
// close the store.
type Verify func(store string, inventory json.RawMessage) error

// Restore creates the data folder data, which must be empty or absent, from a backup. It calls verify with the new
// store before that gets its final name. A Restore that fails removes what it has written. A Restore that is
// interrupted leaves a marker (see backup.Interrupted), and the next one begins again.
func (s *Series) Restore(ctx context.Context, b Backup, data string, verify Verify) error {
	return s.RestoreWith(ctx, b, data, func(int64, int64) {}, verify)
}

// RestoreWith is Restore. It calls report with the number of bytes that are written, of all.
func (s *Series) RestoreWith(ctx context.Context, b Backup, data string, report func(done, all int64), verify Verify) error {
	m, err := s.manifest(ctx, b.Name)
	var c *contents
	if err == nil {
		c, err = m.contents(s.o.Keys)
	}
	if err == nil {
		err = backup.Build(s.Path(b), data, func(part string) error {
			if err := backup.CheckSpace(data, backup.SizeOf(c.Files)); err != nil {
				return err
			}
			if err := s.fetch(ctx, m, c, data, part, report); err != nil {
				return err
			}
			if err := s.applyChanges(ctx, c.Files, data, part); err != nil {
				return err
			}
			return verify(part, c.Inventory)
		})
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, syscall.ENOSPC):
		return fault.Wrap(err, fault.ResourceExhausted, "%s can't be restored: there is no space for it in %s", s.Path(b), data)
	case fault.Is(err, fault.DataLoss), m != nil && c == nil:
		return fault.Wrap(err, fault.CodeOf(err), "%s can't be restored: %s", s.Path(b), fault.Reason(err))
	}
	return err
}

// fetch writes the files of a backup.
func (s *Series) fetch(ctx context.Context, m *manifest, c *contents, data, store string, report func(done, all int64)) error {
	objects, done, all := m.byName(), int64(0), backup.SizeOf(c.Files)
	return backup.Place(c.Files, data, store, func(f backup.File, path string) error {
		if f.Size == 0 {
			return backup.WriteFile(bytes.NewReader(nil), path)
		}
		r, err := s.get(ctx, objects[f.Object])
		if err != nil {
			return err
		}
		err = s.fetchFile(r, m.Sealed != nil, f, path)
		if !errors.Is(err, syscall.ENOSPC) {
			if _, readErr := io.Copy(io.Discard, r); readErr != nil { // The object itself differs, or can't be read.
				err = readErr
			}
		}
		done += f.Size
		report(done, all)
		return errors.Join(err, r.Close())
	})
}

// fetchFile writes a file of a backup from its object.
func (s *Series) fetchFile(r io.Reader, sealed bool, f backup.File, path string) error {
	content := r
	if sealed {
		var err error
		if content, err = s.o.Keys.open(r); err != nil {
			return err
		}
	}
	digest := sha256.New()
	if err := backup.WriteFile(io.TeeReader(io.LimitReader(content, f.Size), digest), path); err != nil {
		return err
	}
	if hex.EncodeToString(digest.Sum(nil)) != f.SHA256 {
		return fault.E(fault.DataLoss, "the file %s is damaged: its checksum is wrong", f.Name)
	}
	return nil
}
