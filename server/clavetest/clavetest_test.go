package clavetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"clave/server/clavetest"
)

func TestStart(t *testing.T) {
	s, client := start(t)
	set(t, client, "notes/a")
	before, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set(t, client, "notes/b")
	if got := count(t, client); got != 2 {
		t.Errorf("%d notes, want 2", got)
	}
	if err := s.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := count(t, client); got != 1 {
		t.Errorf("%d notes after Restore, want 1", got)
	}
	if err := s.Restore(t.Context(), "no such token"); err == nil {
		t.Error("Restore of an unknown token = nil")
	}
}

func TestExpectReads(t *testing.T) {
	s, client := start(t)
	set(t, client, "notes/a")
	set(t, client, "notes/b")
	s.ExpectReads(t, 2, func() { count(t, client) })
	spy := &spy{TB: t}
	s.ExpectReads(spy, 1, func() { count(t, client) })
	if want := "2 reads, 1 allowed\n  2 by query notes (anonymous)"; spy.text != want && spy.text != strings.Replace(want, "anonymous", "admin", 1) {
		t.Errorf("ExpectReads printed %q, want %q", spy.text, want)
	}
	u, err := s.Usage(t.Context())
	if err != nil || u.Total.Writes != 2 || u.Total.Documents != 4 {
		t.Errorf("usage %+v, %v", u, err)
	}
	stored, err := s.Storage(t.Context())
	if err != nil || stored.Total.Documents != 2 || stored.Total.DocumentBytes == 0 || len(stored.Patterns) != 1 || stored.Patterns[0].Pattern != "notes" {
		t.Errorf("storage %+v, %v", stored, err)
	}
	if err := s.ResetUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if u, err := s.Usage(t.Context()); err != nil || u.Total.Writes != 0 {
		t.Errorf("usage after the reset %+v, %v", u, err)
	}
}

func TestStartWithBrokenRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "firestore.rules")
	if err := os.WriteFile(file, []byte("service nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	spy := &spy{TB: t}
	func() {
		defer func() { _ = recover() }()
		clavetest.Start(spy, clavetest.Options{RulesFile: file})
	}()
	if !spy.failed {
		t.Error("Start with broken rules did not fail the test")
	}
}

// spy is a testing.TB that records a failure.
type spy struct {
	testing.TB
	failed bool
	text   string
}

func (s *spy) Errorf(format string, args ...any) {
	s.failed, s.text = true, fmt.Sprintf(format, args...)
}
func (s *spy) Fatal(...any)          { s.failed = true; panic("fatal") }
func (s *spy) Fatalf(string, ...any) { s.failed = true; panic("fatal") }

// start starts a server and connects a client to it.
func start(t *testing.T) (*clavetest.Server, *firestore.Client) {
	t.Helper()
	s := clavetest.Start(t, clavetest.Options{})
	t.Setenv("FIRESTORE_EMULATOR_HOST", s.Firestore)
	client, err := firestore.NewClient(t.Context(), s.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return s, client
}

// set writes a document.
func set(t *testing.T, client *firestore.Client, path string) {
	t.Helper()
	if _, err := client.Doc(path).Set(t.Context(), map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
}

// count returns the number of documents in the collection notes.
func count(t *testing.T, client *firestore.Client) int {
	t.Helper()
	n := 0
	for it := client.Collection("notes").Documents(context.Background()); ; n++ {
		if _, err := it.Next(); errors.Is(err, iterator.Done) {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
