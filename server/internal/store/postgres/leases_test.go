package postgres_test

import (
	"testing"
	"time"

	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/internal/store/postgres/readlease"
	"clave/server/test/kit/wait"
)

// granted lets a leader grant a lease, which nothing confirms the end of, and returns a time from which on it lasts for
// readlease.Longest.
func granted(t *testing.T, s *postgres.Store) (began time.Time) {
	t.Helper()
	h := new(readlease.Holder)
	wait.Until(t, "a lease", func() bool {
		s.Leases().Arrived(h)
		began = time.Now()
		return s.Leases().Grant(h, s.Leases().Mark(), began) > readlease.Longest*9/10
	})
	return began
}

// testLeasesForReading writes, closes and restarts leaders while a lease for reading lasts at another node.
func testLeasesForReading(t *testing.T, pg *pgtest.Server) {
	o := postgres.Options{URL: pg.Database(), Node: "first"}
	s := lead(t, o)
	lasted := func(what string, began time.Time) {
		t.Helper()
		if d := time.Since(began); d < readlease.Longest {
			t.Errorf("%s is done after %v, want not before the lease of %v is over", what, d, readlease.Longest)
		}
	}
	began := granted(t, s)
	set(t, s, "a", "1")
	lasted("a write", began)

	began = granted(t, s)
	again := openOnly(t, o) // as after a kill
	if err := again.TryLead(t.Context()); err != nil {
		t.Fatal(err)
	}
	lasted("a restart", began)

	began = granted(t, again)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	lasted("a hand-over", began)
	wantAll(t, lead(t, postgres.Options{URL: o.URL, Node: "second"}), "a=1")
}
