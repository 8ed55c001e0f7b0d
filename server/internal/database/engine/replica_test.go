package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// recorded is a store that records the applied batches, as a log does.
type recorded struct {
	store.Store
	mu      sync.Mutex
	batches [][]store.Op
}

// Apply implements store.Store.
func (s *recorded) Apply(ctx context.Context, b *store.Batch) error {
	var ops []store.Op
	for _, op := range b.Ops {
		ops = append(ops, store.Op{Kind: op.Kind, Key: bytes.Clone(op.Key), Value: bytes.Clone(op.Value)})
	}
	err := s.Store.Apply(ctx, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, ops)
	return err
}

// take removes and returns the first n batches as one group, or all if n is negative.
func (s *recorded) take(n int) (ops []store.Op, more bool) {
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

// waiting reports whether there are batches.
func (s *recorded) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches) > 0
}

// pair is an engine that writes, and one that follows it.
type pair struct {
	t       *testing.T
	log     *recorded
	writer  *engine.Engine
	replica store.Store
	reader  *engine.Engine
	// follows has options of the engine that follows.
	follows engine.Options
	// applying is held while a group is applied.
	applying sync.Mutex
}

// newPair opens both.
func newPair(t *testing.T, o engine.Options) *pair {
	t.Helper()
	return newPairWith(t, o, engine.Options{})
}

// newPairWith opens both with options.
func newPairWith(t *testing.T, o, follows engine.Options) *pair {
	t.Helper()
	p := &pair{t: t, log: &recorded{}, follows: follows}
	for _, s := range []*store.Store{&p.log.Store, &p.replica} {
		store, err := pebble.OpenMemory()
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
	o := p.follows
	o.Store, o.Current = p.replica, p.current
	e, err := engine.Open(p.t.Context(), o)
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
	if err := p.replica.Apply(p.t.Context(), &store.Batch{Ops: ops}); err != nil {
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

// catchUp applies all batches.
func (p *pair) catchUp() {
	p.t.Helper()
	if err := p.apply(-1); err != nil {
		p.t.Fatalf("Applied = %v", err)
	}
}

// TestAFollowerAnswersAsTheWriter runs random queries on both engines, at the latest and at past versions, while the
// follower receives the writer's batches in random groups. Then the writer changes and builds indexes all the time, and
// queries run between any two of its batches, some in readings that were opened before.
func TestAFollowerAnswersAsTheWriter(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	during := 0
	for seed := range rounds {
		r := random{rand.New(rand.NewPCG(uint64(seed), 11))}
		p := newPair(t, engine.Options{IndexMode: engine.IndexesAuto})
		stop := runEngine(t, p.writer)
		setIndexes(t, p.writer, r.definitions())
		states := history(t, r, p.writer)
		if err := p.apply(1); err != nil { // the commit that the database is stored with
			t.Fatal(err)
		}
		label := fmt.Sprintf("follower, seed %d", seed)
		for range 50 {
			if err := p.apply(r.IntN(4)); err != nil {
				t.Fatal(err)
			}
			if q, err := r.query().Normalize(); err == nil {
				compareAnswers(t, p.reader, states[len(states)-1], q, label)
			}
		}
		p.catchUp()
		during += p.changeIndexes(r, states, label)
		stop()
		if t.Failed() {
			return
		}
	}
	t.Logf("%d queries ran while indexes changed", during)
	if during < 5*rounds {
		t.Errorf("only %d queries ran while indexes changed", during)
	}
}

// changeIndexes compares queries of states while the indexes change, and returns the number of those that ran between
// two batches of a change.
func (p *pair) changeIndexes(r random, states []state, label string) (during int) {
	t := p.t
	var held *engine.Reading
	var of state
	defer func() {
		if held != nil {
			held.Close()
		}
	}()
	for range 100 {
		switch r.IntN(10) {
		case 0:
			setIndexes(t, p.writer, r.definitions())
		case 1:
			for _, d := range r.definitions().Indexes {
				if err := p.writer.MissingIndex(testDB, d, true); err != nil {
					t.Fatal(err)
				}
			}
		case 2:
			if held != nil {
				held.Close()
			}
			of = states[r.IntN(len(states))]
			var err error
			if held, err = p.reader.Read(t.Context(), testDB, of.version); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.apply(r.IntN(2)); err != nil {
			t.Fatal(err)
		}
		if p.log.waiting() {
			during++
		}
		q, err := r.query().Normalize()
		if err != nil {
			continue
		}
		compareAnswers(t, p.reader, states[r.IntN(len(states)-1)], q, label)
		if held != nil {
			compareReading(t, held, of, q, label+", in an older reading")
		}
	}
	return during
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
			reading, err := p.reader.Read(t.Context(), testDB, request.At{})
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
				r, err := p.reader.Read(t.Context(), testDB, request.At{})
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
	_, err := p.reader.Commit(ctx, testDB, request.Commit{Writes: []document.Write{set("c/b", n(1))}}, engine.Unrestricted())
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("Commit = %v, want Unavailable", err)
	}
	if err := p.reader.Clear(ctx, testDB); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Clear = %v, want Unavailable", err)
	}
	_, err = p.reader.Read(ctx, testDB, request.At{Begin: &request.TransactionOptions{}})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("Read that begins a transaction = %v, want Unavailable", err)
	}
	wantN(t, p.reader, request.At{}, "c/a", value.Int(1))
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
	early, err := p.reader.Read(t.Context(), testDB, request.At{})
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
		wantN(t, p.reader, request.At{}, "c/a", value.Int(i))
	}
	if d, err := early.Get(t.Context(), doc("c/a")); err != nil || d != nil {
		t.Errorf("a reading from before the first commit has %v (%v), want nothing", d, err)
	}
	indexes, err := p.reader.Indexes(testDB)
	if err != nil || len(indexes) != 1 || indexes[0].Building {
		t.Errorf("the follower's indexes are %v (%v), want the one of the writer", indexes, err)
	}
}

// TestAFollowerLastsWhileIndexesChange receives a change of indexes batch by batch. The subscription continues, no
// query uses entries that are missing, and one that both definitions serve uses them all the time. An engine that is
// opened in the middle does the same.
func TestAFollowerLastsWhileIndexesChange(t *testing.T) {
	p := newPair(t, engine.Options{})
	for i := range 3 {
		put(t, p.writer, set(fmt.Sprintf("c/%d", i), value.Map{"kind": value.Int(1), "n": value.Int(i), "a": value.Int(1), "b": value.Int(i)}))
	}
	fields := func(names ...string) (d index.Definition) {
		for _, name := range names {
			d.Fields = append(d.Fields, index.Field{Path: name})
		}
		d.CollectionGroup = "c"
		return d
	}
	setIndexes(t, p.writer, index.Definitions{Indexes: []index.Definition{kindIndex, fields("a", "n")}})
	p.catchUp()
	sub := p.reader.Subscribe(testDB)
	defer sub.Close()
	setIndexes(t, p.writer, index.Definitions{Indexes: []index.Definition{kindIndex, fields("a", "b")}})
	changed := put(t, p.writer, set("c/3", value.Map{"kind": value.Int(1), "n": value.Int(3)})).Version
	for batches, more := 0, true; more; batches++ {
		if err := p.apply(1); err != nil {
			t.Fatalf("Applied of batch %d = %v", batches, err)
		}
		fresh, err := engine.Open(t.Context(), engine.Options{Store: p.replica, Current: func(context.Context) error { return nil }})
		if err != nil {
			t.Fatalf("Open after batch %d = %v", batches, err)
		}
		more = p.log.waiting()
		for _, e := range []*engine.Engine{p.reader, fresh} {
			got, stats := names(t, e, request.At{ReadTime: e.Latest(testDB)}, ofKind(t, 1))
			want := []string{"c/0", "c/1", "c/2", "c/3"}
			if more {
				want = want[:3]
			}
			if !slices.Equal(got, want) || !indexed(stats) {
				t.Errorf("after batch %d the query returned %q by %+v, want %q by the index that stays", batches, got, stats.Plans, want)
			}
		}
		if err := fresh.Close(); err != nil {
			t.Error(err)
		}
	}
	if c, err := sub.Next(t.Context()); err != nil || len(c) != 1 || c[0].Version != changed {
		t.Errorf("Next = %v, %v; want the commit after the change of indexes", c, err)
	}
}

// TestAnInterruptedChangeOfIndexesIsDoneAgain opens an engine on a store in which a change of definitions was
// interrupted, and another one that follows it. While all entries are written again, the follower's queries of entries
// are unavailable.
func TestAnInterruptedChangeOfIndexesIsDoneAgain(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/a", value.Map{"a": value.Int(1)}), set("c/b", value.Map{"a": value.Int(1)}))
	p.catchUp()
	without := index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "a"}}}
	setIndexes(t, p.writer, without)
	for range 2 { // of three batches: that it begins, the entries, and that it has ended
		ops, _ := p.log.take(1)
		if err := p.replica.Apply(t.Context(), &store.Batch{Ops: ops}); err != nil {
			t.Fatal(err)
		}
	}
	p.log = &recorded{Store: p.replica}
	p.replica = copied(t, p.replica)
	p.openReader()
	e := open(t, engine.Options{Store: p.log})
	setIndexes(t, e, index.Definitions{}) // what it was before
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"a"}, Op: query.Equal, Value: value.Int(1)}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	found := 0
	if _, err := r.Query(t.Context(), q, func(*document.Document) error { found++; return nil }); err != nil || found != 2 {
		t.Errorf("the query found %d documents (%v), want 2", found, err)
	}
	for more := true; more; {
		if err := p.apply(1); err != nil {
			t.Fatal(err)
		}
		more = p.log.waiting()
		r, err := p.reader.Read(t.Context(), testDB, request.At{ReadTime: p.reader.Latest(testDB)})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		_, err = r.Query(t.Context(), q, func(*document.Document) error { found++; return nil })
		r.Close()
		if more && !fault.Is(err, fault.Unavailable) || !more && (err != nil || found != 2) {
			t.Errorf("a follower's query found %d documents (%v), want 2 once the change is done and Unavailable before", found, err)
		}
	}
}

// copied returns a copy of a store.
func copied(t *testing.T, from store.Store) store.Store {
	t.Helper()
	to, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	var all store.Batch
	it := from.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		all.Set(bytes.Clone(it.Key()), bytes.Clone(v))
	}
	if err := errors.Join(it.Err(), to.Apply(t.Context(), &all)); err != nil {
		t.Fatal(err)
	}
	return to
}
