package pgstore

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/clock"
	"clave/server/fault"
	"clave/server/storage"
)

// following is what a node that does not lead does with the log, and how far its replica is.
type following struct {
	// wake has room for one signal, that the log may have more; it is never closed.
	wake chan struct{}
	mu   struct {
		sync.Mutex
		// applied is called for each row that was applied; nil where nobody reads the replica.
		applied func(ops []storage.Op)
		// seq is the last row that was applied and given to applied, and changed is closed when there is a later one.
		seq     int64
		changed chan struct{}
	}
	// confirmed is the last row that the leader is known to have shown, -1 before any, and since when, in nanoseconds of Elapsed.
	confirmed, since atomic.Int64
	// contact is when the last exchange with PostgreSQL or the leader began that brought the replica up to date, in nanoseconds of Elapsed.
	contact atomic.Int64
}

// init makes what the zero value lacks.
func (f *following) init() {
	f.wake = make(chan struct{}, 1)
	f.confirmed.Store(-1)
	f.mu.changed = make(chan struct{})
}

// advance notes that the replica has a row.
func (s *Store) advance(seq int64) {
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	s.advanceLocked(seq)
}

// advanceLocked is advance; following.mu is held.
func (s *Store) advanceLocked(seq int64) {
	f := &s.following.mu
	s.lead.seq.Store(seq)
	f.seq = seq
	close(f.changed)
	f.changed = make(chan struct{})
}

// Progress returns the last row of the log that this node has, and a channel that is closed when it has a later one.
func (s *Store) Progress() (seq int64, changed <-chan struct{}) {
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	return s.following.mu.seq, s.following.mu.changed
}

// Reach waits until the replica has a row of the log, and then notes that this node was in contact with the leader, which has named the
// row, at the moment began (Elapsed).
func (s *Store) Reach(ctx context.Context, seq int64, began time.Duration) error {
	raise(&s.following.confirmed, seq)
	raise(&s.following.since, int64(began))
	for {
		have, changed := s.Progress()
		if have >= seq {
			s.touch(began)
			return nil
		}
		s.Wake()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Wake has Lead read the log at once.
func (s *Store) Wake() {
	select {
	case s.following.wake <- struct{}{}:
	default:
	}
}

// Elapsed returns the monotonic time of this store, for Reach.
func (s *Store) Elapsed() time.Duration { return s.lead.elapsed() }

// raise raises a number that never goes down.
func raise(to *atomic.Int64, value int64) {
	for {
		last := to.Load()
		if last >= value || to.CompareAndSwap(last, value) {
			return
		}
	}
}

// most returns the last row that may be applied. A row is in PostgreSQL a moment before the leader shows it. While the leader is in contact,
// its readers must not miss what readers here see. Without contact for a lease, and for a node that takes the lease, all rows count: each is
// shown by every leader to come.
func (s *Store) most() int64 {
	confirmed := s.following.confirmed.Load()
	if confirmed < 0 || s.lead.epoch > 0 || s.lead.elapsed()-time.Duration(s.following.since.Load()) >= s.o.Lease {
		return math.MaxInt64
	}
	return max(confirmed, s.at.seq)
}

// Ahead reports whether the replica has rows that the leader is not known to have shown.
func (s *Store) Ahead() bool {
	seq, _ := s.Progress()
	return seq > s.following.confirmed.Load()
}

// touch notes a contact that began at a moment.
func (s *Store) touch(began time.Duration) {
	raise(&s.following.contact, int64(began))
}

// caughtUp notes that the replica has all of the log that there was at a moment.
func (s *Store) caughtUp(began time.Duration) {
	s.touch(began)
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	if s.following.mu.seq != s.at.seq { // a replica that was just opened or built
		s.advanceLocked(s.at.seq)
	}
}

// pause waits for followPause, and follows the log meanwhile each time that it is woken.
func (s *Store) pause(ctx context.Context) error {
	late, stop := clock.System().After(followPause)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return nil
		case <-s.following.wake:
			if err := s.follow(ctx); err != nil {
				return err
			}
		}
	}
}

// Replica is what a node that does not lead reads: a storage.Store that follows the log while Lead waits, and takes no writes.
type Replica struct{ s *Store }

// Read opens a reader of the replica by open, and has what it returns called for each row of the log that is applied afterwards, in
// order, until stop is called. None is applied while open runs. After stop has returned there are no more calls. There may be one reader
// at a time.
func (s *Store) Read(open func(*Replica) (applied func(ops []storage.Op), err error)) (stop func(), err error) {
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	applied, err := open(&Replica{s})
	if err != nil {
		return nil, err
	}
	s.following.mu.applied = applied
	return func() {
		s.following.mu.Lock()
		defer s.following.mu.Unlock()
		s.following.mu.applied = nil
	}, nil
}

// Held implements storage.Leased: it returns nil while this node has been in contact with PostgreSQL or the leader for a lease, so that what
// it reads is not older.
func (r *Replica) Held() error {
	if r.s.lead.elapsed()-time.Duration(r.s.following.contact.Load()) < r.s.o.Lease {
		return nil
	}
	return fault.E(fault.Unavailable, "This node reaches neither the database nor the node that leads. Please try again.")
}

// Get implements storage.Reader.
func (r *Replica) Get(key []byte) ([]byte, bool, error) {
	if err := r.Held(); err != nil {
		return nil, false, err
	}
	return r.s.local.Get(key)
}

// Scan implements storage.Reader.
func (r *Replica) Scan(rng storage.Range) storage.Iterator {
	it := scan(r.s.local, rng)
	if err := r.Held(); err != nil {
		return refusing{it, err}
	}
	return it
}

// Snapshot implements storage.Store.
func (r *Replica) Snapshot() storage.Snapshot { return r.s.Snapshot() }

// Apply implements storage.Store: it answers ErrMoved.
func (r *Replica) Apply(context.Context, *storage.Batch) error {
	return moved("This node does not lead.")
}

// Close implements storage.Store. The Store stays open.
func (r *Replica) Close() error { return nil }

// beingRead reports whether the replica has a reader.
func (s *Store) beingRead() bool {
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	return s.following.mu.applied != nil
}
