package changelog_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// sharedRows is a store whose batches are rows that all processes read. It implements changelog.Shared.
type sharedRows struct {
	*pebble.Store
	rows [][]store.Op
	// among are operations that each batch is written together with.
	among             []store.Op
	log               *changelog.Log
	position, segment []byte
	// moved is the error of SetPosition.
	moved error
}

// Apply implements store.Store.
func (s *sharedRows) Apply(ctx context.Context, b *store.Batch) error {
	ops := append(append(append([]store.Op(nil), s.among...), b.Ops...), s.among...)
	s.rows = append(s.rows, ops)
	s.log.RecordRow(int64(len(s.rows)), clock.System().Now(), ops)
	return s.Store.Apply(ctx, b)
}

// Position implements changelog.Shared.
func (s *sharedRows) Position(context.Context) (position, segment []byte, err error) {
	return s.position, s.segment, nil
}

// SetPosition implements changelog.Shared.
func (s *sharedRows) SetPosition(_ context.Context, position, segment []byte) error {
	if s.moved == nil {
		s.position, s.segment = position, segment
	}
	return s.moved
}

// next continues the log in another process, and returns the row after which it has to be told the rows.
func (s *sharedRows) next(t *testing.T) int64 {
	t.Helper()
	s.log = changelog.New(changelog.Options{Dir: t.TempDir(), Shared: s, Clock: clock.System()})
	row, err := s.log.Continue(t.Context())
	if err != nil || (row >= 0) != (s.position != nil) {
		t.Fatalf("Continue = %d, %v", row, err)
	}
	for i := row; i >= 0 && i < int64(len(s.rows)); i++ {
		s.log.RecordRow(i+1, clock.System().Now(), s.rows[i])
	}
	return row
}

// set sets a key.
func (s *sharedRows) set(t *testing.T, key string) {
	t.Helper()
	var b store.Batch
	b.Set([]byte(key), []byte(key))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// TestSharedLog continues a log in other processes: after a segment is written, while it is being written, and after
// another one could not be. The segments have each row once, in order, whatever is written together with a mark.
func TestSharedLog(t *testing.T) {
	local, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	other := store.Op{Kind: store.Set, Key: []byte("among"), Value: []byte("x")}
	s := &sharedRows{Store: local, among: []store.Op{other, other}}
	s.next(t)
	s.set(t, "before")
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.set(t, "a")
	mark, err := s.log.Mark(t.Context(), s)
	if err != nil || mark.Log == "" {
		t.Fatalf("Mark = %v, %v", mark, err)
	}
	s.set(t, "b")
	copied, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = copied.Close() }()
	to, last := uint64(0), time.Time{}
	// take takes a chunk, and applies it unless another process has it too.
	take := func(save error, done bool) {
		t.Helper()
		id, c := s.log.Take(false)
		if c == nil {
			t.Fatal("there is no chunk")
		}
		if to != 0 && c.From != to {
			t.Fatalf("the chunk begins at %d, want %d", c.From, to)
		}
		s.moved = save
		if err := s.log.Save(t.Context(), c, "sum", fmt.Append(nil, "stored ", c.From)); !errors.Is(err, save) {
			t.Fatalf("Save = %v, want %v", err, save)
		}
		s.moved = nil
		if save != nil {
			return
		}
		err := changelog.Records(c.Records, c.From, c.To, func(r changelog.Record) error {
			if !r.At.After(last) {
				t.Errorf("a batch of %v follows one of %v", r.At, last)
			}
			last = r.At
			return copied.ApplyUnsynced(&store.Batch{Ops: r.Ops})
		})
		if err != nil {
			t.Fatal(err)
		}
		to = c.To
		if done {
			s.log.Done(id, c, "sum")
		}
		if row, ok := s.log.Needed(); !ok || row != c.Row {
			t.Errorf("Needed = %d, %t; want the row of the segment, %d", row, ok, c.Row)
		}
	}
	take(nil, true)
	s.set(t, "c")
	if row := s.next(t); row != int64(len(s.rows)-1) { // All but the last row is shipped.
		t.Errorf("the log continues after row %d", row)
	}
	s.log.Settle(false)
	s.set(t, "d")
	take(nil, false) // A process ends while it writes this segment.
	s.set(t, "e")
	s.next(t)
	if left := s.log.Left(); string(left) != string(s.segment) || len(left) == 0 {
		t.Errorf("the segment that is left is %q, want %q", left, s.segment)
	}
	s.log.Settle(false)
	if left := s.log.Left(); left != nil {
		t.Errorf("after Settle the segment %q is left", left)
	}
	take(errors.New("another process leads"), false)
	s.next(t)
	s.log.Settle(false)
	s.set(t, "f")
	take(nil, true)
	if want := uint64(5*len(s.rows)) + 1; to != want { // Each row has five operations; the first has the number 1.
		t.Errorf("the segments end at %d, want %d", to, want)
	}
	want, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = want.Close() }()
	for _, row := range s.rows[1:] {
		if err := want.ApplyUnsynced(&store.Batch{Ops: row}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "after all", copied, want)
}

// TestARowWithoutATime continues a log to which a node of an earlier version, which wrote no times, has added a
// row: the
// log ends.
func TestARowWithoutATime(t *testing.T) {
	local, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	s := &sharedRows{Store: local}
	s.next(t)
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.set(t, "a")
	s.next(t)
	id, _ := s.log.ID()
	s.log.RecordRow(int64(len(s.rows))+1, time.UnixMicro(0), s.rows[0])
	if now, why := s.log.ID(); id == "" || now != "" || why == "" {
		t.Errorf("after a row without a time the log %q is %q, because of %q", id, now, why)
	}
	if _, ok := s.log.Needed(); ok {
		t.Error("a log that has ended needs rows")
	}
}

// TestKeysOfRowsThatAreGone resets the rows and the position to an earlier state, as PostgreSQL is after it was
// restored, when the keys of later rows were written to the data folder. They are not those of the rows that follow
// then.
func TestKeysOfRowsThatAreGone(t *testing.T) {
	local, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	s, dir := &sharedRows{Store: local}, t.TempDir()
	start := func() {
		t.Helper()
		s.log = changelog.New(changelog.Options{Dir: dir, Shared: s, Clock: clock.System()})
		if _, err := s.log.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	save := func() {
		t.Helper()
		id, c := s.log.Take(false)
		if err := s.log.Save(t.Context(), c, "sum", []byte("stored")); err != nil {
			t.Fatal(err)
		}
		s.log.Done(id, c, "sum")
	}
	start()
	if err := s.log.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	save()
	from, position, rows := s.log.Position().From, s.position, len(s.rows)
	s.set(t, "gone")
	s.set(t, "gone too")
	save()
	s.position, s.rows = position, s.rows[:rows]
	start()
	s.log.Settle(false)
	s.set(t, "there")
	save()
	to := s.log.Position().From
	s.set(t, "later")
	s.set(t, "and later")
	s.set(t, "last")
	save()
	c, ok, err := s.log.Changed(from, to)
	if err != nil || !ok {
		t.Fatalf("Changed = %v, %t, %v", c, ok, err)
	}
	if len(c.Keys) == 0 || string(c.Keys[0]) != "there" {
		t.Errorf("the keys %q have changed, want there and later ones", c.Keys)
	}
}
