package pebble

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// flushWait is the maximum time for which Checkpoint waits until the memtable is in a table.
const flushWait = 30 * time.Second

// Checkpoint creates in dir, which must not exist, a store with everything applied so far. Reads and writes continue
// meanwhile. Tables, which Pebble never changes, are linked if both folders are on one file system, and copied
// otherwise. Logs are copied, so the memtable is flushed before: the next copy has the same table, and another log. All
// blocks of tables are verified: Checkpoint returns DataLoss if one is damaged, since such a copy could not be
// restored.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	if err := s.Full(); err != nil {
		return err // A checkpoint writes to the log first, and would wait for space.
	}
	flushing, cancel := context.WithTimeout(ctx, flushWait)
	defer cancel()
	s.Rest(flushing)
	if !s.begin() {
		return store.ErrClosed
	}
	defer s.mu.RUnlock()
	logs := s.space.synced.lengths() // what is acknowledged
	if err := s.survive(func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) }); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := s.trimLogs(dir, logs); err != nil {
		return err
	}
	return s.checkTables(ctx, dir)
}

// trimLogs ends the logs in a folder after their last intact chunks. Pebble reuses the files of logs, so that the copy
// of one may have the rest of an older one behind its own content, up to the size of a memtable. It returns DataLoss
// for a log that does not have its synced bytes.
func (s *Store) trimLogs(dir string, synced map[uint64]uint64) error {
	names, err := s.space.FS.List(dir)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	for _, name := range names {
		number, err := strconv.ParseUint(strings.TrimSuffix(name, logSuffix), 10, 64)
		if err != nil || !isLogFile(name) {
			continue
		}
		path := s.space.FS.PathJoin(dir, name)
		end, err := chunksEnd(s.space.FS, path, uint32(number), math.MaxInt64)
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		if end < synced[number] {
			return fault.E(fault.DataLoss, "The log %s is damaged: %d bytes are synced, but only %d are intact; a copy of it could not be restored.", name, synced[number], end)
		}
		if err := s.trim(path, int64(end)); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	folder, err := s.space.FS.OpenDir(dir)
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// trim ends a file after a number of bytes. The file system has no call for that, so the file is written again.
func (s *Store) trim(path string, size int64) error {
	info, err := s.space.FS.Stat(path)
	if err != nil || info.Size() <= size {
		return err
	}
	part := path + ".part"
	if err := vfs.LimitedCopy(s.space.FS, path, part, size); err != nil {
		return err
	}
	return s.space.FS.Rename(part, path)
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
