package pebble

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// Checkpoint creates in dir, which must not exist, a store with everything applied so far. Reads and writes continue
// meanwhile. Tables, which Pebble never changes, are linked if both folders are on one file system, and copied
// otherwise. All of their blocks are verified: Checkpoint returns DataLoss if one is damaged, since such a copy could
// not be restored.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	if !s.begin() {
		return store.ErrClosed
	}
	defer s.mu.RUnlock()
	if err := s.Full(); err != nil {
		return err // A checkpoint writes to the log first, and would wait for space.
	}
	if err := s.survive(func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) }); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return s.checkTables(ctx, dir)
}

// checkTables verifies all blocks of the tables in a folder.
func (s *Store) checkTables(ctx context.Context, dir string) error {
	names, err := s.space.FS.List(dir)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	for _, name := range names {
		if filepath.Ext(name) != tableSuffix {
			continue
		}
		if s.isClosing() {
			return store.ErrClosed
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.checkTable(ctx, s.space.FS.PathJoin(dir, name))
		if pebble.IsCorruptionError(err) {
			s.damage.note(name, err)
			return fault.Wrap(err, fault.DataLoss, "The data file %s is damaged; a copy of it could not be restored.", name)
		}
		if err != nil {
			return fmt.Errorf("checkpoint: verify %s: %w", name, err)
		}
	}
	return nil
}

// checkTable verifies all blocks of a table.
func (s *Store) checkTable(ctx context.Context, path string) error {
	f, err := s.space.FS.Open(path)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	table, err := sstable.NewReader(ctx, readable, s.tables)
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	return errors.Join(table.ValidateBlockChecksums(), table.Close())
}

// Verify reads all data of the store in a folder that is not in use, block by block. It returns DataLoss for damage.
func Verify(ctx context.Context, dir string, o Options) (err error) {
	s, err := Open(dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	it := s.Scan(store.Range{})
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
