package postgres

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// How a node follows. Lead reads the rows of the log after the last one that the replica has, applies them in order and
// passes each to the reader of the replica (Read): the engine of the node. It does so every followPause, and at once
// after Reach or Wake.
//
// A read of the latest state names the row that it needs (Reach), which the leader has named in a read index. The
// replica may have rows that the leader does not show yet; they are not applied while the leader is reachable (most),
// because a later read at the leader must not lack what a read here has returned.
//
// Held limits how old reads may be: without contact with PostgreSQL and the leader for the duration of a lease, another
// node may lead and have newer rules, so the replica refuses reads.

// following is the state of a node that follows the log, with the position of its replica.
type following struct {
	// wake, of capacity one, receives when the log may have more rows. It is never closed.
	wake chan struct{}
	mu   struct {
		sync.Mutex
		// applied is called for each row that was applied; nil without a reader of the replica.
		applied func(ops []store.Op)
		// seq is the last row that was applied and passed to applied. changed is closed when there is a later one.
		seq     int64
		changed chan struct{}
	}
	// confirmed is the last row that the leader is known to have made visible, or -1.
	confirmed, since atomic.Int64
	// contact is the start of the last exchange with PostgreSQL or the leader that brought the replica up to date, in
	// nanoseconds of Elapsed.
	contact atomic.Int64
}

// init initializes the fields that the zero value lacks.
func (f *following) init() {
	f.wake = make(chan struct{}, 1)
	f.confirmed.Store(-1)
	f.mu.changed = make(chan struct{})
}

// advance records that the replica has a row.
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

// Reach waits until the replica has a row of the log, and then records that this node was in contact with the leader,
// which has named the row, at the time began (Elapsed).
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

// Wake makes Lead read the log at once.
func (s *Store) Wake() {
	select {
	case s.following.wake <- struct{}{}:
	default:
	}
}

// Elapsed returns the monotonic time of this store, for Reach.
func (s *Store) Elapsed() time.Duration { return s.lead.elapsed() }

// raise sets a number to a value if the value is greater.
func raise(to *atomic.Int64, value int64) {
	for {
		last := to.Load()
		if last >= value || to.CompareAndSwap(last, value) {
			return
		}
	}
}

// most returns the last row that may be applied. A row is in PostgreSQL a moment before the leader makes it visible.
// While this node is in contact with the leader, the leader's readers must not lack a row that readers here see.
// Without contact for a lease, and for a node that takes the lease, all rows may be applied, because every later leader
// has them.
func (s *Store) most() int64 {
	confirmed := s.following.confirmed.Load()
	if confirmed < 0 || s.lead.epoch > 0 || s.lead.elapsed()-time.Duration(s.following.since.Load()) >= s.o.Lease {
		return math.MaxInt64
	}
	return max(confirmed, s.at.seq)
}

// Ahead reports whether the replica has rows that the leader is not known to have made visible.
func (s *Store) Ahead() bool {
	seq, _ := s.Progress()
	return seq > s.following.confirmed.Load()
}

// touch records a contact that began at a time.
func (s *Store) touch(began time.Duration) {
	raise(&s.following.contact, int64(began))
}

// caughtUp records that the replica has the whole log as of a time.
func (s *Store) caughtUp(began time.Duration) {
	s.touch(began)
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	if s.following.mu.seq != s.at.seq { // a replica that was just opened or built
		s.advanceLocked(s.at.seq)
	}
}

// pause waits for followPause, and follows the log whenever it is woken meanwhile.
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

// Replica is the store from which a node that does not lead reads: a read-only store.Store that follows the log while
// Lead waits.
type Replica struct{ s *Store }

// Read opens a reader of the replica. It calls open, and then the returned function for each row of the log that is
// applied afterwards, in order, until stop is called. No row is applied while open runs. After stop has returned there
// are no more calls. There may be one reader at a time.
func (s *Store) Read(open func(*Replica) (applied func(ops []store.Op), err error)) (stop func(), err error) {
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

// Held implements store.Leased: it returns nil if this node was in contact with PostgreSQL or the leader within a
// lease, so that its reads are not older.
func (r *Replica) Held() error {
	if r.s.lead.elapsed()-time.Duration(r.s.following.contact.Load()) < r.s.o.Lease {
		return nil
	}
	return fault.E(fault.Unavailable, "This node reaches neither the database nor the node that leads. Please try again.")
}

// Get implements store.Reader.
func (r *Replica) Get(key []byte) ([]byte, bool, error) {
	if err := r.Held(); err != nil {
		return nil, false, err
	}
	return r.s.local.Get(key)
}

// Scan implements store.Reader.
func (r *Replica) Scan(rng store.Range) store.Iterator {
	it := scan(r.s.local, rng)
	if err := r.Held(); err != nil {
		return refusing{it, err}
	}
	return it
}

// Snapshot implements store.Store.
func (r *Replica) Snapshot() store.Snapshot { return r.s.Snapshot() }

// Apply implements store.Store: it returns ErrMoved.
func (r *Replica) Apply(context.Context, *store.Batch) error {
	return moved("This node does not lead.")
}

// Close implements store.Store. The Store stays open.
func (r *Replica) Close() error { return nil }

// Has reports whether the replica has a key, also while this node does not lead. The replica may be behind.
func (s *Store) Has(key []byte) (bool, error) {
	s.following.mu.Lock() // the replica may be being rebuilt
	local := s.local
	s.following.mu.Unlock()
	_, found, err := local.Get(key)
	return found, err
}

// beingRead reports whether the replica has a reader.
func (s *Store) beingRead() bool {
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	return s.following.mu.applied != nil
}
