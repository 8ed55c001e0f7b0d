package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres/readlease"
)

// Store is a store.Store that nodes share. It reads from its replica, and writes once Lead has returned.
type Store struct {
	o       Options
	pool    *pgxpool.Pool
	writes  *writes
	codec   *codec
	cluster string
	// local is the replica, and at its position. Before Lead has returned, only Lead's caller accesses both, except that
	// following.mu is held while local changes. Afterwards local does not change, and only the writer accesses at, which
	// it publishes in lead.
	local *pebble.Store
	at    position
	lead  leadership
	// passed receives the rows that this node writes; nil for none. It is set before the first one.
	passed Rows
	// following is the state of following the log while this node does not lead.
	following following
	// ending is the context for the work of Close.
	ending context.Context
	mu     struct {
		sync.Mutex
		closed  bool
		writing bool
		queue   []*call
	}
	idle sync.Cond // signalled when nothing is being written; its lock is mu
}

// position is a row of the log.
type position struct {
	seq int64
	id  []byte
}

// replaceNew inserts a new id and a new secret into a statement of a migration.
func replaceNew(statement string) string {
	return strings.NewReplacer("$cluster", hexID(), "$secret", hexID()+hexID()).Replace(statement)
}

// Open connects to PostgreSQL, creates the tables if there are none, and applies the log to the replica. It takes no
// lease: until Lead has returned, Apply returns ErrMoved.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s, err := connected(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connected returns a store that is connected to PostgreSQL and has no replica.
func connected(ctx context.Context, o Options) (*Store, error) {
	pool, err := connect(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	writes, err := newWrites(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s := &Store{o: o, pool: pool, writes: writes, ending: context.WithoutCancel(ctx)}
	if err := s.lead.init(); err != nil {
		pool.Close()
		writes.Close()
		return nil, err
	}
	s.following.init()
	s.idle.L = &s.mu
	return s, nil
}

// open is the part of Open that uses the connections.
func (s *Store) open(ctx context.Context) error {
	if err := migrate(ctx, s.pool); err != nil {
		return s.failed("make the tables", err)
	}
	if err := permitted(ctx, s.pool); err != nil {
		return s.failed("read the rights", err)
	}
	if err := unfilled(ctx, s.pool); err != nil {
		return s.failed("read the lease", err)
	}
	if err := s.pool.QueryRow(ctx, "select cluster from clave_lease where id = 1").Scan(&s.cluster); err != nil {
		return s.failed("read the lease", err)
	}
	var err error
	if s.codec, err = newCodec(); err != nil {
		return err
	}
	return s.openReplica(ctx)
}

// failed returns an error of PostgreSQL with the failed action, and with what to change if that is known. It never
// contains the URL.
func (s *Store) failed(doing string, err error) error {
	var named *fault.Error
	if errors.As(err, &named) || errors.Is(err, context.Canceled) {
		return err
	}
	config := s.pool.Config().ConnConfig
	text := reachError(err, config.Password)
	err = quoted{err, text}
	switch {
	case isCode(err, insufficientPrivilege):
		return fault.Wrap(err, fault.FailedPrecondition, "--store: PostgreSQL: cannot %s: %s. "+textRights, doing, text, config.User)
	case isCode(err, readOnly) || errors.Is(err, pgconn.ErrReadOnlyConnection):
		return fault.Wrap(err, fault.Unavailable, "PostgreSQL: cannot %s: %s. "+textReadOnly, doing, text)
	}
	return fault.Wrap(err, fault.Unavailable, "PostgreSQL: cannot %s: %s", doing, text)
}

// quoted is an error whose text is the part of it that a message quotes, so that logs contain it once.
type quoted struct {
	error
	text string
}

// Error implements error.
func (q quoted) Error() string { return q.text }

// Unwrap returns the whole error.
func (q quoted) Unwrap() error { return q.error }

// Leases returns the leases by which other nodes read while this one leads.
func (s *Store) Leases() *readlease.Grants { return s.lead.leases }

// Held implements store.Leased.
func (s *Store) Held() error { return s.lead.held() }

// Get implements store.Reader. The returned value was the latest one.
func (s *Store) Get(key []byte) ([]byte, bool, error) {
	if s.local == nil {
		return nil, false, store.ErrClosed
	}
	v, found, err := s.local.Get(key)
	if err == nil {
		err = s.lead.held()
	}
	if err != nil {
		return nil, false, err
	}
	return v, found, nil
}

// Scan implements store.Reader.
func (s *Store) Scan(r store.Range) store.Iterator {
	it := scan(s.local, r)
	if err := s.lead.held(); err != nil && !errors.Is(it.Err(), store.ErrClosed) {
		return refusing{it, err}
	}
	return it
}

// refusing is an empty iterator with an error.
type refusing struct {
	store.Iterator
	err error
}

// Next implements store.Iterator.
func (refusing) Next() bool { return false }

// Seek implements store.Iterator.
func (refusing) Seek([]byte) bool { return false }

// Err implements store.Iterator.
func (r refusing) Err() error { return r.err }

// Snapshot implements store.Store.
func (s *Store) Snapshot() store.Snapshot { return snapshot{s.local.Snapshot()} }

// Full implements store.Waiter: it returns the error that has ended the leadership, ErrFull, or nil.
func (s *Store) Full() error {
	if err := s.lead.ended(); err != nil {
		return err
	}
	return s.yield(s.local.Full())
}

// yield returns an error of the replica. If the disk is full and another node with space could lead, this node stops
// leading and yield returns an ErrMoved.
func (s *Store) yield(err error) error {
	if !errors.Is(err, store.ErrFull) || !s.lead.relieved.Load() {
		return err
	}
	s.o.Log.Warn("the disk of this node is full; another node takes over", "error", err)
	err = moved("The disk of this node is full; another one takes over.")
	s.lead.lose(err)
	return err
}

// Err returns an error if the store has a problem, or nil.
func (s *Store) Err() error { return errors.Join(s.lead.held(), s.local.Err()) }

// Rest lets the replica rest after a burst of writes. It may be called at any time.
func (s *Store) Rest(ctx context.Context) {
	s.following.mu.Lock()
	local := s.local
	s.following.mu.Unlock()
	if local != nil { // otherwise its folder could not be opened
		local.Rest(ctx)
	}
}

// Checkpoint creates in dir, which must not exist, a store for pebble.Open with everything applied so far.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	return s.local.Checkpoint(ctx, dir)
}

// Close releases the lease, so that another node may lead at once, and the store. A second call is not an error.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return nil
	}
	s.mu.closed = true
	for s.mu.writing {
		s.idle.Wait()
	}
	s.mu.Unlock()
	s.lead.leases.Close() // the next leader grants its own
	s.lead.stop()
	s.release(s.ending)
	s.pool.Close()
	s.writes.Close()
	var err error
	if s.local != nil {
		err = s.local.Close()
	}
	if s.codec != nil {
		s.codec.close()
	}
	return err
}

// The replica stores its position under a key after all others, which readers don't see.
var positionKey = []byte(strings.Repeat("\xff", 16) + "position")

// visible is the end of the keys that readers see.
var visible = positionKey[:16]

// scan returns an iterator over the visible keys of a range.
func scan(r store.Reader, rng store.Range) store.Iterator {
	if len(rng.To) == 0 || string(rng.To) > string(visible) {
		rng.To = visible
	}
	return r.Scan(rng)
}

// snapshot is a store.Snapshot without the position.
type snapshot struct{ store.Snapshot }

// Scan implements store.Reader.
func (s snapshot) Scan(r store.Range) store.Iterator { return scan(s.Snapshot, r) }

// IsPosition reports whether a key of a replica, or of a copy of one, is not data but the position.
func IsPosition(key []byte) bool { return string(key) >= string(visible) }

// DropPosition adds the removal of the position to a batch for a copy of a replica. Afterwards the copy is an ordinary
// store.
func DropPosition(b *store.Batch) { b.Delete(positionKey) }

// hexOf returns an id for a message.
func hexOf(id []byte) string { return hex.EncodeToString(id) }
