package postgres_test

import (
	"errors"
	"testing"

	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"
)

// wantPeek checks the value of a key in PostgreSQL. Empty means none.
func wantPeek(t *testing.T, url, key, want string) {
	t.Helper()
	value, found, err := postgres.Peek(t.Context(), url, []byte(key))
	if err != nil || found != (want != "") || string(value) != want {
		t.Errorf("Peek(%s) = %q, %t, %v; want %q", key, value, found, err, want)
	}
}

// appendTo returns a change that adds a text to a value.
func appendTo(text string) func([]byte) ([]byte, error) {
	return func(value []byte) ([]byte, error) { return append(value, text...), nil }
}

// testAlone reads and changes a key without a replica: in an empty database, while another node leads, after it has
// ended, and with an empty change.
func testAlone(t *testing.T, pg *pgtest.Server) {
	url, key := pg.Database(), []byte("k")
	o := postgres.Options{URL: url, Node: "command"}
	if err := postgres.ChangeAlone(t.Context(), o, key, appendTo("one")); err != nil {
		t.Fatalf("ChangeAlone on an empty database = %v", err)
	}
	wantPeek(t, url, "k", "one")
	s := lead(t, postgres.Options{URL: url})
	wantAll(t, s, "k=one")
	err := postgres.ChangeAlone(t.Context(), o, key, func([]byte) ([]byte, error) {
		t.Error("a change beside a leader was begun")
		return nil, nil
	})
	if !errors.Is(err, store.ErrMoved) {
		t.Errorf("ChangeAlone beside a leader = %v, want ErrMoved", err)
	}
	set(t, s, "k", "two")
	wantPeek(t, url, "k", "two")
	set(t, s, "l", "gone")
	b := store.Batch{Deletes: true}
	b.DeleteRange([]byte("l"), []byte("m"))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	wantPeek(t, url, "l", "")
	wait.Until(t, "the state is written behind", func() bool {
		st, err := postgres.ReadStatus(t.Context(), url)
		return err == nil && st.State == st.Log
	})
	wantPeek(t, url, "k", "two")
	wantPeek(t, url, "l", "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := postgres.ReadStatus(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := postgres.ChangeAlone(t.Context(), o, key, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if after, err := postgres.ReadStatus(t.Context(), url); err != nil || after.Log != before.Log || after.Held {
		t.Errorf("after no change the log is at %d (%v), held %t; want %d and no leader", after.Log, err, after.Held, before.Log)
	}
	if err := postgres.ChangeAlone(t.Context(), o, key, appendTo(" three")); err != nil {
		t.Fatalf("ChangeAlone = %v", err)
	}
	wantAll(t, lead(t, postgres.Options{URL: url}), "k=two three")
}
