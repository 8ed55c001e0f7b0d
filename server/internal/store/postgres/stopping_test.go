package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"
)

// waits reports whether a session of a database has waited for a lock for a number of milliseconds.
func waits(pg *pgtest.Server, url string, ms int) bool {
	return pg.Number(url, fmt.Sprintf(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
		and clock_timestamp() - query_start > interval '%d milliseconds'`, ms)) > 0
}

// testStartsBehindALock opens the list of nodes while PostgreSQL is slow: another session holds a lock on the table of
// nodes for longer than a later read may take.
func testStartsBehindALock(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	if err := lead(t, postgres.Options{URL: url}).Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }() // it may be closed by the end of the test
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "lock table clave_node in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		m, err := postgres.OpenMembers(t.Context(), url, nil)
		if err == nil {
			m.Close()
		}
		opened <- err
	}()
	wait.Until(t, "the start waits for 2.5 s", func() bool { return len(opened) > 0 || waits(pg, url, 2500) })
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("OpenMembers = %v, want that it waits", err)
	}
}

// testStopsBehindALock closes a leader while PostgreSQL is slow: another session holds a lock on the lease's row. Close
// must wait for it and release the lease, which would last a minute otherwise.
func testStopsBehindALock(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	s := lead(t, postgres.Options{URL: url, Lease: time.Minute})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }() // it may be closed by the end of the test
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "select from clave_lease where id = 1 for update"); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	wait.Until(t, "the stop waits for 1.5 s", func() bool { return len(closed) > 0 || waits(pg, url, 1500) })
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if st, err := postgres.ReadStatus(t.Context(), url); err != nil || st.Held {
		t.Errorf("after the stop of the leader the lease is held: %t (%v), want released", st.Held, err)
	}
}
