package changelog_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// busyRows is sharedRows that are shipped while the log begins.
type busyRows struct {
	sharedRows
	// applied is called when the first batch was recorded, and stored when the first position is being stored.
	applied, stored func()
}

// Apply implements store.Store.
func (s *busyRows) Apply(ctx context.Context, b *store.Batch) error {
	err := s.sharedRows.Apply(ctx, b)
	if applied := s.applied; applied != nil {
		s.applied = nil
		applied()
	}
	return err
}

// SetPosition implements changelog.Shared.
func (s *busyRows) SetPosition(ctx context.Context, position, segment []byte) error {
	if stored := s.stored; stored != nil {
		s.stored = nil
		stored()
	}
	return s.sharedRows.SetPosition(ctx, position, segment)
}

// newBusyRows returns rows whose log is not begun.
func newBusyRows(t *testing.T) *busyRows {
	t.Helper()
	local, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close() })
	s := &busyRows{sharedRows: sharedRows{Store: local}}
	s.log = changelog.New(changelog.Options{Dir: t.TempDir(), Shared: s, Clock: clock.System()})
	if _, err := s.log.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// save stores the first segment, and returns its chunk.
func (s *busyRows) save(t *testing.T) (id string, c *changelog.Chunk) {
	id, c = s.log.Take(false)
	if c == nil {
		t.Error("there is no chunk")
		return id, c
	}
	if err := s.log.Save(t.Context(), c, "sum", []byte("stored")); err != nil {
		t.Error(err)
	}
	return id, c
}

// TestASegmentIsStoredWhileALogBegins stores the first segment while the beginning of the log is being stored. The next
// process finds the segment.
func TestASegmentIsStoredWhileALogBegins(t *testing.T) {
	s := newBusyRows(t)
	saved := make(chan struct{})
	s.stored = func() {
		go func() {
			defer close(saved)
			s.save(t)
		}()
		select {
		case <-saved:
		case <-time.After(100 * time.Millisecond): // It waits for the beginning.
		}
	}
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	<-saved
	if row := s.next(t); row != 1 || string(s.log.Left()) != "stored" || s.log.Position().Number != 2 {
		t.Errorf("the log continues after row %d with the segment %d, and %q is left; want row 1, segment 2, and the first one", row, s.log.Position().Number, s.log.Left())
	}
}

// TestASegmentIsWrittenWhileALogBegins ships the first batch before Begin has returned.
func TestASegmentIsWrittenWhileALogBegins(t *testing.T) {
	s := newBusyRows(t)
	to := uint64(0)
	s.applied = func() {
		id, c := s.save(t)
		s.log.Done(id, c, "sum")
		to = c.To
	}
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if p := s.log.Position(); p.Number != 2 || p.From != to || p.Row != 1 {
		t.Errorf("after the first segment the position is %+v, want the second one, from %d", p, to)
	}
	if row := s.next(t); row != 1 || s.log.Position().From != to {
		t.Errorf("the log continues after row %d from %d, want row 1 and %d", row, s.log.Position().From, to)
	}
}

// TestAnOldSegmentIsNotStoredForANewLog ends a log of which a chunk was taken, and begins the next one, before the
// chunk is stored. The next process continues the new log from its beginning.
func TestAnOldSegmentIsNotStoredForANewLog(t *testing.T) {
	s := newBusyRows(t)
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	old, c := s.log.Take(false)
	s.log.End(old, "the place has lost it")
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	_ = s.log.Save(t.Context(), c, "sum", []byte("stored"))
	id, _ := s.log.ID()
	if row := s.next(t); row != 1 || s.log.Position().Log != id || s.log.Left() != nil {
		t.Errorf("the log continues after row %d with the position %+v, want row 1, and no segment of the log before", row, s.log.Position())
	}
}

// TestABeginningIsStored lets the beginning of a log not be stored. There is no log then, so that no backup begins one
// that the next process does not continue.
func TestABeginningIsStored(t *testing.T) {
	s := newBusyRows(t)
	s.moved = errors.New("no answer")
	if err := s.log.Begin(t.Context(), s); !errors.Is(err, s.moved) {
		t.Errorf("Begin = %v, want the error of the position", err)
	}
	if id, why := s.log.ID(); id != "" || why == "" {
		t.Errorf("the log is %q, because of %q; want none", id, why)
	}
}
