package versions

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// The limits of contents: the bytes of one, unpacked; of all in the folder; and how many are received at once, of which
// the Firebase CLI sends 200. None waits for others: what its client has sent meanwhile would take the receive window
// of the connection, without which those that are being received could not go on.
const (
	maxContent = 256 << 20
	maxStored  = 8 << 30
	maxUploads = 256
)

// fileMode and folderMode are the modes of what is created.
const (
	fileMode   = 0o600
	folderMode = 0o700
)

// uploadPrefix is the prefix of the names of contents that are being uploaded.
const uploadPrefix = "upload-"

// hashPattern is the form of the hashes of contents.
var hashPattern = pattern.New(`^[0-9a-f]{64}$`)

// Upload receives a content that a version has named, gzipped. It returns InvalidArgument if it does not have the hash,
// or is not gzipped, ResourceExhausted if it is too large, and Unavailable while too many others are received.
func (s *Site) Upload(id, hash string, from io.Reader) (err error) {
	if err := s.wants(id, hash); err != nil {
		return err
	}
	select {
	case s.uploads <- struct{}{}:
		defer func() { <-s.uploads }()
	default:
		return fault.E(fault.Unavailable, "The server receives %d files at the moment. Please try again.", maxUploads)
	}
	f, err := os.CreateTemp(s.o.Folder, uploadPrefix)
	if err != nil {
		return unwritable(err)
	}
	to := &counted{file: f, site: s}
	kept := false
	defer func() {
		if !kept {
			s.stored.Add(-to.size)
			_ = os.Remove(f.Name()) // the next start removes it otherwise
		}
	}()
	err = unpack(to, from, hash)
	if err == nil {
		if err = f.Sync(); err != nil {
			err = unwritable(err)
		}
	}
	if closed := f.Close(); closed != nil && err == nil {
		err = unwritable(closed)
	}
	if err != nil {
		return err
	}
	kept, err = s.keep(id, hash, f.Name())
	return err
}

// wants returns FailedPrecondition or NotFound unless a version that is not finalized has named a content.
func (s *Site) wants(id, hash string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wantsLocked(id, hash)
}

// wantsLocked is wants; mu is held.
func (s *Site) wantsLocked(id, hash string) error {
	all, known := s.mu.wanted[id]
	if !known {
		r, err := s.createdLocked(id)
		if err != nil {
			return err
		}
		all = wanted(r)
		s.mu.wanted[id] = all
	}
	if !all[hash] {
		return fault.E(fault.NotFound, "The version %s has no file with the hash %.64q.", id, hash)
	}
	return nil
}

// keep gives an uploaded content its name. It is not kept if the folder has it already, or if its version is gone.
func (s *Site) keep(id, hash, upload string) (kept bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.wantsLocked(id, hash); err != nil {
		return false, err
	}
	if _, has := s.place.size(hash); has {
		return false, nil
	}
	if err := s.place.keep(hash, upload); err != nil {
		return false, err
	}
	return true, nil
}

// counted is a file whose bytes are counted among those of the folder, and limited.
type counted struct {
	file *os.File
	site *Site
	size int64
	err  error
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n := int64(len(p))
	if c.size+n > c.site.o.MaxContent {
		c.err = fault.E(fault.ResourceExhausted, "The content has more than %d bytes.", c.site.o.MaxContent)
		return 0, c.err
	}
	if c.site.stored.Add(n) > c.site.o.MaxStored {
		c.site.stored.Add(-n)
		c.err = fault.E(fault.ResourceExhausted, "The versions of the site have more than %d bytes. Delete some of them.", c.site.o.MaxStored)
		return 0, c.err
	}
	c.size += n
	written, err := c.file.Write(p)
	if err != nil {
		c.err = unwritable(err)
	}
	return written, err
}

// unpack writes the content of a gzip stream and checks its hash. What the client sends is read to its end only if it
// is valid so far.
func unpack(to *counted, from io.Reader, hash string) error {
	sum := sha256.New()
	packed := bufio.NewReader(io.TeeReader(from, sum))
	z, err := gzip.NewReader(packed)
	if err == nil {
		_, err = io.Copy(to, z)
	}
	switch {
	case to.err != nil:
		return to.err
	case err != nil && fault.CodeOf(err) == fault.Unavailable: // there is no memory for the body at the moment
		return err
	case err != nil:
		return fault.Wrap(err, fault.InvalidArgument, "The content is not gzipped, or not complete.")
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != hash {
		return fault.E(fault.InvalidArgument, "The content hash of the upload is %s, not %s.", got, hash)
	}
	return nil
}

// collectLocked removes the contents that no version has, and counts the others; mu is held.
func (s *Site) collectLocked() error {
	used := make(map[string]bool)
	for id := range s.mu.versions {
		r, err := s.read(id)
		if err != nil { // what it uses is not known
			return err
		}
		for _, hash := range r.Files {
			used[hash] = true
		}
	}
	unused := make(map[string]int64)
	err := s.place.contents(func(hash string, size int64) {
		if !used[hash] {
			unused[hash] = size
		}
	})
	for hash, size := range unused {
		if removed := s.place.removeContent(hash); removed != nil {
			err = errors.Join(err, removed)
		} else {
			s.stored.Add(-size)
		}
	}
	return err
}
