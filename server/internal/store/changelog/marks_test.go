package changelog_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
)

// numbered is a store that only records batches. It leaves out skip numbers before the next one, as if a batch with
// them were recorded later.
type numbered struct {
	store.Store
	log  *changelog.Log
	next uint64
	skip uint64
}

// Apply implements store.Store.
func (s *numbered) Apply(_ context.Context, b *store.Batch) error {
	s.next += s.skip
	s.skip = 0
	s.log.Record(s.next, clock.System().Now(), b.Ops)
	s.next += uint64(len(b.Ops))
	return nil
}

// TestAMarkIsGivenUp gives up a mark that waits for a batch before it, as a backup does when the server is stopped.
// Once that batch is recorded, the log has both.
func TestAMarkIsGivenUp(t *testing.T) {
	s := &numbered{log: changelog.New(changelog.Options{Dir: t.TempDir(), Clock: clock.System()}), next: 1}
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.skip = 1
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if m, err := s.log.Mark(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Mark without the batch before it = %v, %v", m, err)
	}
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		s.log.Record(2, clock.System().Now(), []store.Op{{Kind: store.Set, Key: []byte("late"), Value: []byte("x")}})
	}()
	select {
	case <-recorded:
	case <-time.After(5 * time.Second):
		t.Fatal("the batch before a mark that was given up is not recorded")
	}
	if _, c := s.log.Take(false); c == nil || c.From != 1 || c.To != 4 {
		t.Errorf("the log has %+v, want the operations 1 to 3", c)
	}
}
