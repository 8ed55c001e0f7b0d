package pebblestore

import (
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
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
