package pebble

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/internal/store"
)

// Admit returns the error with which Apply would refuse a batch: ErrClosed, an ErrFull or an earlier failure.
func (s *Store) Admit(b *store.Batch) error {
	if !s.begin() {
		return store.ErrClosed
	}
	defer s.mu.RUnlock()
	return s.admitLocked(b)
}

// ApplyUnsynced applies an admitted batch without waiting for the disk: a crash may lose it, together with all later
// ones. It is for replicas of data that are durable elsewhere.
func (s *Store) ApplyUnsynced(b *store.Batch) error {
	if !s.begin() {
		return store.ErrClosed
	}
	defer s.mu.RUnlock()
	if failed := s.failed.Load(); failed != nil {
		return fmt.Errorf("pebble has failed before: %w", failed.cause)
	}
	return s.write(b, pebble.NoSync)
}

// Sync waits until all applied batches are on disk.
func (s *Store) Sync() error {
	if !s.begin() {
		return store.ErrClosed
	}
	defer s.mu.RUnlock()
	if err := s.survive(func() error { return s.db.LogData(nil, pebble.Sync) }); err != nil {
		return fmt.Errorf("pebble sync: %w", err)
	}
	return nil
}
