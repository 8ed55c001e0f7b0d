package pebble

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// maxDead is the number of dead entries that a scan may skip before the memtable is flushed, which drops them. A
// document that changes constantly leaves dead entries in the indexes; without the flush every query of its collection
// would skip all of them until the memtable is full.
const maxDead = 8 << 10

// deadPassed returns how many overwritten or deleted entries an iterator has skipped.
func deadPassed(it *pebble.Iterator) int {
	stats := it.Stats()
	passed := stats.ForwardStepCount[pebble.InternalIterCall] + stats.ReverseStepCount[pebble.InternalIterCall]
	return passed - stats.ForwardStepCount[pebble.InterfaceCall] - stats.ReverseStepCount[pebble.InterfaceCall]
}

// worthFlush is the least number of bytes in the memtable that Rest flushes. Less would leave many small tables.
const worthFlush = 1 << 20

// Rest flushes the memtable after a burst of writes, and returns at the end of the flush or of ctx. Pebble refers to
// the small memtables with which it begins, 16 MiB together, until it has a new one.
func (s *Store) Rest(ctx context.Context) {
	if s.unflushed.Load() < worthFlush {
		return
	}
	select {
	case <-s.tidy():
	case <-ctx.Done():
	}
}

// tidy flushes the memtable in the background, unless a flush is in progress. The channel is closed at the end.
func (s *Store) tidy() <-chan struct{} {
	ended := make(chan struct{})
	if !s.tidying.CompareAndSwap(false, true) {
		close(ended)
		return ended
	}
	go func() {
		defer close(ended)
		defer s.tidying.Store(false)
		flushed, err := s.flush()
		if err != nil {
			s.log.Warn("the memtable could not be flushed", "error", err)
			return
		}
		select {
		case <-flushed:
		case <-s.closing:
		}
	}()
	return ended
}

// flush begins a flush of the memtable and returns a channel that is closed at its end. The channel is nil if the store
// is being closed, which flushes too.
func (s *Store) flush() (flushed <-chan struct{}, err error) {
	if !s.begin() {
		return nil, nil
	}
	defer s.mu.RUnlock()
	if s.failed.Load() != nil {
		return nil, nil
	}
	err = s.survive(func() error {
		var err error
		s.unflushed.Store(0)
		flushed, err = s.db.AsyncFlush()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pebble flush: %w", err)
	}
	return flushed, nil
}
