package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// failingStore is a store whose disk fails on request.
type failingStore struct {
	store.Store
	fail bool
	// before, when set, is called before a batch is applied.
	before func()
}

// Apply implements store.Store.
func (s *failingStore) Apply(ctx context.Context, b *store.Batch) error {
	if s.fail {
		return errors.New("disk on fire")
	}
	if s.before != nil {
		s.before()
	}
	return s.Store.Apply(ctx, b)
}

// TestCloseDuringACommit closes the engine while a commit is being written. The store must then close without an error
// about open snapshots.
func TestCloseDuringACommit(t *testing.T) {
	mem, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	s := &failingStore{Store: mem}
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	writing, goOn := make(chan struct{}), make(chan struct{})
	s.before = func() {
		close(writing)
		<-goOn
	}
	done := make(chan error, 2)
	go func() {
		_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(1))}}, engine.Unrestricted())
		done <- err
	}()
	<-writing
	go func() { done <- e.Close() }()
	for closing := false; !closing; { // Until Close has begun; it waits for the commit.
		r, err := e.Read(t.Context(), testDB, request.At{})
		if closing = errors.Is(err, engine.ErrClosed); err == nil {
			r.Close()
		}
	}
	close(goOn)
	for range 2 {
		if err := <-done; err != nil {
			t.Errorf("commit or close = %v", err)
		}
	}
	if err := mem.Close(); err != nil {
		t.Errorf("close store: %v", err)
	}
}

func TestAFailedDiskEndsWriting(t *testing.T) {
	mem, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mem.Close() }()
	s := &failingStore{Store: mem}
	e := open(t, engine.Options{Store: s})
	put(t, e, set("c/a", n(1)))
	write := func() error {
		_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(2))}}, engine.Unrestricted())
		return err
	}
	if err := e.Err(); err != nil {
		t.Errorf("Err = %v before the disk fails", err)
	}
	s.fail = true
	wantCode(t, "commit on a failing disk", write(), fault.Internal)
	s.fail = false
	wantCode(t, "commit after the disk has failed", write(), fault.Unavailable)
	wantCode(t, "Err after the disk has failed", e.Err(), fault.Unavailable)
	wantN(t, e, request.At{}, "c/a", value.Int(1))
}

// TestOpensBesideTheAccounts opens a store that contains accounts too. Their keys must not be read as keys of the
// catalogue.
func TestOpensBesideTheAccounts(t *testing.T) {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	first, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	put(t, first, set("c/a", n(1)))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	accounts := account.New(s)
	for _, project := range []string{"", "p", "\x10", "\xff"} {
		scope := account.Scope{Project: project}
		if err := accounts.Change(t.Context(), scope, []string{"u"}, func(c *account.Change) error { return c.Save("note", "u", 1) }); err != nil {
			t.Fatal(err)
		}
	}
	e := open(t, engine.Options{Store: s})
	wantN(t, e, request.At{}, "c/a", value.Int(1))
}

func TestClearAmidTransactions(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/counter", n(0)))
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 30 {
				id, err := e.Begin(t.Context(), testDB, request.TransactionOptions{})
				if err == nil {
					if _, err = get(t, e, request.At{Transaction: id}, "c/counter"); err == nil {
						err = commitIn(t.Context(), e, id, set("c/counter", n(1)))
					}
				}
				if err != nil && !fault.Is(err, fault.Aborted) {
					t.Errorf("transaction = %v", err)
				}
				_, err = e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/counter", n(2))}}, engine.Unrestricted())
				if err != nil {
					t.Errorf("commit = %v", err)
				}
			}
		})
	}
	for range 20 {
		if err := e.Clear(t.Context(), testDB); err != nil {
			t.Errorf("Clear = %v", err)
		}
	}
	wg.Wait()
}

func TestNearest(t *testing.T) {
	defs := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "v", Fields: []index.Field{
		{Path: "kind"}, {Path: "at", Mode: index.Vector, Dimension: 2}}}}}
	at := func(x, y float64) value.Map {
		return value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(x), value.Double(y)}}
	}
	e := open(t, engine.Options{IndexMode: engine.IndexesEnforce})
	put(t, e, set("v/far", value.Map{"kind": value.Int(1), "at": at(9, 9)}), set("v/near", value.Map{"kind": value.Int(1), "at": at(1, 1)}),
		set("v/nearer", value.Map{"kind": value.Int(1), "at": at(0, 1)}), set("v/other", value.Map{"kind": value.Int(2), "at": at(0, 0)}))
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "v"}}, Limit: query.NoLimit,
		Where:   query.Field{Path: value.FieldPath{"kind"}, Op: query.Equal, Value: value.Int(1)},
		Nearest: &query.Nearest{Path: value.FieldPath{"at"}, Vector: []float64{0, 0}, Measure: query.Euclidean, Limit: 2}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	_, err = runIn(t, e, request.At{}, q)
	wantCode(t, "search without a vector index", err, fault.FailedPrecondition)
	setIndexes(t, e, defs)
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := ""
	stats, err := r.Query(t.Context(), q, func(d *document.Document) error { got += " " + d.Name.Path; return nil })
	if err != nil || got != " v/nearer v/near" || stats.DocumentsRead != 3 {
		t.Errorf("nearest are%s (%v, %+v), want v/nearer v/near of 3 read", got, err, stats)
	}
}
