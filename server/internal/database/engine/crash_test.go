package engine_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// TestNothingAcknowledgedIsLost crashes at random times while several clients write pairs of documents. A new server
// must have every acknowledged commit, completely, and indexes that agree with the documents.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := pebble.Open("data", pebble.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	e := open(t, engine.Options{Store: s})
	const writers, rounds, cuts = 4, 30, 8
	var mu sync.Mutex
	acknowledged := make([]int, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 1; i <= rounds; i++ {
				put(t, e, set(fmt.Sprintf("c/%d-a", w), n(i)), set(fmt.Sprintf("c/%d-b", w), n(i)))
				mu.Lock()
				acknowledged[w] = i
				mu.Unlock()
			}
		})
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range cuts {
		mu.Lock()
		least := append([]int(nil), acknowledged...)
		mu.Unlock()
		// Of the data that were written and not synced, some reach the disk and some do not.
		checkCrash(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rnd.IntN(101), RNG: rnd}), least)
	}
	wg.Wait()
	checkCrash(t, fs.CrashClone(vfs.CrashCloneCfg{}), acknowledged)
}

// checkCrash opens the store after a crash and compares it with the acknowledged commits.
func checkCrash(t *testing.T, fs *vfs.MemFS, least []int) {
	t.Helper()
	s, err := pebble.Open("data", pebble.Options{FS: fs})
	if err != nil {
		t.Fatalf("Open after a crash = %v", err)
	}
	defer func() { _ = s.Close() }()
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatalf("engine.Open after a crash = %v", err)
	}
	defer func() { _ = e.Close() }()
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	found := make(map[string]value.Value)
	if _, err := r.Query(t.Context(), byN(t, 0, query.NoLimit), func(d *document.Document) error {
		found[d.Name.Path] = d.Fields["n"]
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for w, want := range least {
		a, b := fmt.Sprintf("c/%d-a", w), fmt.Sprintf("c/%d-b", w)
		got, _ := found[a].(value.Int)
		if found[a] != found[b] || int(got) < want {
			t.Errorf("writer %d: the index has %v and %v, acknowledged was %d", w, found[a], found[b], want)
		}
		d, err := r.Get(t.Context(), doc(a))
		if err != nil || d != nil && d.Fields["n"] != found[a] {
			t.Errorf("writer %d: document and index differ (%v)", w, err)
		}
	}
}

// TestAReopenedEngineContinues checks versions, history, definitions and transactions across a restart.
func TestAReopenedEngineContinues(t *testing.T) {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	first, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	setIndexes(t, first, random{rand.New(rand.NewPCG(5, 5))}.definitions())
	one := put(t, first, set("c/a", n(1)))
	two := put(t, first, set("c/a", n(2)))
	old := begin(t, first, request.TransactionOptions{})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	e := open(t, engine.Options{Store: s})
	wantN(t, e, request.At{}, "c/a", value.Int(2))
	wantN(t, e, request.At{ReadTime: one.Version}, "c/a", value.Int(1))
	if three := put(t, e, set("c/b", n(3))); three.Version <= two.Version {
		t.Errorf("version after a restart = %d, want more than %d", three.Version, two.Version)
	}
	if err := commitIn(t.Context(), e, old, set("c/a", n(9))); err == nil {
		t.Error("a transaction outlived the server")
	}
	var seen int
	err = e.Changes(t.Context(), testDB, one.Version, e.Latest(testDB), func(c document.Commit) error { seen++; return nil })
	if err != nil || seen != 2 {
		t.Errorf("Changes after a restart gave %d commits (%v), want 2", seen, err)
	}
}
