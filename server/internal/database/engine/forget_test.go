package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	kv "clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// TestForget forgets a project with a transaction, a snapshot, a subscription and an open reading, beside another
// one. A database of the same name is new: it is empty, and its versions go on.
func TestForget(t *testing.T) {
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	e := open(t, engine.Options{Store: store})
	other := resource.Document{DB: resource.Database{Project: "other", ID: resource.DefaultDatabase}, Path: "c/a"}
	if _, err := e.Commit(t.Context(), other.DB, request.Commit{Writes: []document.Write{{Name: other, Fields: n(1)}}}, engine.Unrestricted()); err != nil {
		t.Fatal(err)
	}
	keys := func() (all int) {
		t.Helper()
		it := store.Scan(kv.Range{From: []byte{0}, To: []byte{0xff}})
		for it.Next() {
			all++
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := keys()
	for i := range 1500 { // more than are removed one by one
		put(t, e, set(fmt.Sprintf("c/%d", i), n(i)))
	}
	last := put(t, e, set("c/a/d/b", n(1))).Version
	token, err := e.Snapshot(t.Context(), testDB.Project)
	if err != nil {
		t.Fatal(err)
	}
	id := begin(t, e, request.TransactionOptions{})
	follower := e.Subscribe(testDB)
	defer follower.Close()
	reading, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	if err := e.Forget(t.Context(), testDB.Project); err != nil {
		t.Fatal(err)
	}
	if got := keys(); got != before {
		t.Errorf("%d keys are stored, %d were before", got, before)
	}
	if d, err := reading.Get(t.Context(), doc("c/1")); d == nil || err != nil {
		t.Errorf("a reading that was open: %v, %v", d, err)
	}
	if _, err := follower.Next(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("the subscription: %v", err)
	}
	if err := commitIn(t.Context(), e, id, set("c/a", n(1))); err == nil {
		t.Error("the transaction was committed")
	}
	if err := e.Restore(t.Context(), testDB.Project, token); !fault.Is(err, fault.NotFound) {
		t.Errorf("the snapshot was restored: %v", err)
	}
	if exist(t, e, "c/1") || exist(t, e, "c/a/d/b") {
		t.Error("documents are left")
	}
	next := put(t, e, set("c/new", n(1))).Version
	if next <= last {
		t.Errorf("a version of the new database is %d, the former one had %d", next, last)
	}
	err = e.Changes(t.Context(), testDB, last, next, func(document.Commit) error { return nil })
	if !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("changes since a version of the former database: %v", err)
	}
	r, err := e.Read(t.Context(), other.DB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if d, err := r.Get(t.Context(), other); d == nil || err != nil {
		t.Errorf("the document of the other project: %v, %v", d, err)
	}
}

// TestForgetBesideCommits forgets a project again and again while it is written. Each commit is either refused or
// made in a database that exists or did.
func TestForgetBesideCommits(t *testing.T) {
	e := open(t, engine.Options{})
	ended := make(chan error)
	for w := range 4 {
		go func() {
			for i := range 100 {
				write := document.Write{Name: doc(fmt.Sprintf("c/%d-%d", w, i)), Fields: value.Map{"n": value.Int(i)}}
				_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{write}}, engine.Unrestricted())
				if err != nil && !fault.Is(err, fault.Aborted) {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	for range 50 {
		if err := e.Forget(t.Context(), testDB.Project); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := e.Forget(t.Context(), testDB.Project); err != nil {
		t.Fatal(err)
	}
	if left := e.Databases(); len(left) != 0 {
		t.Errorf("databases %v are left", left)
	}
}

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkProjects measures what a fresh project costs: its first document and a read, and dropping it.
func BenchmarkProjects(b *testing.B) {
	store, err := pebble.OpenMemory()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	e := open(b, engine.Options{Store: store})
	kept := make([]resource.Database, 0, b.N)
	b.ReportAllocs()
	before := heap()
	for i := range b.N {
		db := resource.Database{Project: fmt.Sprintf("demo-%d", i), ID: resource.DefaultDatabase}
		w := document.Write{Name: resource.Document{DB: db, Path: "c/a"}, Fields: n(i)}
		if _, err := e.Commit(b.Context(), db, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted()); err != nil {
			b.Fatal(err)
		}
		kept = append(kept, db)
	}
	b.StopTimer()
	b.ReportMetric(float64(heap()-before)/float64(b.N), "heap-B/project")
	began := time.Now()
	for _, db := range kept {
		if err := e.Forget(b.Context(), db.Project); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/float64(b.N), "µs/drop")
	b.ReportMetric(float64(heap()-before)/float64(b.N), "heap-B/dropped")
}
