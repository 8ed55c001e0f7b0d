package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// archive moves old commits to the history.
func archive(t testing.TB, e *engine.Engine) {
	t.Helper()
	if err := e.Archive(t.Context()); err != nil {
		t.Fatalf("Archive = %v", err)
	}
}

// longPast is an engine whose commits are made at different times, and what the documents were at each of them.
type longPast struct {
	random
	clock *clocktest.Manual
	store *pebble.Store
	e     *engine.Engine
	// versions are those of the commits, and docs the documents after each.
	versions []clock.Version
	docs     []model
	changes  map[string]int
}

// newLongPast opens an engine with a history of a week.
func newLongPast(t *testing.T, seed uint64) *longPast {
	t.Helper()
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p := &longPast{random: random{rand.New(rand.NewPCG(seed, 11))}, clock: clocktest.NewManual(time.Unix(1e9, 0)), store: s, changes: map[string]int{}}
	p.reopen(t)
	return p
}

// reopen opens the engine on the store, again if it is open.
func (p *longPast) reopen(t *testing.T) {
	t.Helper()
	if p.e != nil {
		if err := p.e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: p.store, Clock: p.clock, History: 7 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	p.e = e
	e.SetSegmentBytes(1000 + p.IntN(3000))
}

// commit commits random writes, and advances the clock.
func (p *longPast) commit(t *testing.T) {
	t.Helper()
	next := model{}
	if len(p.docs) > 0 {
		next = maps.Clone(p.docs[len(p.docs)-1])
	}
	var writes []document.Write
	names := paths()
	for _, i := range p.Perm(len(names))[:1+p.IntN(3)] {
		name := doc(names[i])
		if delete(next, name.Path); p.IntN(4) == 0 {
			writes = append(writes, document.Write{Op: document.Delete, Name: name})
			continue
		}
		w := set(name.Path, p.fields())
		writes, next[name.Path] = append(writes, w), &document.Document{Name: name, Fields: w.Fields}
	}
	before := len(p.docs)
	version := put(t, p.e, writes...).Version
	p.versions, p.docs = append(p.versions, version), append(p.docs, next)
	for _, w := range writes {
		if before > 0 && p.docs[before-1][w.Name.Path] != nil || next[w.Name.Path] != nil {
			p.changes[w.Name.Path]++
		}
	}
	p.clock.Advance(time.Duration(p.IntN(600)) * time.Second)
}

// at returns the documents at a version.
func (p *longPast) at(v clock.Version) model {
	i, found := slices.BinarySearch(p.versions, v)
	if found {
		i++
	}
	if i == 0 {
		return model{}
	}
	return p.docs[i-1]
}

// compare compares the documents and answers at a version with the model's.
func (p *longPast) compare(t *testing.T, v clock.Version) {
	t.Helper()
	want := p.at(v)
	r, err := p.e.Read(t.Context(), testDB, request.At{ReadTime: v})
	if err != nil {
		t.Fatalf("Read at %s = %v, now %s", v.Time(), err, p.clock.Now().UTC())
	}
	defer r.Close()
	names := paths()
	if p.IntN(2) == 0 {
		for _, path := range names {
			d, err := r.Get(t.Context(), doc(path))
			compareDocument(t, path, d, err, want)
		}
	} else {
		all := make([]resource.Document, len(names))
		for i, path := range names {
			all[i] = doc(path)
		}
		docs := map[string]*document.Document{}
		if err := r.GetAll(t.Context(), all, func(name resource.Document, d *document.Document) error { docs[name.Path] = d; return nil }); err != nil {
			t.Fatal(err)
		}
		for _, path := range names {
			compareDocument(t, path, docs[path], nil, want)
		}
	}
	for range 10 {
		if q, err := p.query().Normalize(); err == nil {
			compareReading(t, r, state{docs: want}, q, fmt.Sprintf("at %s", v.Time()))
		}
	}
}

// compareDocument compares a document with the model's.
func compareDocument(t *testing.T, path string, d *document.Document, err error, want model) {
	t.Helper()
	if err != nil || (d == nil) != (want[path] == nil) || d != nil && !value.Identical(d.Fields, want[path].Fields) {
		t.Errorf("%s = %+v (%v), want %+v", path, d, err, want[path])
	}
}

// TestTheHistoryEqualsTheModel reads documents and queries at random times of days, while commits are made and moved to
// the history and the engine is opened again.
func TestTheHistoryEqualsTheModel(t *testing.T) {
	for seed := range uint64(2) {
		p := newLongPast(t, seed)
		if seed%2 == 0 {
			setIndexes(t, p.e, p.definitions())
		}
		for range 150 {
			p.commit(t)
			if p.IntN(10) == 0 {
				archive(t, p.e)
			}
			if p.IntN(60) == 0 {
				p.reopen(t)
			}
			if p.IntN(10) == 0 {
				first := p.versions[0]
				p.compare(t, first-1+clock.Version(p.Int64N(int64(p.versions[len(p.versions)-1]-first+2))))
				p.compare(t, p.versions[p.IntN(len(p.versions))])
			}
		}
		if p.e.HistoryState().Bytes == 0 {
			t.Error("nothing was moved to the history")
		}
		p.compareChanges(t)
		if t.Failed() {
			return
		}
	}
}

// TestTheHistoryEnds drops what is older than the window or beyond the maximum of bytes, and refuses reads before that
// with the errors for times that are not retained.
func TestTheHistoryEnds(t *testing.T) {
	p := newLongPast(t, 21)
	for range 500 {
		p.commit(t)
	}
	archive(t, p.e)
	p.clock.Advance(134 * time.Hour)
	archive(t, p.e)
	full := p.e.HistoryState()
	window := clock.VersionOf(p.clock.Now().Add(-7 * 24 * time.Hour))
	if got := p.e.Earliest(testDB); got != window {
		t.Errorf("the earliest version is that of %s, want %s", got.Time(), window.Time())
	}
	p.compare(t, window)
	_, err := p.e.Read(t.Context(), testDB, request.At{ReadTime: window - 1})
	wantCode(t, "read before the window", err, fault.FailedPrecondition)

	p.clock.Advance(12 * time.Hour)
	archive(t, p.e)
	if got := p.e.HistoryState(); got.Bytes >= full.Bytes || got.Shrunk != 0 {
		t.Errorf("a day later the history has %+v, before %+v", got, full)
	}
	p.compare(t, clock.VersionOf(p.clock.Now().Add(-7*24*time.Hour)))

	most := p.e.HistoryState().Bytes / 2
	if err := p.e.Close(); err != nil {
		t.Fatal(err)
	}
	p.e = open(t, engine.Options{Store: p.store, Clock: p.clock, History: 7 * 24 * time.Hour, HistoryBytes: most})
	archive(t, p.e)
	if got := p.e.HistoryState(); got.Bytes > most || got.Bytes == 0 || got.Shrunk != 1 {
		t.Errorf("with at most %d bytes the history has %+v", most, got)
	}
	earliest := p.e.Earliest(testDB)
	p.compare(t, earliest)
	_, err = p.e.Read(t.Context(), testDB, request.At{ReadTime: earliest - 1})
	wantCode(t, "read before what is left", err, fault.FailedPrecondition)
	p.commit(t) // No write is refused.

	if err := p.e.Close(); err != nil {
		t.Fatal(err)
	}
	p.e = open(t, engine.Options{Store: p.store, Clock: p.clock})
	p.clock.Advance(time.Minute)
	runFor(t, p.e, p.clock, 61)
	if got := p.e.HistoryState(); got.Bytes != 0 || got.Window != time.Hour {
		t.Errorf("without a history the engine has %+v", got)
	}
	p.compare(t, p.versions[len(p.versions)-1])
}

// TestTheClockIsSetBack keeps the history when the clock is set back.
func TestTheClockIsSetBack(t *testing.T) {
	p := newLongPast(t, 31)
	for range 200 {
		p.commit(t)
	}
	archive(t, p.e)
	before := p.e.HistoryState()
	p.clock.Advance(-12 * time.Hour)
	for range 50 {
		p.commit(t)
	}
	archive(t, p.e)
	p.reopen(t)
	p.clock.Advance(30 * time.Hour)
	archive(t, p.e)
	if got := p.e.HistoryState(); got.Bytes <= before.Bytes {
		t.Errorf("the history has %d bytes, before %d", got.Bytes, before.Bytes)
	}
	for range 20 {
		p.compare(t, p.versions[p.IntN(len(p.versions))])
	}
}

// TestAFollowerReadsTheHistory reads the past at an engine that receives the segments as it receives commits.
func TestAFollowerReadsTheHistory(t *testing.T) {
	manual := clocktest.NewManual(time.Unix(1e9, 0))
	r := random{rand.New(rand.NewPCG(41, 1))}
	p := newPairWith(t, engine.Options{Clock: manual, History: 24 * time.Hour}, engine.Options{Clock: manual, History: 24 * time.Hour})
	p.writer.SetSegmentBytes(3000)
	states := history(t, r, p.writer)
	p.catchUp()
	manual.Advance(2 * time.Hour)
	put(t, p.writer, set("c/1", n(1)))
	archive(t, p.writer)
	if p.writer.HistoryState().Bytes == 0 {
		t.Fatal("nothing was moved")
	}
	for reopened := range 2 {
		for more := true; more; more = p.log.waiting() {
			if err := p.apply(1); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if q, err := r.query().Normalize(); err == nil {
					compareAnswers(t, p.reader, states[r.IntN(len(states)-1)], q, fmt.Sprint("reopened ", reopened))
				}
			}
		}
		if got, want := p.reader.HistoryState().Bytes, p.writer.HistoryState().Bytes; got != want {
			t.Errorf("the follower's history has %d bytes, want %d", got, want)
		}
		if err := p.reader.Close(); err != nil {
			t.Fatal(err)
		}
		p.openReader()
	}
	manual.Advance(23 * time.Hour)
	put(t, p.writer, set("c/1", n(2)))
	archive(t, p.writer)
	p.catchUp()
	if got, want := p.reader.Earliest(testDB), p.writer.Earliest(testDB); got != want || p.reader.HistoryState().Bytes != 0 {
		t.Errorf("the follower reads from %s on, want %s", got.Time(), want.Time())
	}
	_, err := p.reader.Read(t.Context(), testDB, states[0].version)
	wantCode(t, "read of what is dropped", err, fault.FailedPrecondition)
}

// TestCrashesWhileCommitsMove ends the process before any write of moving commits to the history. Afterwards each
// version can be read, and each change is in the history once.
func TestCrashesWhileCommitsMove(t *testing.T) {
	mem, moving := vfs.NewCrashableMem(), false
	r := random{rand.New(rand.NewPCG(51, 1))}
	var crashes []*vfs.MemFS
	var mu sync.Mutex
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if mu.Lock(); moving && (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
			crashes = append(crashes, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r.Rand}))
		}
		mu.Unlock()
		return nil
	}))
	s, err := pebble.Open("data", pebble.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	p := &longPast{random: r, clock: clocktest.NewManual(time.Unix(1e9, 0)), store: s, changes: map[string]int{}}
	p.reopen(t)
	p.e.SetSegmentBytes(2000)
	for range 100 {
		p.commit(t)
	}
	mu.Lock()
	moving = true
	mu.Unlock()
	archive(t, p.e)
	mu.Lock()
	moving = false
	mu.Unlock()
	if err := errors.Join(p.e.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if len(crashes) < 10 {
		t.Fatalf("only %d crashes", len(crashes))
	}
	r.Shuffle(len(crashes), func(i, j int) { crashes[i], crashes[j] = crashes[j], crashes[i] })
	partly := 0
	for i, crash := range crashes[:10] {
		crashed := *p
		crashed.e, crashed.random = nil, random{rand.New(rand.NewPCG(uint64(i), 2))}
		if crashed.store, err = pebble.Open("data", pebble.Options{FS: crash}); err != nil {
			t.Fatal(err)
		}
		crashed.reopen(t)
		if bytes := crashed.e.HistoryState().Bytes; bytes > 0 && bytes < p.e.HistoryState().Bytes {
			partly++
		}
		crashed.compare(t, p.versions[crashed.IntN(len(p.versions))])
		crashed.compareChanges(t)
		archive(t, crashed.e)
		crashed.compareChanges(t)
		if err := errors.Join(crashed.e.Close(), crashed.store.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if partly == 0 {
		t.Error("no crash left a part of the history")
	}
}

// compareChanges compares the changes of each document with the model's: each is there once.
func (p *longPast) compareChanges(t *testing.T) {
	t.Helper()
	for path, want := range p.changes {
		n, last := 0, clock.Version(0)
		since, err := p.e.History(t.Context(), doc(path), func(v clock.Version, _ document.Change) error {
			if v <= last {
				t.Errorf("%s: version %d after %d", path, v, last)
			}
			n, last = n+1, v
			return nil
		})
		if err != nil || n != want || since >= p.versions[0] {
			t.Errorf("%s has %d changes since %s (%v), want %d", path, n, since.Time(), err, want)
		}
	}
}

// fullStore is a store without space except for deletions.
type fullStore struct {
	store.Store
	full bool
}

// Apply implements store.Store.
func (s *fullStore) Apply(ctx context.Context, b *store.Batch) error {
	if s.full && !b.Deletes {
		return store.ErrFull
	}
	return s.Store.Apply(ctx, b)
}

// TestTheHistoryMakesRoom drops the oldest part of the history when commits can't be moved because the disk is full.
func TestTheHistoryMakesRoom(t *testing.T) {
	p := newLongPast(t, 61)
	full := &fullStore{Store: p.store}
	if err := p.e.Close(); err != nil {
		t.Fatal(err)
	}
	p.e = open(t, engine.Options{Store: full, Clock: p.clock, History: 7 * 24 * time.Hour})
	p.e.SetSegmentBytes(2000)
	for range 100 {
		p.commit(t)
	}
	archive(t, p.e)
	before := p.e.HistoryState()
	p.clock.Advance(time.Hour)
	full.full = true
	archive(t, p.e)
	if got := p.e.HistoryState(); got.Bytes >= before.Bytes || got.Bytes == 0 || got.Shrunk != 1 {
		t.Errorf("on a full disk the history has %+v, before %+v", got, before)
	}
	p.compare(t, p.e.Earliest(testDB))
	for p.e.HistoryState().Bytes > 0 {
		archive(t, p.e)
	}
	archive(t, p.e) // drops the commits that can't be moved
	p.compare(t, p.e.Earliest(testDB))
	full.full = false
	for range 100 {
		p.commit(t)
	}
	archive(t, p.e)
	if p.e.HistoryState().Bytes == 0 {
		t.Error("nothing is moved when there is space again")
	}
	p.compare(t, p.e.Earliest(testDB))
}

// TestDamagedCommitsEndTheHistory drops what is before a commit that can't be decoded, and continues behind it.
func TestDamagedCommitsEndTheHistory(t *testing.T) {
	p := newLongPast(t, 71)
	for range 100 {
		p.commit(t)
	}
	archive(t, p.e)
	for range 40 {
		p.commit(t)
	}
	var b store.Batch
	number := uint32(1)
	b.Set(keys.Change(number, p.versions[110]), []byte{0xff})
	if err := p.store.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	p.reopen(t)
	p.e.SetSegmentBytes(1000)
	p.clock.Advance(2 * time.Hour)
	for range 60 {
		p.commit(t)
	}
	archive(t, p.e)
	archive(t, p.e)
	if earliest := p.e.Earliest(testDB); earliest < p.versions[110] {
		t.Errorf("versions can be read from %s on, which is before the damage", earliest.Time())
	}
	for range 10 {
		p.compare(t, p.versions[140+p.IntN(60)])
	}
}
