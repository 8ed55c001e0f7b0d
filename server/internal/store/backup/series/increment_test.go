package series_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// openLogged returns a store with 200 values, whose log is to be shipped beside the backups.
func openLogged(t *testing.T, at *series.Series) *site {
	t.Helper()
	s := &site{t: t, clock: clocktest.NewManual(time.Date(2026, 11, 26, 12, 0, 0, 500, time.UTC))}
	s.r = series.Request{Data: t.TempDir(), ID: "a", Secret: "s", Inventory: counted, Clock: s.clock}
	s.start(at)
	t.Cleanup(func() { _ = s.store.Close() })
	s.fill(200)
	return s
}

// start opens the store with its log, and begins or continues that.
func (s *site) start(at *series.Series) {
	s.t.Helper()
	s.log = changelog.New(changelog.Options{Dir: s.r.Data, Clock: s.clock})
	var err error
	if s.store, err = pebble.Open(filepath.Join(s.r.Data, "store"), pebble.Options{Recorder: s.log}); err != nil {
		s.t.Fatal(err)
	}
	s.log.Resume(s.t.Context(), s.store)
	shipper := shipping.New(shipping.Options{Series: at, Log: s.log, Store: s.store, ID: "a", Clock: s.clock, Logger: slog.New(slog.DiscardHandler)})
	if err := shipper.Prepare(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.r.Source, s.r.Log = s.store, shipper
}

// noise sets a value of n bytes that can't be compressed, which is not counted.
func (s *site) noise(key string, n int) {
	s.t.Helper()
	value := make([]byte, n)
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range value {
		value[i] = byte(random.Uint32())
	}
	var b store.Batch
	b.Set([]byte(key), value)
	if err := s.store.Apply(s.t.Context(), &b); err != nil {
		s.t.Fatal(err)
	}
}

// want makes a backup, which must consist of changes or not, and restores it.
func (s *site) want(at *series.Series, changes bool, n int, when string) series.Backup {
	s.t.Helper()
	b, made := s.must(at)
	if made.Changes != changes {
		s.t.Errorf("%s: a backup with changes is %t, want %t", when, made.Changes, changes)
	}
	if is, err := restored(s.t, at, b); err != nil || is != n {
		s.t.Errorf("%s: the backup has %d values, %v; want %d", when, is, err, n)
	}
	if err := at.Check(s.t.Context(), b); err != nil {
		s.t.Errorf("%s: Check = %v", when, err)
	}
	return b
}

// TestChanges makes backups that consist of changes. They move little, also after the store has moved its data to other
// files, each can be restored, and the last one also when the others are removed.
func TestChanges(t *testing.T) {
	everywhere(t, func(t *testing.T, p place, keys *series.Keys) {
		at := series.New(series.Options{Target: p.Target, Keys: keys, Open: openStore})
		s := openLogged(t, at)
		s.noise("zz/large", 1<<20)
		first := s.want(at, false, 200, "the first backup")
		s.fill(20)
		s.want(at, true, 220, "after 20 more")
		var b store.Batch
		b.DeleteRange(numbered(210), numbered(220))
		b.Set([]byte("zz/more"), []byte("x"))
		if err := s.store.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		before := s.want(at, true, 210, "after a deletion")
		// Opening the store moves its log to a table.
		if err := errors.Join(s.store.Close(), s.log.Close()); err != nil {
			t.Fatal(err)
		}
		s.start(at)
		s.fill(1)
		last, made := s.must(at)
		if !made.Changes || made.Copied > 64<<10 || made.Bytes < 1<<20 {
			t.Errorf("after a move of everything to a table, a backup of one more value copies %d of %d bytes; with changes: %t", made.Copied, made.Bytes, made.Changes)
		}
		lock, err := at.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		removed, err := at.Prune(t.Context(), lock, series.Keep{Days: 1}, s.clock.Now().Add(48*time.Hour))
		if closed := lock.Close(); err != nil || closed != nil || len(removed) != 3 {
			t.Fatalf("Prune = %v, %v, %v; want the three before the last", removed, err, closed)
		}
		if n, err := restored(t, at, last); err != nil || n != 211 {
			t.Errorf("without the others, the last backup has %d values, %v; want 211", n, err)
		}
		if _, err := restored(t, at, before); !fault.Is(err, fault.NotFound) || first.Name == before.Name {
			t.Errorf("a removed backup: %v", err)
		}
	})
}

// TestARangeThatIsWrittenAgain deletes overlapping ranges and writes to them again, as when an index is made again. A
// backup has what is there once.
func TestARangeThatIsWrittenAgain(t *testing.T) {
	at := series.New(series.Options{Target: places["folder"](t).Target, Open: openStore})
	s := openLogged(t, at)
	s.noise("zz/large", 24<<20)
	s.noise("y/before", 1<<10)
	s.want(at, false, 200, "the first backup")
	for range 3 {
		var b store.Batch
		b.DeleteRange([]byte("y"), []byte("y/o"))
		b.DeleteRange([]byte("y/a"), []byte("z"))
		b.DeleteRange([]byte("y/z"), []byte("y/b")) // an empty one
		if err := s.store.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		s.noise("y/new", 5<<20) // more than half of what is packed together
	}
	b, made := s.must(at)
	if !made.Changes || made.Copied < 5<<20 || made.Copied > 6<<20 {
		t.Errorf("after 5 MiB in ranges that were deleted, a backup copies %d bytes; with changes: %t", made.Copied, made.Changes)
	}
	if n, err := restored(t, at, b); err != nil || n != 200 {
		t.Errorf("the backup has %d values, %v; want 200", n, err)
	}
}

// TestDamagedChanges changes and removes objects of a backup with changes. The next backup has tables and is complete.
func TestDamagedChanges(t *testing.T) {
	test := func(t *testing.T, p place, keys *series.Keys) {
		at := series.New(series.Options{Target: p.Target, Keys: keys, Open: openStore})
		s := openLogged(t, at)
		s.must(at)
		s.fill(1)
		b, _ := s.must(at)
		n, damaged := 201, 0
		for i := 0; damaged < 2; i++ {
			all := objects(t, p)
			o := all[i%len(all)]
			if !strings.Contains(string(content(t, p, "backups/"+b.Name+".json")), o.Name[len("objects/aa/"):]) {
				continue // It is that of an older backup.
			}
			if damaged%2 == 0 {
				rewrite(t, p, o)
			} else if err := p.Remove(t.Context(), o.Name); err != nil {
				t.Fatal(err)
			}
			if err := at.Check(t.Context(), b); !fault.Is(err, fault.DataLoss) {
				t.Errorf("Check without %s = %v", o.Name, err)
			}
			s.fill(1)
			n, damaged = n+1, damaged+1
			s.want(at, false, n, "after "+o.Name+" was damaged")
			s.fill(1)
			n++
			b = s.want(at, true, n, "after a backup with tables")
		}
	}
	t.Run("folder", func(t *testing.T) { test(t, places["folder"](t), nil) })
	t.Run("gofakes3 encrypted", func(t *testing.T) { test(t, places["gofakes3"](t), keysOf(t, firstKey)) })
}

// TestWhenBackupsHaveTables makes backups of which the changes are not known, too large, too many, or useless.
func TestWhenBackupsHaveTables(t *testing.T) {
	for _, tt := range []struct {
		name    string
		keys    string
		change  func(t *testing.T, s *site)
		changes bool
	}{
		{"nothing happened", "", func(*testing.T, *site) {}, true},
		{"small changes", "", func(_ *testing.T, s *site) { s.noise("zz/a", 3<<20) }, true},
		{"changes in parts", "", func(_ *testing.T, s *site) {
			var b store.Batch
			for i := range 20 {
				b.Set(fmt.Appendf(nil, "zz/%d", i), make([]byte, 1<<20))
			}
			if err := s.store.Apply(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"large changes", "", func(_ *testing.T, s *site) { s.noise("zz/a", 5<<20) }, false},
		{"changes that are undone", "", func(t *testing.T, s *site) {
			s.noise("zz/a", 5<<20)
			var b store.Batch
			b.Delete([]byte("zz/a"))
			if err := s.store.Apply(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"no secret key", firstPublic, func(*testing.T, *site) {}, false},
		{"a failed proof", "", func(_ *testing.T, s *site) { s.r.Reread = true }, false},
		{"a log without a place", "", func(_ *testing.T, s *site) { s.r.Log = nil }, false},
		{"another log", "", func(t *testing.T, s *site) { other(t, s) }, false},
		{"unknown keys", "", func(_ *testing.T, s *site) { s.r.Log = forgetful{s.r.Log} }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var keys *series.Keys
			if tt.keys != "" {
				keys = keysOf(t, tt.keys)
			}
			at := series.New(series.Options{Target: places["folder"](t).Target, Keys: keys, Open: openStore})
			s := openLogged(t, at)
			s.must(at)
			tt.change(t, s)
			b, made := s.must(at)
			if made.Changes != tt.changes {
				t.Errorf("a backup with changes is %t, want %t", made.Changes, tt.changes)
			}
			if keys == nil {
				if n, err := restored(t, at, b); err != nil || n != 200 {
					t.Errorf("the backup has %d values, %v", n, err)
				}
			}
		})
	}
}

// forgetful is a log that does not know what was changed.
type forgetful struct{ series.Log }

// Changed implements series.Log.
func (forgetful) Changed(uint64, uint64) (*changelog.Changed, bool, error) { return nil, false, nil }

// other ends the log of a site and begins another.
func other(t *testing.T, s *site) {
	t.Helper()
	shipper := s.r.Log.(*shipping.Shipper)
	m, err := shipper.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.log.End(m.Log, "for a test")
	if err := shipper.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestManyChanges makes so many backups that one has tables again.
func TestManyChanges(t *testing.T) {
	at := series.New(series.Options{Target: places["folder"](t).Target, Open: openStore})
	s := openLogged(t, at)
	s.must(at)
	tables := 0
	for range 8 {
		s.noise("zz/a", 1<<20)
		if _, made := s.must(at); !made.Changes {
			tables++
		}
	}
	if tables != 2 {
		t.Errorf("of 8 backups with 1 MiB of changes each, %d have tables, want every fourth one", tables)
	}
	for _, left := range []string{"zz-changes", "store-changes"} {
		if _, err := os.Stat(filepath.Join(s.r.Data, left)); err == nil {
			t.Errorf("%s is left", left)
		}
	}
}
