package pebblestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/storage"
)

// Checkpoint makes dir, which must not exist, a store of its own with everything applied so far. It does so beside all other
// work and costs little: what Pebble never changes is linked, not copied, where both are on one file system.
func (s *Store) Checkpoint(dir string) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mu.closed {
		return storage.ErrClosed
	}
	if err := s.Full(); err != nil {
		return err // It writes to the log first.
	}
	if err := s.survive(func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) }); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Verify reads all data of the store in a folder that nobody uses, block by block. It answers DataLoss for damage.
func Verify(ctx context.Context, dir string, o Options) (err error) {
	s, err := Open(dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	it := s.Scan(storage.Range{})
	defer func() { err = errors.Join(err, it.Close()) }()
	for n := 0; it.Next(); n++ {
		if _, err := it.Value(); err != nil {
			return err
		}
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return it.Err()
}
