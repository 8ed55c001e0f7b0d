package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// testDB is the database of most tests.
var testDB = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// open opens an engine over memory.
func open(t testing.TB, o engine.Options) *engine.Engine {
	t.Helper()
	if o.Store == nil {
		s, err := pebble.OpenMemory()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		o.Store = s
	}
	e, err := engine.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// doc returns the name of a document of testDB.
func doc(path string) resource.Document { return resource.Document{DB: testDB, Path: path} }

// set is the write that sets a document's fields.
func set(path string, fields value.Map) document.Write {
	return document.Write{Name: doc(path), Fields: fields}
}

// put commits documents with one number each.
func put(t testing.TB, e *engine.Engine, writes ...document.Write) request.CommitResult {
	t.Helper()
	r, err := e.Commit(t.Context(), testDB, request.Commit{Writes: writes}, engine.Unrestricted())
	if err != nil {
		t.Fatalf("Commit = %v", err)
	}
	return r
}

// get reads a document at a time or in a transaction.
func get(t testing.TB, e *engine.Engine, at request.At, path string) (*document.Document, error) {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, at)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Get(t.Context(), doc(path))
}

// wantN checks the field n of a document; nil means that the document does not exist.
func wantN(t testing.TB, e *engine.Engine, at request.At, path string, want value.Value) {
	t.Helper()
	d, err := get(t, e, at, path)
	if err != nil {
		t.Errorf("Get(%s) = %v", path, err)
		return
	}
	var got value.Value
	if d != nil {
		got = d.Fields["n"]
	}
	if got != want {
		t.Errorf("Get(%s) at %v: n = %v, want %v", path, at, got, want)
	}
}

// n returns the fields {n: i}.
func n(i int) value.Map { return value.Map{"n": value.Int(i)} }

func TestCommitAndRead(t *testing.T) {
	e := open(t, engine.Options{})
	first := put(t, e, set("c/a", n(1)), set("c/b", n(2)))
	second := put(t, e, set("c/a", n(3)), document.Write{Op: document.Delete, Name: doc("c/b")})
	if second.Version <= first.Version {
		t.Errorf("versions %d, %d: want rising", first.Version, second.Version)
	}
	latest := request.At{}
	wantN(t, e, latest, "c/a", value.Int(3))
	wantN(t, e, latest, "c/b", nil)
	old := request.At{ReadTime: first.Version}
	wantN(t, e, old, "c/a", value.Int(1))
	wantN(t, e, old, "c/b", value.Int(2))
	wantN(t, e, request.At{ReadTime: first.Version - 1}, "c/a", nil)
	d, err := get(t, e, latest, "c/a")
	if err != nil || d.CreateTime != first.Version || d.UpdateTime != second.Version {
		t.Errorf("c/a created %d, updated %d (%v), want %d, %d", d.CreateTime, d.UpdateTime, err, first.Version, second.Version)
	}
	if _, err := get(t, e, request.At{ReadTime: clock.VersionOf(time.Now().Add(time.Hour))}, "c/a"); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("read in the future = %v, want INVALID_ARGUMENT", err)
	}
}

func TestCheckRunsBeforePreconditions(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(1)))
	absent := false
	w := set("c/a", n(2))
	w.Precondition.Exists = &absent
	denied := fault.E(fault.PermissionDenied, "no")
	_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{w}},
		engine.CheckBy(func(ctx context.Context, v *engine.CheckView) error {
			before, _ := v.Before(ctx, doc("c/a"))
			after, _ := v.After(ctx, doc("c/a"))
			if before.Fields["n"] != value.Int(1) || after.Fields["n"] != value.Int(2) || len(v.Steps) != 1 {
				t.Errorf("check received %v, %v in %d steps", before.Fields, after.Fields, len(v.Steps))
			}
			return denied
		}))
	if !errors.Is(err, denied) {
		t.Errorf("Commit = %v, want the check's refusal", err)
	}
	_, err = e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted())
	if !fault.Is(err, fault.AlreadyExists) {
		t.Errorf("Commit = %v, want ALREADY_EXISTS", err)
	}
	wantN(t, e, request.At{}, "c/a", value.Int(1))
}

// TestACommitNeedsACheck commits with the zero Check, which must be refused: a caller that does not set it must not
// bypass the rules.
func TestACommitNeedsACheck(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(1)))
	for name, unset := range map[string]engine.Check{"zero": {}, "without function": engine.CheckBy(nil)} {
		writes := []document.Write{set("c/a", n(2))}
		if _, err := e.Commit(t.Context(), testDB, request.Commit{Writes: writes}, unset); err == nil {
			t.Errorf("Commit with the %s check succeeded", name)
		}
		if _, err := e.BatchWrite(t.Context(), testDB, writes, unset); err == nil {
			t.Errorf("BatchWrite with the %s check succeeded", name)
		}
	}
	wantN(t, e, request.At{}, "c/a", value.Int(1))
}

func TestSubscriptionGivesEveryCommitOnce(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/before", n(0)))
	s := e.Subscribe(testDB)
	defer s.Close()
	const commits = 10_000 // More than a subscription's queue holds.
	go func() {
		for i := range commits {
			if _, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(i))}}, engine.Unrestricted()); err != nil {
				t.Errorf("Commit = %v", err)
				return
			}
		}
	}()
	last, seen := s.Start(), 0
	for seen < commits {
		batch, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("Next after %d commits = %v", seen, err)
		}
		for _, c := range batch {
			if c.Version <= last {
				t.Fatalf("commit %d after %d", c.Version, last)
			}
			if got := c.Changes[0].After.Fields["n"]; got != value.Int(seen) {
				t.Fatalf("commit number %d has n = %v", seen, got)
			}
			last = c.Version
			seen++
		}
	}
}

func TestQueryFiltersAndSorts(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(3)), set("c/b", n(1)), set("c/c", n(2)), set("d/x", n(2)))
	q := &query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"n"}, Op: query.GreaterThan, Value: value.Int(1)}}
	norm, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := ""
	if _, err := r.Query(t.Context(), norm, func(d *document.Document) error { got += " " + d.Name.Path; return nil }); err != nil {
		t.Fatal(err)
	}
	if want := " c/c c/a"; got != want {
		t.Errorf("query gave%s, want%s", got, want)
	}
}
