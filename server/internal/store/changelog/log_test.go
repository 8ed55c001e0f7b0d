package changelog_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// open opens a store with a log in a data folder.
func open(t *testing.T, data string, limit int64) (*pebble.Store, *changelog.Log) {
	t.Helper()
	l := changelog.New(changelog.Options{Dir: data, Limit: limit, Clock: clock.System()})
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{Recorder: l, MemTableBytes: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

// content returns the keys and values of a store, except those of marks.
func content(t *testing.T, r store.Reader) map[string]string {
	t.Helper()
	all := make(map[string]string)
	it := r.Scan(store.Range{})
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(it.Key(), []byte("backup/")) {
			all[string(it.Key())] = string(v)
		}
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		t.Fatal(err)
	}
	return all
}

// taken takes and removes everything that a log has collected, and applies it to a store in memory.
func taken(t *testing.T, l *changelog.Log, to *pebble.Store) (n int, last time.Time) {
	t.Helper()
	for {
		id, c := l.Take(false)
		if c == nil {
			return n, last
		}
		err := changelog.Records(c.Records, c.From, c.To, func(r changelog.Record) error {
			if !r.At.After(last) {
				t.Errorf("a batch of %v follows one of %v", r.At, last)
			}
			n, last = n+1, r.At
			return to.ApplyUnsynced(&store.Batch{Ops: r.Ops})
		})
		if err != nil {
			t.Fatal(err)
		}
		l.Done(id, c, "sum")
	}
}

// same compares the contents of two stores.
func same(t *testing.T, when string, a, b store.Reader) {
	t.Helper()
	is, want := content(t, a), content(t, b)
	if len(is) != len(want) {
		t.Fatalf("%s the log has %d keys, want %d", when, len(is), len(want))
	}
	for k, v := range want {
		if is[k] != v {
			t.Fatalf("%s the log has %d bytes at %q, want %d", when, len(is[k]), k, len(v))
		}
	}
}

// TestConcurrentBatches applies batches of all kinds, some larger than a table in memory, from several goroutines.
// What the log has collected makes the same store.
func TestConcurrentBatches(t *testing.T) {
	s, l := open(t, t.TempDir(), 0)
	defer func() { _ = s.Close() }()
	if err := l.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for range 60 {
				var b store.Batch
				for range 1 + random.IntN(4) {
					key := fmt.Appendf(nil, "k%02d", random.IntN(40))
					switch random.IntN(8) {
					case 0:
						b.Delete(key)
					case 1:
						b.DeleteRange(key, fmt.Appendf(nil, "k%02d", random.IntN(40)+1))
					default:
						b.Set(key, bytes.Repeat([]byte{byte(random.Int())}, random.IntN(50)))
					}
				}
				if random.IntN(20) == 0 {
					b.Set(fmt.Appendf(nil, "large%d", w), make([]byte, 300<<10))
				}
				if err := s.Apply(t.Context(), &b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	to, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.Close() }()
	if n, _ := taken(t, l, to); n != 4*60+1 {
		t.Errorf("the log has %d batches, want %d and the mark", n, 4*60)
	}
	same(t, "after concurrent batches", to, s)
	if waiting, since := l.Waiting(); waiting != 0 || !since.IsZero() {
		t.Errorf("%d bytes since %v wait, want none", waiting, since)
	}
}

// back is a clock that is set back by an hour at each reading.
type back struct {
	clock.Clock
	hours *int
}

// Now implements clock.Clock.
func (b back) Now() time.Time {
	*b.hours++
	return time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC).Add(-time.Duration(*b.hours) * time.Hour)
}

// TestAClockThatIsSetBack collects batches while the clock is set back. Their times go on.
func TestAClockThatIsSetBack(t *testing.T) {
	l := changelog.New(changelog.Options{Dir: t.TempDir(), Clock: back{clock.System(), new(int)}})
	s, err := pebble.Open(filepath.Join(t.TempDir(), "store"), pebble.Options{Recorder: l})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := l.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	first, err := l.Mark(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		var b store.Batch
		b.Set(fmt.Appendf(nil, "k%d", i), []byte("v"))
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	to, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.Close() }()
	if n, last := taken(t, l, to); n != 7 || last.UnixMicro() != first.At+5 {
		t.Errorf("%d batches end at %v, want 7, the last one 5 µs after %d", n, last, first.At)
	}
}

// TestALogIsBounded writes more than a log may collect. It ends, and says why, and the next one is whole.
func TestALogIsBounded(t *testing.T) {
	s, l := open(t, t.TempDir(), 1<<20)
	defer func() { _ = s.Close() }()
	if err := l.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	first, _ := l.ID()
	for i := range 12 {
		var b store.Batch
		b.Set(fmt.Appendf(nil, "k%d", i), make([]byte, 100<<10))
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if id, why := l.ID(); id != "" || why == "" {
		t.Fatalf("the log is %q, %q, want an end", id, why)
	}
	if m, err := l.Mark(t.Context(), s); err != nil || m != (changelog.Mark{}) {
		t.Errorf("a mark without a log is %+v, %v", m, err)
	}
	if err := l.Begin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	m, err := l.Mark(t.Context(), s)
	if id, _ := l.ID(); err != nil || id == first || m.Log != id || m.Seq == 0 {
		t.Errorf("a mark of the next log %q is %+v, %v", id, m, err)
	}
}

// TestAnOrderlyEnd closes the store and the log with batches that were not written elsewhere. The next process has
// them, unless the data were changed meanwhile.
func TestAnOrderlyEnd(t *testing.T) {
	for _, changed := range []bool{false, true} {
		data := t.TempDir()
		s, l := open(t, data, 0)
		if err := l.Begin(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			var b store.Batch
			b.Set(fmt.Appendf(nil, "k%d", i), []byte("v"))
			if err := s.Apply(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.Close(), l.Close()); err != nil {
			t.Fatal(err)
		}
		if changed {
			other, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var b store.Batch
			b.Set([]byte("other"), []byte("v"))
			if err := errors.Join(other.Apply(t.Context(), &b), other.Close()); err != nil {
				t.Fatal(err)
			}
		}
		s, l = open(t, data, 0)
		l.Resume(t.Context(), s)
		id, why := l.ID()
		if (id == "") != changed || (why != "") != changed {
			t.Errorf("with data changed meanwhile: %t, the log is %q, %q", changed, id, why)
		}
		if !changed {
			to, err := pebble.OpenMemory()
			if err != nil {
				t.Fatal(err)
			}
			taken(t, l, to)
			same(t, "after an orderly end", to, s)
			_ = to.Close()
		}
		if err := errors.Join(s.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}
}

// FuzzSegment parses damaged segments: it returns an error or a segment that has the same stored form.
func FuzzSegment(f *testing.F) {
	records := func(each ...[]byte) []byte { return bytes.Join(each, nil) }
	one := records([]byte{5, 1, 0, 1, 'k', 1, 'v'}, []byte{6, 2, 1, 1, 'k', 2, 1, 'a', 1, 'b'})
	stored, _, err := changelog.Segment{Log: "abcdefgh", Number: 1, From: 7, To: 10, Until: 9}.Append(nil, changelog.Compress(one))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stored, one, uint64(7), uint64(10))
	f.Add([]byte("clave log 2\n"), []byte{1, 0xff, 0xff, 0xff, 0x7f}, uint64(0), uint64(1))
	f.Fuzz(func(t *testing.T, stored, records []byte, from, to uint64) {
		s, packed, sum, err := changelog.ParseSegment(stored)
		if err == nil {
			again, sumAgain, err := s.Append(nil, packed)
			if t2, content, _, parseErr := changelog.ParseSegment(again); err != nil || parseErr != nil || t2 != s || !bytes.Equal(content, packed) || len(sum) != len(sumAgain) {
				t.Errorf("the segment %+v is parsed as %+v, %v, %v", s, t2, err, parseErr)
			}
			_, _ = changelog.Decompress(packed)
		}
		next := from
		err = changelog.Records(records, from, to, func(r changelog.Record) error {
			if r.Seq != next || len(r.Ops) == 0 {
				t.Errorf("a batch has the number %d and %d operations, want the number %d", r.Seq, len(r.Ops), next)
			}
			next += uint64(len(r.Ops))
			return nil
		})
		if err == nil && next != to || err != nil && !fault.Is(err, fault.DataLoss) {
			t.Errorf("Records from %d to %d ended at %d, %v", from, to, next, err)
		}
	})
}
