package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/wait"
)

// passedRows collects rows.
type passedRows struct {
	mu     sync.Mutex
	rows   []int64
	keys   []string
	times  []time.Time
	needed int64
	// recorded is called after each row; nil for nothing.
	recorded func()
	// ended is set once no rows are needed.
	ended bool
}

// RecordRow implements postgres.Rows.
func (p *passedRows) RecordRow(row int64, at time.Time, ops []store.Op) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.times = append(p.rows, row), append(p.times, at)
	for _, op := range ops {
		p.keys = append(p.keys, string(op.Key))
	}
	if p.recorded != nil {
		p.recorded()
	}
}

// Needed implements postgres.Rows.
func (p *passedRows) Needed() (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.needed, !p.ended
}

// TestPass passes the rows of earlier leaders and then its own, with the times at which they were written, keeps those
// that are needed, and says if earlier ones are missing.
func TestPass(t *testing.T) {
	pg := pgtest.New(t)
	url := pg.Database()
	began := clock.System().Now().Truncate(time.Microsecond)
	first := lead(t, postgres.Options{URL: url, Node: "first", Retention: time.Millisecond})
	earlier := &passedRows{}
	if err := first.Pass(t.Context(), -1, earlier); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		set(t, first, fmt.Sprint("k", i), "x")
	}
	if err := first.SetPosition(t.Context(), []byte("position"), nil); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.SetPosition(t.Context(), []byte("late"), nil); err == nil {
		t.Error("a store that is closed sets the position")
	}
	second := lead(t, postgres.Options{URL: url, Node: "second", Retention: time.Millisecond})
	position, segment, err := second.Position(t.Context())
	if err != nil || string(position) != "position" || len(segment) != 0 {
		t.Errorf("Position = %q, %q, %v", position, segment, err)
	}
	p := &passedRows{needed: 2}
	if err := second.Pass(t.Context(), 2, p); err != nil {
		t.Fatal(err)
	}
	set(t, second, "k5", "x")
	p.mu.Lock()
	if want := []int64{3, 4, 5, 6}; !slices.Equal(p.rows, want) || !slices.Equal(p.keys, []string{"k2", "k3", "k4", "k5"}) {
		t.Errorf("the rows %d with the keys %q are passed, want %d", p.rows, p.keys, want)
	}
	for i, at := range p.times {
		if at.Before(began) || i > 0 && at.Before(p.times[i-1]) || i < 3 && !at.Equal(earlier.times[i+2].Truncate(time.Microsecond)) {
			t.Errorf("the times of the rows are %v, those of their leaders %v and then later ones", p.times, earlier.times[2:])
		}
	}
	p.mu.Unlock()
	const applied = "select seq from clave_applied"
	wait.Until(t, "the state has all rows", func() bool { return pg.Number(url, applied) == 6 })
	set(t, second, "k6", "x") // Each write-behind is followed by a deletion of what is old.
	wait.Until(t, "the first rows are deleted", func() bool { return pg.Number(url, "select min(seq) from clave_log") == 3 })
	p.mu.Lock()
	p.needed = 5
	p.mu.Unlock()
	set(t, second, "k7", "x")
	wait.Until(t, "more rows are deleted", func() bool { return pg.Number(url, "select min(seq) from clave_log") == 6 })
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third := lead(t, postgres.Options{URL: url, Node: "third"})
	lost := &passedRows{}
	if err := third.Pass(t.Context(), 2, lost); !errors.Is(err, postgres.ErrRowsMissing) {
		t.Errorf("Pass of deleted rows = %v", err)
	}
	set(t, third, "k8", "x")
	if n := len(lost.rows); n != 1 {
		t.Errorf("after that %d rows are passed, want the one that was written", n)
	}
}

// TestALateLeaderSetsNoPosition lets a leader that is cut off set the position when another node leads.
func TestALateLeaderSetsNoPosition(t *testing.T) {
	pg := pgtest.New(t)
	url := pg.Database()
	first := lead(t, postgres.Options{URL: url, Node: "first"})
	// Another node takes the lease without the first's notice.
	pg.Exec(url, "update clave_lease set epoch = epoch + 1, node = 'second'")
	if err := first.SetPosition(t.Context(), []byte("late"), []byte("segment")); !errors.Is(err, store.ErrMoved) {
		t.Errorf("SetPosition of a former leader = %v", err)
	}
	if n := pg.Number(url, "select octet_length(position) + octet_length(segment) from clave_shipped"); n != 0 {
		t.Errorf("the position and the segment have %d bytes", n)
	}
}

// waitingRows writes rows of a megabyte each, and returns a leader that follows over a link, with none passed to it
// yet.
func waitingRows(t *testing.T, n int) (*link.Link, *postgres.Store) {
	t.Helper()
	pg := pgtest.New(t)
	url := pg.Database()
	first := lead(t, postgres.Options{URL: url, Node: "first"})
	for i := range n {
		set(t, first, fmt.Sprint("k", i), string(randid.Bytes(1<<20)))
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	between, over := linked(t, pg, url)
	return between, lead(t, postgres.Options{URL: over, Node: "second"})
}

// TestPassEndsWithoutAnswers cuts a new leader off from PostgreSQL while it reads the rows of the one before. It does
// not wait for longer than for the rows that it applies.
func TestPassEndsWithoutAnswers(t *testing.T) {
	between, second := waitingRows(t, 30)
	t.Cleanup(between.Heal)
	p := &passedRows{recorded: func() { between.Cut(link.Both) }}
	ended := make(chan error, 1)
	go func() { ended <- second.Pass(t.Context(), 0, p) }()
	select {
	case err := <-ended:
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("Pass without PostgreSQL = %v, want Unavailable", err)
		}
	case <-time.After(20 * time.Second):
		between.Reset()
		t.Errorf("Pass waits for PostgreSQL; when the connection is closed it returns %v", <-ended)
	}
}

// TestPassEndsWithTheLog ends the log at the first row of the leader before. The others are not read, because no node
// serves meanwhile.
func TestPassEndsWithTheLog(t *testing.T) {
	_, second := waitingRows(t, 3)
	p := &passedRows{}
	p.recorded = func() { p.ended = true }
	if err := second.Pass(t.Context(), 0, p); err != nil {
		t.Fatal(err)
	}
	if len(p.rows) != 1 {
		t.Errorf("%d rows are passed, want one", len(p.rows))
	}
	set(t, second, "k", "x")
	if len(p.rows) != 2 || p.rows[1] != 4 {
		t.Errorf("after a write the rows %d are passed", p.rows)
	}
}

// TestPassOfADamagedRow damages a row that the state has and that was not shipped. The node leads all the same.
func TestPassOfADamagedRow(t *testing.T) {
	pg := pgtest.New(t)
	url := pg.Database()
	s := lead(t, postgres.Options{URL: url})
	set(t, s, "a", "1")
	set(t, s, "b", "2")
	pg.Exec(url, "update clave_log set body = 'damaged' where seq = 2")
	p := &passedRows{}
	if err := s.Pass(t.Context(), 0, p); !errors.Is(err, postgres.ErrRowsMissing) || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("Pass of a damaged row = %v, want ErrRowsMissing that names it", err)
	}
	set(t, s, "c", "3")
	if want := []int64{1, 3}; !slices.Equal(p.rows, want) {
		t.Errorf("the rows %d are passed, want %d", p.rows, want)
	}
}
