package pebble

import (
	"bytes"
	"maps"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// How slow readers release memtables. A Pebble iterator holds all tables that existed when it was opened, including
// those in memory of up to 16 MiB each, until it is closed. A query whose client reads slowly has its iterators open
// for minutes. So they are parked while the client receives a result (store.Iterator). When a flush begins and when
// it ends, the Pebble iterators of all parked ones are closed, so that the written table can be reused. A released
// iterator is opened again, at its key, when it is moved.

// parking is the part of an iterator that the goroutine that releases iterators uses, too.
type parking struct {
	sync.Mutex
	// known is set once the iterator is in the store's set. Only the iterator's own goroutine accesses it.
	known bool
	// parked is set while the iterator may be released.
	parked bool
	// released is the key at which Pebble's iterator was closed, or nil.
	released []byte
}

// parkedSet holds the iterators that have ever been parked, until they are closed.
type parkedSet struct {
	mu  sync.Mutex
	all map[*iterator]struct{}
}

// Park implements store.Iterator. An iterator over the database itself is not parked: opened again it would read a
// later state.
func (i *iterator) Park() {
	if _, lasting := i.of.(*pebble.Snapshot); !lasting {
		return
	}
	if !i.park.known {
		i.store.parked.join(i)
	}
	i.park.Lock()
	defer i.park.Unlock()
	i.park.parked = i.err == nil && i.it != nil && i.it.Valid()
}

// claim ends the parking, so that only the iterator's own goroutine uses it.
func (i *iterator) claim() {
	if i.park.known {
		i.park.Lock()
		i.park.parked = false
		i.park.Unlock()
	}
}

// resume makes the iterator usable, at the key where it was, and reports whether it is. An error is stored in err.
func (i *iterator) resume() bool {
	i.claim()
	if key := i.park.released; key != nil && i.err == nil {
		i.park.released = nil
		if i.err = i.open(); i.err == nil {
			i.seek(key)
		}
	}
	return i.err == nil
}

// release closes Pebble's iterator if the iterator is parked.
func (i *iterator) release() {
	i.park.Lock()
	defer i.park.Unlock()
	if !i.park.parked || i.it == nil {
		return
	}
	i.park.released = bytes.Clone(i.it.Key())
	if err := i.it.Close(); err != nil {
		i.err = readError("scan", err)
	}
	i.it = nil
}

// join adds an iterator.
func (p *parkedSet) join(i *iterator) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = make(map[*iterator]struct{})
	}
	p.all[i] = struct{}{}
	i.park.known = true
}

// leave removes an iterator, if it has been parked.
func (p *parkedSet) leave(i *iterator) {
	if !i.park.known {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, i)
}

// releaseParked closes the Pebble iterators of all parked iterators.
func (s *Store) releaseParked() {
	if !s.begin() {
		return
	}
	defer s.mu.RUnlock()
	s.parked.mu.Lock()
	all := slices.Collect(maps.Keys(s.parked.all))
	s.parked.mu.Unlock()
	for _, i := range all {
		i.release()
	}
}
