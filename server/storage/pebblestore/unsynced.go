package pebblestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/storage"
)

// Admit returns what Apply would refuse a batch with before it writes anything: ErrClosed, an ErrFull or an earlier failure.
func (s *Store) Admit(b *storage.Batch) error {
	if !s.begin() {
		return storage.ErrClosed
	}
	defer s.mu.RUnlock()
	return s.admitLocked(b)
}

// ApplyUnsynced applies a batch that was admitted and does not wait for the disk: a crash may lose it, together with all that were
// applied after it. It is for replicas of what is durable elsewhere.
func (s *Store) ApplyUnsynced(b *storage.Batch) error {
	if !s.begin() {
		return storage.ErrClosed
	}
	defer s.mu.RUnlock()
	if failed := s.failed.Load(); failed != nil {
		return fmt.Errorf("pebble has failed before: %w", failed.cause)
	}
	return s.write(b, pebble.NoSync)
}

// Sync waits until all that was applied is on disk.
func (s *Store) Sync() error {
	if !s.begin() {
		return storage.ErrClosed
	}
	defer s.mu.RUnlock()
	if err := s.survive(func() error { return s.db.LogData(nil, pebble.Sync) }); err != nil {
		return fmt.Errorf("pebble sync: %w", err)
	}
	return nil
}
