package pebblestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/storage"
)

// Checkpoint creates in dir, which must not exist, a store with everything applied so far. Reads and writes continue
// meanwhile. Tables, which Pebble never changes, are linked if both folders are on one file system, and copied
// otherwise.
func (s *Store) Checkpoint(dir string) error {
	if !s.begin() {
		return storage.ErrClosed
	}
	defer s.mu.RUnlock()
	if err := s.Full(); err != nil {
		return err // A checkpoint writes to the log first, and would wait for space.
	}
	if err := s.survive(func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) }); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Verify reads all data of the store in a folder that is not in use, block by block. It returns DataLoss for damage.
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
