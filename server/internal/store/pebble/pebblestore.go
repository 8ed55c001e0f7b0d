// Package pebble is the embedded storage engine: Pebble on a directory, or in memory for tests and for
// `--memory`.
//
// Apply writes one Pebble batch and waits for its sync; concurrent calls share one flush of the log by Pebble's
// own commit pipeline. A store in memory runs the same code.
package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// Options configure a store. The zero value is valid.
type Options struct {
	// CacheBytes bounds the memory for cached blocks and memtables together; zero means 192 MiB.
	CacheBytes int64
	// MemTableBytes is the size at which a memtable is flushed; zero means 64 MiB, or less on a small disk. A memtable
	// grows as it fills, and two may exist at once. The size bounds the log that is replayed when the store is opened
	// after a crash.
	MemTableBytes uint64
	// Scanned reports whether a key is only read by Scan, never by Get and GetAll, which are slow for such keys; nil means
	// none. It must always be the same function of the key.
	Scanned func(key []byte) bool
	// Region returns the length of the prefix of a key that names its region. Tables are divided at the borders of regions
	// in which much is written (regions.go); nil means that there is only one region. It must always be the same function
	// of the key, and at most 256 for memory's sake.
	Region func(key []byte) int
	// Derived is set for data that are durable elsewhere and obtained again from there: the end of the newest log may be
	// missing.
	Derived bool
	// Recorder receives the batches; nil for none.
	Recorder Recorder
	// FS is the file system; nil means the machine's.
	FS vfs.FS
	// Log receives errors of background work; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.CacheBytes == 0 {
		o.CacheBytes = 192 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 64 << 20
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Store is a store.Store on Pebble.
type Store struct {
	db *pebble.DB
	// mu is held for reading by every call (begin), so that Close waits for them.
	mu sync.RWMutex
	// failed is Pebble's fatal error, after which nothing is written.
	failed atomic.Pointer[fatal]
	// tidying is set while a memtable is flushed early.
	tidying atomic.Bool
	// unflushed is the number of bytes that were written since the last flush of tidy's.
	unflushed atomic.Int64
	// parked are the iterators that may be released.
	parked   parkedSet
	regions  regions
	recorder Recorder
	// closing is closed by Close, once.
	closing chan struct{}
	once    sync.Once
	log     *slog.Logger
	space   *space
	// tables are the options for reading tables without the database.
	tables sstable.ReaderOptions
	damage *damage
	lock   *pebble.Lock
}

// OpenMemory opens an empty store in memory, which is lost on Close.
func OpenMemory() (*Store, error) { return OpenMemoryWith(Options{}) }

// OpenMemoryWith opens an empty store in memory, with options; their file system is not used.
func OpenMemoryWith(o Options) (*Store, error) {
	o.FS = vfs.NewMem()
	return Open("", o)
}

// Err returns an error for damaged files, a full disk or a failure of the storage, and otherwise nil.
func (s *Store) Err() error {
	if failed := s.failed.Load(); failed != nil {
		return fault.Wrap(failed.cause, fault.Unavailable, "the storage has failed; the server must be started again")
	}
	if err := s.damage.Err(); err != nil {
		return err
	}
	if s.space.full.Load() {
		return fullError()
	}
	return nil
}

// Full implements store.Waiter.
func (s *Store) Full() error {
	if s.space.waiting.Load() > 0 {
		return fullError()
	}
	return nil
}

// begin begins a call: it locks the mutex for reading, and the caller unlocks it. It returns false once Close was
// called. It never waits: only Close locks the mutex for writing, and while writes are stalled the mutex may never be
// free again.
func (s *Store) begin() bool {
	if !s.mu.TryRLock() {
		return false
	}
	if s.isClosing() {
		s.mu.RUnlock()
		return false
	}
	return true
}

// isClosing reports whether Close was called.
func (s *Store) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// Get implements store.Reader.
func (s *Store) Get(key []byte) ([]byte, bool, error) {
	if !s.begin() {
		return nil, false, store.ErrClosed
	}
	defer s.mu.RUnlock()
	return get(s.db, key)
}

// Scan implements store.Reader.
func (s *Store) Scan(r store.Range) store.Iterator {
	if !s.begin() {
		return &iterator{err: store.ErrClosed}
	}
	defer s.mu.RUnlock()
	return s.scan(s.db, r)
}

// Snapshot implements store.Store.
func (s *Store) Snapshot() store.Snapshot {
	if !s.begin() {
		return closedSnapshot{}
	}
	defer s.mu.RUnlock()
	return &snapshot{store: s, s: s.db.NewSnapshot()}
}

// Apply implements store.Store.
func (s *Store) Apply(ctx context.Context, b *store.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.begin() {
		return store.ErrClosed
	}
	defer s.mu.RUnlock()
	if err := s.admitLocked(b); err != nil {
		return err
	}
	return s.write(b, pebble.Sync)
}

// admitLocked returns an error if a batch can't be applied. The mutex is held for reading.
func (s *Store) admitLocked(b *store.Batch) error {
	if failed := s.failed.Load(); failed != nil {
		return fmt.Errorf("pebble has failed before: %w", failed.cause)
	}
	return s.space.admit(b.Deletes)
}

// write writes a batch; the mutex is held for reading.
func (s *Store) write(b *store.Batch, o *pebble.WriteOptions) error {
	size := 0
	for _, op := range b.Ops {
		size += opSize(op)
	}
	s.unflushed.Add(int64(size))
	s.regions.note(b.Ops, size)
	batch := s.db.NewBatchWithSize(size + 32)
	defer func() { _ = batch.Close() }()
	for _, op := range b.Ops {
		if err := add(batch, op); err != nil {
			return fmt.Errorf("pebble batch: %w", err)
		}
	}
	if s.recorder == nil || len(b.Ops) == 0 {
		return s.commit(batch, o)
	}
	at := s.recorder.Now()
	if err := batch.LogData(appendStamp(nil, at), nil); err != nil {
		return fmt.Errorf("pebble batch: %w", err)
	}
	// Pebble writes the number of the batch to its header, and removes the content of a large batch afterwards.
	header := batch.Repr()[:batchrepr.HeaderLen]
	if err := s.commit(batch, o); err != nil {
		return err
	}
	s.recorder.Record(uint64(batchrepr.ReadSeqNum(header)), at, b.Ops)
	return nil
}

// commit commits a batch.
func (s *Store) commit(batch *pebble.Batch, o *pebble.WriteOptions) error {
	if err := s.survive(func() error { return batch.Commit(o) }); err != nil {
		return fmt.Errorf("pebble commit: %w", err)
	}
	return nil
}

// survive calls a function that may write Pebble's log. Pebble ends the program if its log can't be written; survive
// converts that to an error of this call and all later ones. Reads continue to work.
func (s *Store) survive(call func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
			if failed := s.failed.Load(); err == nil && failed != nil {
				err = failed.cause // A log may have failed while it was called (logfile.go).
			}
		case fatal:
			s.failed.CompareAndSwap(nil, &p)
			err = p.cause
		default:
			panic(p)
		}
	}()
	return call()
}

// add adds one change to a Pebble batch.
func add(batch *pebble.Batch, op store.Op) error {
	switch op.Kind {
	case store.Set:
		return batch.Set(op.Key, op.Value, nil)
	case store.Delete:
		return batch.Delete(op.Key, nil)
	case store.DeleteRange:
		return batch.DeleteRange(op.Key, op.Value, nil)
	}
	return fmt.Errorf("unknown kind %d", op.Kind)
}

// Close implements store.Store. A second call does nothing, waits for the first one and returns nil. The memtable is
// flushed, so that the next Open replays nothing. On a full disk it stays in the log.
func (s *Store) Close() (err error) {
	s.once.Do(func() { err = s.close() })
	return err
}

// close is the first call of Close.
func (s *Store) close() error {
	close(s.closing) // ends writes that wait for space
	if !s.drain() || s.space.isStuck() {
		return errors.Join(noRoomToClose(s.space.dir), s.unlock())
	}
	if failed := s.failed.Load(); failed != nil {
		return errors.Join(fmt.Errorf("pebble has failed before: %w", failed.cause), s.closeDB())
	}
	if err := s.flushLast(); err != nil {
		return fmt.Errorf("close pebble: %w", errors.Join(err, s.closeDB()))
	}
	if err := s.survive(s.closeDB); err != nil {
		return fmt.Errorf("close pebble: %w", err)
	}
	return nil
}

// drain waits for the calls in progress. It returns false if some of them can't end: Pebble stalls writers while the
// maximum number of memtables waits to be flushed, and on a full disk they are never flushed.
func (s *Store) drain() bool {
	drained := make(chan struct{})
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(drained)
	}()
	select {
	case <-drained:
		return true
	case <-s.space.stuck:
		return false
	}
}

// flushLast flushes the memtable before Close, or returns if a write of Pebble's finds the disk full. It starts the
// flush in a goroutine of its own, because Pebble may stall it: it stalls while the maximum number of memtables waits
// to be flushed, and on a full disk they are never flushed.
func (s *Store) flushLast() error {
	done := make(chan error, 1)
	go func() {
		flushed, err := s.db.AsyncFlush()
		if err == nil {
			<-flushed
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-s.space.stuck:
		return nil
	}
}

// closeDB closes Pebble. If one of Pebble's own writes waits for space on the disk, the database can't be closed and
// stays open until the process ends. Everything acknowledged is in the log.
func (s *Store) closeDB() error {
	if s.space.isStuck() {
		return errors.Join(noRoomToClose(s.space.dir), s.unlock())
	}
	closed := make(chan error, 1)
	go func() { closed <- s.db.Close() }()
	select {
	case err := <-closed:
		return errors.Join(err, s.space.synced.close(), s.lock.Close())
	case <-s.space.stuck: // Pebble releases its own reference to the lock, if Close returns at all.
		return errors.Join(noRoomToClose(s.space.dir), s.space.synced.close(), s.lock.Close())
	}
}

// get reads one key of a database or of a snapshot. It returns a copy of the value, and whether there is one.
func get(r pebble.Reader, key []byte) ([]byte, bool, error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, readError("get", err)
	}
	value := append(make([]byte, 0, len(v)), v...)
	return value, true, closeQuietly(closer)
}

// closeQuietly releases a value that Get returned.
func closeQuietly(c io.Closer) error { return c.Close() }
