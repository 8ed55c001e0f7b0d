package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/storage/pgstore"
	"clave/server/storage/pgstore/pgtest"
	"clave/server/testwait"
)

// testStopsBehindALock closes a leader while PostgreSQL is slow: another session holds a lock on the lease's row. Close
// must wait for it and release the lease, which would last a minute otherwise.
func testStopsBehindALock(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	s := lead(t, pgstore.Options{URL: url, Lease: time.Minute})
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
	testwait.Until(t, "the stop waits for 1.5 s", func() bool {
		if len(closed) > 0 {
			return true
		}
		return pg.Number(url, `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
			and clock_timestamp() - query_start > interval '1500 milliseconds'`) > 0
	})
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if st, err := pgstore.ReadStatus(t.Context(), url); err != nil || st.Held {
		t.Errorf("after the stop of the leader the lease is held: %t (%v), want released", st.Held, err)
	}
}
