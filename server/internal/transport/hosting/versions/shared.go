package versions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/singleflight"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// The keys of a site in a store: its channels; the record of a version by its id; the number of bytes of a content by
// its hash, which is written after its parts; and the parts by the hash and their number in 4 bytes.
const (
	stateKey      = "site/state"
	versionPrefix = "site/version/"
	contentPrefix = "site/content/"
	partPrefix    = "site/part/"
)

// partSize is the number of bytes of a part of a content, which is a batch of the store.
const partSize = 1 << 20

// maxShared is the maximum number of bytes of all contents in a store that nodes share, each of which has all of it.
const maxShared = 1 << 30

// Shared is the store of nodes, in which the site of the node that leads is. Its folder has copies of contents that
// were requested.
type Shared struct {
	Store store.Reader
	// Apply applies a batch.
	Apply func(*store.Batch) error
}

// StateKey returns the key that a store has once a site was deployed to it.
func StateKey() []byte { return []byte(stateKey) }

// Deployed reports whether a site was deployed to the store.
func (s *Shared) Deployed() (bool, error) {
	_, found, err := s.Store.Get(StateKey())
	return found, err
}

// inStore is a place in a store that nodes share.
type inStore struct {
	Shared
	// folder is that of the copies, which is emptied at the start.
	folder  string
	copying singleflight.Group
}

// prefixed returns the range of the keys with a prefix.
func prefixed(prefix string) store.Range { return store.Prefix([]byte(prefix)) }

// partsOf returns the prefix of the keys of the parts of a content.
func partsOf(hash string) string { return partPrefix + hash + "/" }

// copyOf returns the path of the copy of a content.
func (p *inStore) copyOf(hash string) string { return filepath.Join(p.folder, "files", hash) }

// open implements place. It removes the parts of contents that were not written to their end.
func (p *inStore) open() (stored int64, err error) {
	if err := os.RemoveAll(p.folder); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Join(p.folder, "files"), folderMode); err != nil {
		return 0, err
	}
	if err := p.contents(func(_ string, n int64) { stored += n }); err != nil {
		return 0, err
	}
	b := store.Batch{Deletes: true}
	it := p.Store.Scan(prefixed(partPrefix))
	for more := it.Next(); more; {
		hash, _, _ := strings.Cut(strings.TrimPrefix(string(it.Key()), partPrefix), "/")
		all := prefixed(partsOf(hash))
		if _, has := p.size(hash); !has {
			b.DeleteRange(all.From, all.To)
		}
		more = it.Seek(all.To)
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil || b.Empty() {
		return stored, err
	}
	return stored, p.apply(&b)
}

// apply applies a batch, and returns an error for clients.
func (p *inStore) apply(b *store.Batch) error {
	err := p.Apply(b)
	if err == nil || fault.CodeOf(err) == fault.Unavailable {
		return err
	}
	if errors.Is(err, store.ErrFull) {
		return fault.Wrap(err, fault.ResourceExhausted, "The store has no space for the site.")
	}
	return fault.Wrap(err, fault.Unavailable, "The site cannot be written at the moment. Please try again.")
}

// set sets the value of a key.
func (p *inStore) set(key string, value []byte) error {
	var b store.Batch
	b.Set([]byte(key), value)
	return p.apply(&b)
}

// state implements place.
func (p *inStore) state() ([]byte, error) {
	text, _, err := p.Store.Get([]byte(stateKey))
	return text, err
}

// setState implements place.
func (p *inStore) setState(text []byte) error { return p.set(stateKey, text) }

// versions implements place.
func (p *inStore) versions() (ids []string, err error) {
	it := p.Store.Scan(prefixed(versionPrefix))
	for it.Next() {
		ids = append(ids, strings.TrimPrefix(string(it.Key()), versionPrefix))
	}
	return ids, errors.Join(it.Err(), it.Close())
}

// version implements place.
func (p *inStore) version(id string) ([]byte, error) {
	text, found, err := p.Store.Get([]byte(versionPrefix + id))
	if err == nil && !found {
		err = errNoVersion(id)
	}
	return text, err
}

// setVersion implements place.
func (p *inStore) setVersion(id string, text []byte) error { return p.set(versionPrefix+id, text) }

// removeVersion implements place.
func (p *inStore) removeVersion(id string) error {
	b := store.Batch{Deletes: true}
	b.Delete([]byte(versionPrefix + id))
	return p.apply(&b)
}

// size implements place. A content that can't be read is taken for absent: it is uploaded again.
func (p *inStore) size(hash string) (n int64, has bool) {
	value, found, err := p.Store.Get([]byte(contentPrefix + hash))
	if err != nil || !found || len(value) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(value)), true
}

// contents implements place.
func (p *inStore) contents(yield func(hash string, n int64)) error {
	it := p.Store.Scan(prefixed(contentPrefix))
	defer func() { _ = it.Close() }()
	for it.Next() {
		value, err := it.Value()
		if err != nil {
			return err
		}
		if len(value) == 8 {
			yield(strings.TrimPrefix(string(it.Key()), contentPrefix), int64(binary.BigEndian.Uint64(value)))
		}
	}
	return it.Err()
}

// keep implements place. The file becomes the copy of the content.
func (p *inStore) keep(hash, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return unwritable(err)
	}
	defer func() { _ = f.Close() }()
	var size int64
	for number := uint32(0); ; number++ {
		part := make([]byte, partSize)
		n, err := io.ReadFull(f, part)
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return unwritable(err)
		}
		size += int64(n)
		var b store.Batch
		if n > 0 {
			b.Set(binary.BigEndian.AppendUint32([]byte(partsOf(hash)), number), part[:n])
		}
		if ended {
			b.Set([]byte(contentPrefix+hash), binary.BigEndian.AppendUint64(nil, uint64(size)))
		}
		if err := p.apply(&b); err != nil {
			return err
		}
		if ended {
			break
		}
	}
	if os.Rename(file, p.copyOf(hash)) != nil {
		_ = os.Remove(file) // a request makes another copy
	}
	return nil
}

// sync implements place: keep has done it.
func (p *inStore) sync() error { return nil }

// removeContent implements place.
func (p *inStore) removeContent(hash string) error {
	b, all := store.Batch{Deletes: true}, prefixed(partsOf(hash))
	b.Delete([]byte(contentPrefix + hash))
	b.DeleteRange(all.From, all.To)
	if err := p.apply(&b); err != nil {
		return err
	}
	if err := os.Remove(p.copyOf(hash)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// path implements place. It makes a copy of a content that has none.
func (p *inStore) path(hash string) (string, error) {
	at := p.copyOf(hash)
	if _, err := os.Stat(at); err == nil {
		return at, nil
	}
	_, err, _ := p.copying.Do(hash, func() (any, error) { return nil, p.copy(hash, at) })
	return at, err
}

// copy makes the copy of a content. It is not synced, because it lasts as long as the process.
func (p *inStore) copy(hash, at string) (err error) {
	size, has := p.size(hash)
	if !has {
		return os.ErrNotExist
	}
	f, err := os.CreateTemp(p.folder, uploadPrefix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the next start removes it otherwise
		}
	}()
	written, err := p.writeParts(f, hash)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if written != size {
		return fault.E(fault.DataLoss, "a content of the site has %d bytes in the store, not %d", written, size)
	}
	return os.Rename(f.Name(), at)
}

// writeParts writes the parts of a content, and returns the number of bytes.
func (p *inStore) writeParts(to io.Writer, hash string) (written int64, err error) {
	it := p.Store.Scan(prefixed(partsOf(hash)))
	defer func() { _ = it.Close() }()
	for number := uint32(0); it.Next(); number++ {
		if !bytes.Equal(it.Key(), binary.BigEndian.AppendUint32([]byte(partsOf(hash)), number)) {
			return written, fmt.Errorf("the part %d of a content of the site is missing", number)
		}
		part, err := it.Value()
		if err != nil {
			return written, err
		}
		n, err := to.Write(part)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, it.Err()
}
