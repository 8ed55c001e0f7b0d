package pebble

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/internal/store"
)

// snapshot is a store.Snapshot on Pebble.
type snapshot struct {
	store *Store
	s     *pebble.Snapshot
}

// Get implements store.Reader.
func (s *snapshot) Get(key []byte) ([]byte, bool, error) { return get(s.s, key) }

// GetAll implements store.Snapshot. One iterator continues from key to key, where each Get would look up the tables
// anew.
func (s *snapshot) GetAll(keys [][]byte, found func(i int, value []byte) error) (err error) {
	it, err := s.s.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return readError("get", err)
	}
	defer func() {
		if e := it.Close(); e != nil && err == nil {
			err = readError("get", e)
		}
	}()
	absent, err := leadingAbsent(it, keys)
	if err != nil {
		return readError("get", err)
	}
	for i := absent; i < len(keys); i++ {
		if !it.SeekPrefixGE(keys[i]) { // The prefix is the whole key.
			if err := it.Error(); err != nil {
				return readError("get", err)
			}
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return readError("get", err)
		}
		if err := found(i, append(make([]byte, 0, len(value)), value...)); err != nil {
			return err
		}
	}
	return nil
}

// The limits of leadingAbsent.
const (
	// window is the number of keys that one seek finds absent.
	window = 16
	// maxTail is the number of bytes at the end of a key in which the first and the last key of a window may differ.
	maxTail = 8
	// maxDeadAbsent is the number of dead entries after which no further window is looked up.
	maxDeadAbsent = 64
)

// leadingAbsent returns a number of leading keys that are all absent. Documents are often created with ids in order, so
// that nothing is stored between them: one seek then finds a window of keys absent, for each of which the filters of
// all tables would be read. It returns 0 for few keys, and for keys that are not in order or far from each other, such
// as those of random ids, because such a seek reads a block of each table.
func leadingAbsent(it *pebble.Iterator, keys [][]byte) (n int, err error) {
	if len(keys) < window || !slices.IsSortedFunc(keys, bytes.Compare) {
		return 0, nil
	}
	for n < len(keys) && deadPassed(it) <= maxDeadAbsent {
		next := min(n+window, len(keys))
		if !bytes.HasPrefix(keys[next-1], keys[n][:max(0, len(keys[n])-maxTail)]) {
			break
		}
		limit := append(bytes.Clone(keys[next-1]), 0)
		// The limit is not strict.
		if it.SeekGEWithLimit(keys[n], limit) == pebble.IterValid && bytes.Compare(it.Key(), limit) < 0 {
			break
		}
		if err := it.Error(); err != nil {
			return n, err
		}
		n = next
	}
	return n, nil
}

// Scan implements store.Reader.
func (s *snapshot) Scan(r store.Range) store.Iterator { return s.store.scan(s.s, r) }

// Close implements store.Snapshot.
func (s *snapshot) Close() error { return s.s.Close() }

// closedSnapshot is the snapshot of a closed store.
type closedSnapshot struct{}

// Get implements store.Reader.
func (closedSnapshot) Get([]byte) ([]byte, bool, error) { return nil, false, store.ErrClosed }

// GetAll implements store.Snapshot.
func (closedSnapshot) GetAll([][]byte, func(int, []byte) error) error { return store.ErrClosed }

// Scan implements store.Reader.
func (closedSnapshot) Scan(store.Range) store.Iterator {
	return &iterator{err: store.ErrClosed}
}

// Close implements store.Snapshot.
func (closedSnapshot) Close() error { return nil }

// scan opens an iterator over a database or a snapshot.
func (s *Store) scan(r pebble.Reader, rng store.Range) store.Iterator {
	i := &iterator{store: s, of: r, reverse: rng.Reverse}
	if len(rng.From) > 0 {
		i.bounds.LowerBound = rng.From
	}
	if len(rng.To) > 0 {
		i.bounds.UpperBound = rng.To
	}
	i.err = i.open()
	return i
}

// iterator is a store.Iterator on Pebble's.
type iterator struct {
	store *Store
	// of is the database or snapshot that is read.
	of      pebble.Reader
	bounds  pebble.IterOptions
	reverse bool
	// it is nil when opening failed, and while it is released.
	it     *pebble.Iterator
	placed bool
	err    error
	// park is the part that another goroutine may use while the iterator is parked.
	park parking
}

// open opens Pebble's iterator.
func (i *iterator) open() (err error) {
	if i.it, err = i.of.NewIter(&i.bounds); err != nil {
		return readError("scan", err)
	}
	return nil
}

// Next implements store.Iterator.
func (i *iterator) Next() bool {
	switch {
	case !i.resume():
		return false
	case !i.placed && i.reverse:
		i.placed = true
		return i.it.Last()
	case !i.placed:
		i.placed = true
		return i.it.First()
	case i.reverse:
		return i.it.Prev()
	}
	return i.it.Next()
}

// Seek implements store.Iterator.
func (i *iterator) Seek(key []byte) bool {
	if !i.resume() {
		return false
	}
	i.placed = true
	if !i.reverse && len(key) == 0 {
		return i.it.First()
	}
	return i.seek(key)
}

// seek moves to a key or the next one in the iterator's direction.
func (i *iterator) seek(key []byte) bool {
	if !i.reverse {
		return i.it.SeekGE(key)
	}
	after := make([]byte, len(key)+1)
	copy(after, key)
	return i.it.SeekLT(after)
}

// Key implements store.Iterator.
func (i *iterator) Key() []byte { return i.it.Key() }

// Value implements store.Iterator.
func (i *iterator) Value() ([]byte, error) {
	value, err := i.it.ValueAndErr()
	if err != nil {
		return nil, readError("scan", err)
	}
	return value, nil
}

// Err implements store.Iterator.
func (i *iterator) Err() error {
	i.claim()
	if i.err != nil || i.it == nil {
		return i.err
	}
	if err := i.it.Error(); err != nil {
		return readError("scan", err)
	}
	return nil
}

// Close implements store.Iterator.
func (i *iterator) Close() error {
	i.claim()
	if i.store != nil {
		i.store.parked.leave(i)
	}
	it := i.it
	if i.it = nil; i.err == nil {
		i.err = store.ErrClosed
	}
	if it == nil {
		return nil
	}
	if deadPassed(it) > maxDead {
		i.store.tidy()
	}
	if err := it.Close(); err != nil {
		return readError("scan", err)
	}
	return nil
}
