package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/index"
	"clave/server/operation"
	"clave/server/query"
	"clave/server/resource"
	"clave/server/storage"
	"clave/server/storage/pebblestore"
	"clave/server/value"
)

// recorded is a store that records the applied batches, as a log does.
type recorded struct {
	storage.Store
	mu      sync.Mutex
	batches [][]storage.Op
}

// Apply implements storage.Store.
func (s *recorded) Apply(ctx context.Context, b *storage.Batch) error {
	var ops []storage.Op
	for _, op := range b.Ops {
		ops = append(ops, storage.Op{Kind: op.Kind, Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value)})
	}
	err := s.Store.Apply(ctx, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, ops)
	return err
}

// take removes and returns the first n batches as one group, or all if n is negative.
func (s *recorded) take(n int) (ops []storage.Op, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 || n > len(s.batches) {
		n = len(s.batches)
	}
	for _, b := range s.batches[:n] {
		ops = append(ops, b...)
	}
	s.batches = s.batches[n:]
	return ops, len(ops) > 0
}

// pair is an engine that writes, and one that follows it.
type pair struct {
	t       *testing.T
	log     *recorded
	writer  *engine.Engine
	replica storage.Store
	reader  *engine.Engine
	// applying is held while a group is applied.
	applying sync.Mutex
}

// newPair opens both.
func newPair(t *testing.T, o engine.Options) *pair {
	t.Helper()
	p := &pair{t: t, log: &recorded{}}
	for _, s := range []*storage.Store{&p.log.Store, &p.replica} {
		store, err := pebblestore.OpenMemory()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		*s = store
	}
	o.Store = p.log
	p.writer = open(t, o)
	p.openReader()
	return p
}

// openReader opens the engine that follows.
func (p *pair) openReader() {
	e, err := engine.Open(p.t.Context(), engine.Options{Store: p.replica, Current: p.current})
	if err != nil {
		p.t.Fatal(err)
	}
	p.reader = e
	p.t.Cleanup(func() { _ = e.Close() })
}

// apply applies the next n batches to the follower as one group.
func (p *pair) apply(n int) error {
	p.applying.Lock()
	defer p.applying.Unlock()
	ops, more := p.log.take(n)
	if !more {
		return nil
	}
	if err := p.replica.Apply(p.t.Context(), &storage.Batch{Ops: ops}); err != nil {
		return err
	}
	return p.reader.Applied(ops)
}

// current implements Options.Current: it applies all commits that the writer has acknowledged.
func (p *pair) current(context.Context) error {
	versions := make(map[resource.Database]clock.Version)
	for _, db := range append(p.reader.Databases(), testDB) {
		versions[db] = p.writer.Latest(db)
	}
	if err := p.apply(-1); err != nil {
		return err
	}
	p.reader.Advance(versions)
	return nil
}

// catchUp applies all batches. It reopens the reader if necessary.
func (p *pair) catchUp() {
	p.t.Helper()
	err := p.apply(-1)
	if errors.Is(err, engine.ErrReopen) {
		p.openReader()
	} else if err != nil {
		p.t.Fatalf("Applied = %v", err)
	}
}

// TestAFollowerAnswersAsTheWriter runs random queries on both engines, at the latest and at past versions, while the
// follower receives the writer's batches in random groups and its indexes change.
func TestAFollowerAnswersAsTheWriter(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for seed := range rounds {
		r := random{rand.New(rand.NewPCG(uint64(seed), 11))}
		p := newPair(t, engine.Options{})
		setIndexes(t, p.writer, r.definitions())
		states := history(t, r, p.writer)
		if err := p.apply(1); err != nil { // the commit that the database is stored with
			t.Fatal(err)
		}
		for n := range 100 {
			if err := p.apply(r.IntN(4)); err != nil {
				t.Fatal(err)
			}
			q, err := r.query().Normalize()
			if err != nil {
				continue
			}
			if n == 50 {
				p.catchUp()
				setIndexes(t, p.writer, r.definitions())
				p.catchUp()
			}
			s := states[len(states)-1]
			if r.IntN(3) == 0 && n > 50 {
				s = states[r.IntN(len(states))]
			}
			compareAnswers(t, p.reader, s, q, fmt.Sprintf("follower, seed %d", seed))
		}
		if t.Failed() {
			return
		}
	}
}

// TestAFollowersFeed compares the commits from subscriptions at both engines, and the versions of reads with those of
// commits.
func TestAFollowersFeed(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/a", n(0)))
	p.catchUp()
	sub := p.reader.Subscribe(testDB)
	defer sub.Close()
	own := p.writer.Subscribe(testDB)
	defer own.Close()
	r := rand.New(rand.NewPCG(1, 1))
	var last clock.Version
	for i := range 200 {
		version := put(t, p.writer, set(fmt.Sprintf("c/%d", i%7), n(i))).Version
		if last >= version {
			t.Fatalf("a read had the version %d before the commit of %d", last, version)
		}
		if err := p.apply(r.IntN(3)); err != nil {
			t.Fatal(err)
		}
		if i%5 == 0 {
			reading, err := p.reader.Read(t.Context(), testDB, operation.At{})
			if err != nil {
				t.Fatal(err)
			}
			if reading.Version() < version || reading.Version() < last {
				t.Fatalf("a read has the version %d after a commit of %d and a read of %d", reading.Version(), version, last)
			}
			last = reading.Version()
			reading.Close()
		}
	}
	p.catchUp()
	want, got := drain(t, own, 200), drain(t, sub, 200)
	for i := range want {
		if want[i].Version != got[i].Version || len(got[i].Changes) != 1 || !value.Identical(want[i].Changes[0].After.Fields, got[i].Changes[0].After.Fields) {
			t.Fatalf("commit %d is %+v at the follower, want %+v", i, got[i], want[i])
		}
	}
}

// drain takes n commits from a subscription.
func drain(t *testing.T, s *engine.Subscription, n int) (out []document.Commit) {
	t.Helper()
	for len(out) < n {
		commits, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, commits...)
	}
	return out
}

// TestAFollowerUnderLoad reads and listens at the follower while the writer commits. Each read must return every commit
// that was acknowledged before it, and only complete commits.
func TestAFollowerUnderLoad(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/a", n(0)), set("c/b", n(0)))
	p.catchUp()
	var acknowledged clock.Version
	var mu sync.Mutex
	var running sync.WaitGroup
	running.Go(func() {
		for i := range 300 {
			// A write that changes nothing has no update time.
			version := put(t, p.writer, set("c/a", n(i+1)), set("c/b", n(i+1))).Version
			mu.Lock()
			acknowledged = version
			mu.Unlock()
		}
	})
	for range 4 {
		running.Go(func() {
			for range 200 {
				mu.Lock()
				least := acknowledged
				mu.Unlock()
				r, err := p.reader.Read(t.Context(), testDB, operation.At{})
				if err != nil {
					t.Error(err)
					return
				}
				a, errA := r.Get(t.Context(), doc("c/a"))
				b, errB := r.Get(t.Context(), doc("c/b"))
				if errA != nil || errB != nil || r.Version() < least || a.UpdateTime < least || a.UpdateTime != b.UpdateTime || a.UpdateTime > r.Version() {
					t.Errorf("a read at %d has %v and %v (%v, %v) after %d was acknowledged", r.Version(), a, b, errA, errB, least)
				}
				r.Close()
			}
		})
	}
	running.Wait()
}

// TestAFollowerTakesNoWrites checks that a follower refuses writes and transactions.
func TestAFollowerTakesNoWrites(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/a", n(1)))
	p.catchUp()
	ctx := t.Context()
	_, err := p.reader.Commit(ctx, testDB, operation.Commit{Writes: []document.Write{set("c/b", n(1))}}, engine.Unrestricted())
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("Commit = %v, want Unavailable", err)
	}
	if err := p.reader.Clear(ctx, testDB); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Clear = %v, want Unavailable", err)
	}
	_, err = p.reader.Read(ctx, testDB, operation.At{Begin: &operation.TransactionOptions{}})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("Read that begins a transaction = %v, want Unavailable", err)
	}
	wantN(t, p.reader, operation.At{}, "c/a", value.Int(1))
}

// TestAFollowerHasADatabaseBeforeItsFirstCommit reads a database at a follower, and subscribes to it, before its first
// commit. Afterwards reads and the subscription must return the first and later commits.
func TestAFollowerHasADatabaseBeforeItsFirstCommit(t *testing.T) {
	p := newPair(t, engine.Options{})
	two := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b"}}}}}
	setIndexes(t, p.writer, two)
	setIndexes(t, p.reader, two)
	sub := p.reader.Subscribe(testDB)
	defer sub.Close()
	early, err := p.reader.Read(t.Context(), testDB, operation.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	for i := range 3 {
		put(t, p.writer, set("c/a", value.Map{"n": value.Int(i), "a": value.Int(1), "b": value.Int(2)}))
		if err := p.apply(-1); err != nil {
			t.Fatalf("Applied of commit %d = %v", i, err)
		}
		c, err := sub.Next(t.Context())
		if err != nil || len(c) != 1 || len(c[0].Changes) != 1 {
			t.Fatalf("Next after commit %d = %v, %v; want one commit with one change", i, c, err)
		}
		wantN(t, p.reader, operation.At{}, "c/a", value.Int(i))
	}
	if d, err := early.Get(t.Context(), doc("c/a")); err != nil || d != nil {
		t.Errorf("a reading from before the first commit has %v (%v), want nothing", d, err)
	}
	indexes, err := p.reader.Indexes(testDB)
	if err != nil || len(indexes) != 1 || indexes[0].Building {
		t.Errorf("the follower's indexes are %v (%v), want the one of the writer", indexes, err)
	}
}

// TestAFollowerEndsWhenIndexesChange checks that, from the first group of a change of indexes on, no read uses entries
// that are being removed.
func TestAFollowerEndsWhenIndexesChange(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/a", value.Map{"a": value.Int(1), "b": value.Int(2)}))
	two := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b"}}}}}
	setIndexes(t, p.writer, two)
	p.catchUp()
	sub := p.reader.Subscribe(testDB)
	setIndexes(t, p.writer, index.Definitions{})
	if err := p.apply(1); !errors.Is(err, engine.ErrReopen) {
		t.Fatalf("Applied = %v, want ErrReopen", err)
	}
	if err := p.reader.Applied(nil); !errors.Is(err, engine.ErrReopen) {
		t.Errorf("the next Applied = %v, want ErrReopen", err)
	}
	if _, err := p.reader.Read(t.Context(), testDB, operation.At{ReadTime: 1}); err == nil {
		t.Error("a read at an engine that must be opened again is answered")
	}
	if _, err := sub.Next(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Next = %v, want ErrClosed", err)
	}
	if _, err := engine.Open(t.Context(), engine.Options{Store: p.replica, Current: p.current}); !errors.Is(err, engine.ErrReopen) {
		t.Errorf("Open while entries change = %v, want ErrReopen", err)
	}
	rest, _ := p.log.take(-1)
	if err := p.replica.Apply(t.Context(), &storage.Batch{Ops: rest}); err != nil {
		t.Fatal(err)
	}
	p.openReader()
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.reader.Read(t.Context(), testDB, operation.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Query(t.Context(), q, func(*document.Document) error { return nil }); err != nil {
		t.Errorf("Query = %v", err)
	}
}

// TestAnInterruptedChangeOfIndexesIsDoneAgain opens an engine on a store in which a change of definitions was
// interrupted.
func TestAnInterruptedChangeOfIndexesIsDoneAgain(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/a", value.Map{"a": value.Int(1)}), set("c/b", value.Map{"a": value.Int(1)}))
	p.catchUp()
	without := index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "a"}}}
	setIndexes(t, p.writer, without)
	for range 2 { // of three batches: that it begins, the entries, and that it has ended
		ops, _ := p.log.take(1)
		if err := p.replica.Apply(t.Context(), &storage.Batch{Ops: ops}); err != nil {
			t.Fatal(err)
		}
	}
	e := open(t, engine.Options{Store: p.replica})
	setIndexes(t, e, index.Definitions{}) // what it was before
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"a"}, Op: query.Equal, Value: value.Int(1)}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Read(t.Context(), testDB, operation.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	found := 0
	if _, err := r.Query(t.Context(), q, func(*document.Document) error { found++; return nil }); err != nil || found != 2 {
		t.Errorf("the query found %d documents (%v), want 2", found, err)
	}
}
