package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/wait"
)

// linked returns a link to PostgreSQL and the address of a database over it.
func linked(t *testing.T, pg *pgtest.Server, url string) (*link.Link, string) {
	t.Helper()
	link := link.New(t, pg.Addr())
	return link, strings.Replace(url, pg.Addr(), link.Addr(), 1)
}

// testBrokenConnectionsAreReplaced breaks the connections of a node that follows the log and of its Members, so that
// nothing closes them. Both must continue on new ones.
func testBrokenConnectionsAreReplaced(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	leader := lead(t, postgres.Options{URL: url, Node: "first"})
	link, over := linked(t, pg, url)
	follower := openOnly(t, postgres.Options{URL: over, Node: "second"})
	members, err := postgres.OpenMembers(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- follower.Lead(ctx) }()
	go func() { ended <- members.Run(ctx) }()
	t.Cleanup(func() {
		link.Reset() // the pools wait for their connections
		stop()
		for range cap(ended) {
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if err := members.Close(); err != nil {
			t.Error(err)
		}
	})
	reaches := func(what string) {
		t.Helper()
		set(t, leader, what, "1")
		want, _ := leader.Progress()
		wait.Until(t, what, func() bool {
			have, _ := follower.Progress()
			return have >= want
		})
	}
	reaches("a row before the break")
	link.Strand()
	reaches("a row after the break")
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	members.NextInner(ctx)
	if ctx.Err() != nil {
		t.Error("the nodes are not read after the break")
	}
}

// testWritesEndWithinTheTimeout cuts a leader off from PostgreSQL. A write must return within Options.Timeout.
func testWritesEndWithinTheTimeout(t *testing.T, pg *pgtest.Server) {
	between, over := linked(t, pg, pg.Database())
	s := lead(t, postgres.Options{URL: over, Timeout: 300 * time.Millisecond})
	t.Cleanup(between.Heal)
	between.Cut(link.Both)
	var b store.Batch
	b.Set([]byte("a"), []byte("1"))
	began := time.Now()
	if err := s.Apply(t.Context(), &b); !errors.Is(err, store.ErrMoved) {
		t.Errorf("Apply without PostgreSQL = %v, want ErrMoved", err)
	}
	if took := time.Since(began); took > 4*time.Second { // less than the time limit of one statement
		t.Errorf("Apply has returned after %v, want about 300 ms", took)
	}
}
