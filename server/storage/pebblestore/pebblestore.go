// Package pebblestore is the embedded storage engine: Pebble on a directory, or on memory for tests and for
// servers that keep nothing.
//
// Apply writes one Pebble batch and waits for its sync; concurrent calls share one flush of the log by Pebble's
// own commit pipeline. A store over memory has the same code and no disk.
package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/fault"
	"clave/server/storage"
)

// Options tune a store. The zero value is good.
type Options struct {
	// CacheBytes bounds the memory that holds blocks of the data and the tables in memory, whose room is taken from that of the
	// blocks; 192 MiB when zero.
	CacheBytes int64
	// MemTableBytes is the size of a table in memory before it is written out; 64 MiB when zero. It grows as it fills, and two
	// of them may be there at once. It bounds what has to be read again when the store is opened after a crash.
	MemTableBytes uint64
	// FS is the file system; the machine's when nil.
	FS vfs.FS
	// Log hears of what goes wrong in the background; nothing is logged when nil.
	Log *slog.Logger
}

// EnsureDefaults fills what was left zero.
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

// Store is a storage.Store on Pebble.
type Store struct {
	db *pebble.DB
	mu struct {
		// RWMutex is held for reading by every call, so that Close waits for them.
		sync.RWMutex
		closed bool
	}
	// failed is what Pebble could not go on for; after it nothing is written any more.
	failed atomic.Pointer[fatal]
	// tidying is set while the table in memory is written out before its time.
	tidying atomic.Bool
	// closing is closed by Close.
	closing chan struct{}
	log     *slog.Logger
}

// Open opens the store in a directory, which is made when absent. A directory that another process holds answers
// FailedPrecondition.
func Open(dir string, o Options) (*Store, error) {
	o.EnsureDefaults()
	cache := pebble.NewCache(o.CacheBytes)
	defer cache.Unref()
	opts := &pebble.Options{
		Cache:                 cache,
		FS:                    o.FS,
		FormatMajorVersion:    pebble.FormatNewest,
		MemTableSize:          o.MemTableBytes,
		L0CompactionThreshold: 4,
		L0StopWritesThreshold: 1000,
		LBaseMaxBytes:         256 << 20,
		BytesPerSync:          1 << 20,
		// Half of the processors are for those who wait.
		CompactionConcurrencyRange: func() (int, int) { return 1, max(1, runtime.GOMAXPROCS(0)/2) },
		Logger:                     logger{o.Log},
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	// What is written out first is soon read and written again.
	opts.Levels[0].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	opts.Levels[1].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, openError(dir, err)
	}
	return &Store{db: db, closing: make(chan struct{}), log: o.Log}, nil
}

// OpenMemory opens an empty store that lives in memory and is lost on Close.
func OpenMemory() (*Store, error) { return OpenMemoryWith(Options{}) }

// OpenMemoryWith opens an empty store that lives in memory, with options; their file system is not used.
func OpenMemoryWith(o Options) (*Store, error) {
	o.FS = vfs.NewMem()
	return Open("", o)
}

// openError names the errors of opening that the person at the keyboard can mend.
func openError(dir string, err error) error {
	if isLocked(err) {
		return fault.Because(err, fault.FailedPrecondition,
			"data folder %s is in use by another process; stop it, or choose another with --data", dir)
	}
	return fmt.Errorf("open data folder %s: %w", dir, err)
}

// Get implements storage.Reader.
func (s *Store) Get(key []byte) ([]byte, bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mu.closed {
		return nil, false, storage.ErrClosed
	}
	return get(s.db, key)
}

// Scan implements storage.Reader.
func (s *Store) Scan(r storage.Range) storage.Iterator {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mu.closed {
		return &iterator{err: storage.ErrClosed}
	}
	return s.scan(s.db, r)
}

// Snapshot implements storage.Store.
func (s *Store) Snapshot() storage.Snapshot {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mu.closed {
		return closedSnapshot{}
	}
	return &snapshot{store: s, s: s.db.NewSnapshot()}
}

// Apply implements storage.Store.
func (s *Store) Apply(ctx context.Context, b *storage.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch failed := s.failed.Load(); {
	case s.mu.closed:
		return storage.ErrClosed
	case failed != nil:
		return fmt.Errorf("pebble has failed before: %w", failed.cause)
	}
	size := 0
	for _, op := range b.Ops {
		size += len(op.Key) + len(op.Value) + 12
	}
	batch := s.db.NewBatchWithSize(size + 16)
	defer func() { _ = batch.Close() }()
	for _, op := range b.Ops {
		if err := add(batch, op); err != nil {
			return fmt.Errorf("pebble batch: %w", err)
		}
	}
	return s.commit(batch)
}

// commit writes a batch and waits for its sync.
func (s *Store) commit(batch *pebble.Batch) error {
	if err := s.survive(func() error { return batch.Commit(pebble.Sync) }); err != nil {
		return fmt.Errorf("pebble commit: %w", err)
	}
	return nil
}

// survive calls what may write Pebble's log. Pebble's way to say that its log can't be written is to end the program; here it is an
// error of this call and of all that come after, and what was written before can still be read.
func (s *Store) survive(call func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fatal:
			s.failed.CompareAndSwap(nil, &p)
			err = p.cause
		default:
			panic(p)
		}
	}()
	return call()
}

// add puts one change into a Pebble batch.
func add(batch *pebble.Batch, op storage.Op) error {
	switch op.Kind {
	case storage.Set:
		return batch.Set(op.Key, op.Value, nil)
	case storage.Delete:
		return batch.Delete(op.Key, nil)
	case storage.DeleteRange:
		return batch.DeleteRange(op.Key, op.Value, nil)
	}
	return fmt.Errorf("unknown kind %d", op.Kind)
}

// Close implements storage.Store. A second call is no error. What is in memory is written out, so that the next Open has
// nothing to read again.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		return nil
	}
	s.mu.closed = true
	close(s.closing)
	if failed := s.failed.Load(); failed != nil {
		return errors.Join(fmt.Errorf("pebble has failed before: %w", failed.cause), s.db.Close())
	}
	if err := s.db.Flush(); err != nil {
		return fmt.Errorf("close pebble: %w", errors.Join(err, s.db.Close()))
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close pebble: %w", err)
	}
	return nil
}

// get reads one key of a database or of a snapshot.
func get(r pebble.Reader, key []byte) ([]byte, bool, error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("pebble get: %w", err)
	}
	value := append(make([]byte, 0, len(v)), v...)
	return value, true, closeQuietly(closer)
}

// closeQuietly closes what Get returned; Pebble reports no error there that the read has not.
func closeQuietly(c io.Closer) error { return c.Close() }
