package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/verify"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// documentsOf returns the documents of a database by path.
func documentsOf(t *testing.T, e *engine.Engine, db resource.Database) map[string]*document.Document {
	t.Helper()
	r, err := e.Read(t.Context(), db, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	names := make([]resource.Document, 0)
	for _, path := range paths() {
		names = append(names, resource.Document{DB: db, Path: path})
	}
	out := map[string]*document.Document{}
	if err := r.GetAll(t.Context(), names, func(name resource.Document, d *document.Document) error {
		if d != nil {
			out[name.Path] = d
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// verifyStore compares the documents of a store with their index entries.
func verifyStore(t *testing.T, s store.Store) {
	t.Helper()
	report, err := verify.Store(t.Context(), s, nil)
	if err != nil || report.Found > 0 {
		t.Errorf("verify = %v (%v)", report.Problems, err)
	}
}

// TestClonesEqualTheModel clones a database at random times of days while commits are made, and compares each document
// and, by the verification and by queries, each index entry.
func TestClonesEqualTheModel(t *testing.T) {
	p := newLongPast(t, 81)
	defs := p.definitions()
	setIndexes(t, p.e, defs)
	for range 150 {
		p.commit(t)
	}
	archive(t, p.e)
	for i := range 20 {
		first, last := p.versions[0], p.versions[len(p.versions)-1]
		at := first - 1 + clock.Version(p.Int64N(int64(last-first+2)))
		want := p.at(at)
		to := resource.Database{Project: "p", ID: "copy-" + string(rune('a'+i))}
		n, err := p.e.Clone(t.Context(), testDB, to, at)
		if err != nil || n != int64(len(want)) {
			t.Fatalf("Clone at %s = %d, %v; want %d documents", at.Time(), n, err, len(want))
		}
		got := documentsOf(t, p.e, to)
		for path, d := range want {
			compareDocument(t, path, got[path], nil, want)
			if g := got[path]; g != nil && (g.UpdateTime > at || d == nil) {
				t.Errorf("%s was updated at %s, after %s", path, g.UpdateTime.Time(), at.Time())
			}
		}
		if len(got) != len(want) {
			t.Errorf("the copy has %d documents, want %d", len(got), len(want))
		}
		p.commit(t)
		if _, err := p.e.Commit(t.Context(), to, request.Commit{Writes: []document.Write{{Name: resource.Document{DB: to, Path: "c/1"}, Fields: value.Map{"a": value.Int(i)}}}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
		if i == 10 {
			p.reopen(t)
		}
	}
	verifyStore(t, p.store)
	_, err := p.e.Clone(t.Context(), testDB, testDB, 0)
	wantCode(t, "Clone to an existing database", err, fault.AlreadyExists)
	_, err = p.e.Clone(t.Context(), testDB, resource.Database{Project: "p", ID: "early"}, p.versions[0]-clock.Version(8*24*time.Hour/time.Microsecond))
	if err == nil {
		t.Error("Clone at a time before the database = nil")
	}
}

// stoppingStore fails after a number of batches.
type stoppingStore struct {
	store.Store
	left atomic.Int64
}

// errStopped is the error of a stoppingStore.
var errStopped = errors.New("stopped")

// Apply implements store.Store.
func (s *stoppingStore) Apply(ctx context.Context, b *store.Batch) error {
	if s.left.Add(-1) < 0 {
		return errStopped
	}
	return s.Store.Apply(ctx, b)
}

// TestUnfinishedClonesLeaveNothing ends the process after each batch of a clone. The next engine has removed all of it,
// and a clone with the same name succeeds then.
func TestUnfinishedClonesLeaveNothing(t *testing.T) {
	to := resource.Database{Project: "p", ID: "copy"}
	for batches := range int64(5) {
		s, err := pebble.Open("data", pebble.Options{FS: vfs.NewMem()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		stopping := &stoppingStore{Store: s}
		stopping.left.Store(1 << 40)
		manual := clocktest.NewManual(time.Unix(1e9, 0))
		e, err := engine.Open(t.Context(), engine.Options{Store: stopping, Clock: manual})
		if err != nil {
			t.Fatal(err)
		}
		r := random{rand.New(rand.NewPCG(uint64(batches), 3))}
		states := history(t, r, e)
		stopping.left.Store(batches)
		if _, err := e.Clone(t.Context(), testDB, to, states[5].version.ReadTime); err == nil {
			t.Fatalf("Clone with %d batches = nil", batches)
		}
		_ = e.Close()
		e = open(t, engine.Options{Store: s, Clock: manual, Exists: func(db resource.Database) bool { return db == testDB }})
		it := s.Scan(store.Range{From: []byte{keys.KindDocument}})
		for it.Next() {
			if k := it.Key(); len(k) > 4 && k[4] != 1 && (k[0] == keys.KindDocument || k[0] == keys.KindGroup || k[0] == keys.KindIndex || k[0] == keys.KindCopying) {
				t.Errorf("after %d batches the key %q is left", batches, k)
			}
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = e.Read(t.Context(), to, request.At{})
		wantCode(t, "read of an unfinished copy", err, fault.NotFound)
		n, err := e.Clone(t.Context(), testDB, to, states[5].version.ReadTime)
		if err != nil || n != int64(len(states[5].docs)) {
			t.Errorf("Clone again = %d, %v; want %d", n, err, len(states[5].docs))
		}
		verifyStore(t, s)
	}
}

// TestCopiesFromAnotherStore copies a database of one store into another, and ends the process after each of the first
// batches: the next engine has removed all of it. The copy has the documents with their times, and the indexes.
func TestCopiesFromAnotherStore(t *testing.T) {
	p := newLongPast(t, 83)
	setIndexes(t, p.e, p.definitions())
	for range 60 {
		p.commit(t)
	}
	want := documentsOf(t, p.e, testDB)
	snap := p.store.Snapshot()
	defer func() { _ = snap.Close() }()
	to := resource.Database{Project: "p", ID: "copy"}
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for batches := int64(1); ; batches++ {
		stopping := &stoppingStore{Store: s}
		stopping.left.Store(1 << 40)
		e, err := engine.Open(t.Context(), engine.Options{Store: stopping})
		if err != nil {
			t.Fatal(err)
		}
		put(t, e, set("c/of another", n(1)))
		stopping.left.Store(batches - 1)
		var steps, all int64
		n, err := e.CopyFrom(t.Context(), snap, testDB, to, func(done, of int64) { steps, all = done, of })
		if err == nil && batches > 3 {
			if n != int64(len(want)) || steps != 2*n || all != 2*n {
				t.Errorf("CopyFrom = %d documents, %d of %d steps; want %d documents", n, steps, all, len(want))
			}
			_, err = e.CopyFrom(t.Context(), snap, testDB, to, nil)
			wantCode(t, "CopyFrom to an existing database", err, fault.AlreadyExists)
			_, err = e.CopyFrom(t.Context(), snap, resource.Database{Project: "p", ID: "unknown"}, resource.Database{Project: "p", ID: "other"}, nil)
			wantCode(t, "CopyFrom of an unknown database", err, fault.NotFound)
			_ = e.Close()
			break
		}
		if err == nil {
			t.Fatalf("CopyFrom with %d batches = nil", batches-1)
		}
		_ = e.Close()
	}
	e := open(t, engine.Options{Store: s})
	got := documentsOf(t, e, to)
	for path, d := range want {
		compareDocument(t, path, got[path], nil, want)
		if g := got[path]; g != nil && (g.UpdateTime != d.UpdateTime || g.CreateTime != d.CreateTime) {
			t.Errorf("%s has other times than in the other store", path)
		}
	}
	source, err := p.e.Definitions(testDB)
	if err != nil {
		t.Fatal(err)
	}
	if defs, err := e.Definitions(to); err != nil || len(defs.Indexes) == 0 || len(defs.Indexes) != len(source.Indexes) {
		t.Errorf("the copy has the definitions %v, %v; want %v", defs, err, source)
	}
	verifyStore(t, s)
}

// TestAFollowerHasClones reads a copy at an engine that follows, only once it is complete.
func TestAFollowerHasClones(t *testing.T) {
	to := resource.Database{Project: "p", ID: "copy"}
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/1", n(1)))
	if _, err := p.writer.Clone(t.Context(), testDB, to, 0); err != nil {
		t.Fatal(err)
	}
	p.catchUp()
	if got := documentsOf(t, p.reader, to); len(got) != 1 || got["c/1"].Fields["n"] != value.Int(1) {
		t.Errorf("the follower's copy has %v", got)
	}
	_, err := p.reader.Clone(t.Context(), testDB, resource.Database{Project: "p", ID: "other"}, 0)
	wantCode(t, "Clone at a follower", err, fault.Unavailable)
}
