package pebblestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// maxDead is how many dead entries a scan may pass over before the table in memory is written out, which drops them. A document
// that changes without pause leaves dead entries in the indexes: without this every query of its collection would pass over all
// of them until the table is full.
const maxDead = 8 << 10

// deadPassed returns how many entries an iterator has passed over that it did not give: overwritten or deleted ones.
func deadPassed(it *pebble.Iterator) int {
	stats := it.Stats()
	passed := stats.ForwardStepCount[pebble.InternalIterCall] + stats.ReverseStepCount[pebble.InternalIterCall]
	return passed - stats.ForwardStepCount[pebble.InterfaceCall] - stats.ReverseStepCount[pebble.InterfaceCall]
}

// tidy has the table in memory written out in the background, unless that is under way.
func (s *Store) tidy() {
	if !s.tidying.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.tidying.Store(false)
		flushed, err := s.flush()
		if err != nil {
			s.log.Warn("writing out the table in memory", "error", err)
			return
		}
		select {
		case <-flushed:
		case <-s.closing:
		}
	}()
}

// flush begins to write the table in memory out and returns a channel that is closed at the end; nil when the store is being
// closed, which does it too.
func (s *Store) flush() (flushed <-chan struct{}, err error) {
	if !s.mu.TryRLock() {
		return nil, nil
	}
	defer s.mu.RUnlock()
	if s.mu.closed || s.failed.Load() != nil {
		return nil, nil
	}
	err = s.survive(func() error {
		var err error
		flushed, err = s.db.AsyncFlush()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pebble flush: %w", err)
	}
	return flushed, nil
}
