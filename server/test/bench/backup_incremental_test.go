package bench_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// growing is a database of which backups are made to a folder.
type growing struct {
	t      *testing.T
	clock  *clocktest.Manual
	store  *pebble.Store
	e      *engine.Engine
	data   string
	series *series.Series
	log    *changelog.Log
	random *rand.Rand
	// n is the number of documents, and shipped the size of the shipped log.
	n       int
	shipped int64
}

// newGrowing returns an empty database.
func newGrowing(t *testing.T, memTable uint64) *growing {
	t.Helper()
	dir := t.TempDir()
	g := &growing{t: t, clock: clocktest.NewManual(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)), data: filepath.Join(dir, "data"), random: rand.New(rand.NewPCG(1, 2))}
	g.log = changelog.New(changelog.Options{Dir: g.data, Clock: g.clock})
	o := pebble.Options{Scanned: derive.IsEntry, Region: keys.Region}
	g.series = series.New(series.Options{Target: target.Folder{Dir: filepath.Join(dir, "backups")}, Open: func(folder string) (series.Store, error) {
		return pebble.Open(folder, o)
	}})
	served := o
	served.MemTableBytes, served.Recorder = memTable, g.log
	var err error
	if g.store, err = pebble.Open(filepath.Join(g.data, "store"), served); err != nil {
		t.Fatal(err)
	}
	if err := g.log.Begin(t.Context(), g.store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.store.Close() })
	if g.e, err = engine.Open(t.Context(), engine.Options{Store: g.store, Clock: g.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.e.Close() })
	if err := g.e.SetIndexes(t.Context(), resource.Database{}, index.Definitions{Overrides: []index.Override{{CollectionGroup: "events", Path: "body"}}}); err != nil {
		t.Fatal(err)
	}
	return g
}

// write returns a write of a document whose body cannot be compressed by more than a quarter.
func (g *growing) write(i int) document.Write {
	body := make([]byte, 750)
	for j := range body {
		body[j] = byte(g.random.Uint32())
	}
	f := fields(g.random.IntN(1 << 20))
	f["body"] = value.String(base64.StdEncoding.EncodeToString(body))
	return document.Write{Name: name(i), Fields: f}
}

// commit commits n writes and advances the clock.
func (g *growing) commit(n int, next func() document.Write) {
	g.t.Helper()
	for ; n > 0; n -= shipEvery {
		commitAll(g.t, g.e, min(n, shipEvery), next)
		g.ship()
	}
	g.clock.Advance(time.Second)
}

// shipEvery is the number of writes after which the log is shipped. It may not collect more than 64 MiB.
const shipEvery = 10_000

// ship does what a shipper does to a log, with a place that takes everything at once.
func (g *growing) ship() {
	g.t.Helper()
	for {
		id, chunk := g.log.Take(false)
		if chunk == nil {
			return
		}
		if err := g.log.Save(g.t.Context(), chunk, "sum", nil); err != nil {
			g.t.Fatal(err)
		}
		g.shipped += int64(len(changelog.Compress(chunk.Records)))
		g.log.Done(id, chunk, "sum")
	}
}

// placed is the log of a store, with its marks.
type placed struct {
	*changelog.Log
	store *pebble.Store
}

// Mark implements series.Log.
func (p placed) Mark(ctx context.Context) (changelog.Mark, error) { return p.Log.Mark(ctx, p.store) }

// add creates documents.
func (g *growing) add(n int) {
	g.t.Helper()
	g.commit(n, func() document.Write { g.n++; return g.write(g.n) })
}

// sizeOf returns the size of the files in a folder.
func sizeOf(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// forget lets the log of commits become old, so that it is removed.
func (g *growing) forget() {
	g.t.Helper()
	ctx, cancel := context.WithCancel(g.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.e.Run(ctx) }()
	g.clock.Advance(2 * time.Hour)
	for range 70 {
		g.clock.Advance(time.Second)
		for g.clock.Timers() == 0 {
			time.Sleep(10 * time.Microsecond)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		g.t.Fatal(err)
	}
	g.ship()
}

// backup makes a backup and returns the sizes.
func (g *growing) backup() series.Made {
	g.t.Helper()
	g.clock.Advance(time.Second)
	lock, err := g.series.Lock(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	_, made, err := g.series.Make(g.t.Context(), lock, series.Request{Source: g.store, Data: g.data, ID: "a", Log: placed{g.log, g.store}, Clock: g.clock})
	if err := errors.Join(err, lock.Close()); err != nil {
		g.t.Fatal(err)
	}
	return made
}

// mergesTake is the time within which tables are merged after the data were written.
const mergesTake = 10 * time.Minute

// TestIncrementalBackup fills a database of CLAVE_BENCH_BACKUP bytes, such as 5000000000, and logs what a backup after
// a change of one percent of the documents writes: of new ones, of ones in a row, and of ones all over the database. It
// also logs how long the first and the last backup take to be restored and verified. A backup of what has not changed
// must write almost nothing.
func TestIncrementalBackup(t *testing.T) {
	size, memTable := int64(8<<20), uint64(1<<20)
	if text := os.Getenv("CLAVE_BENCH_BACKUP"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		size, memTable = n, 0
	}
	g := newGrowing(t, memTable)
	g.add(int(size / 2000))
	for g.forget(); sizeOf(g.data) < size; g.forget() {
		g.add(g.n / 10)
	}
	report := func(what string) {
		m := g.backup()
		t.Logf("%-30s %9.2f of %7.1f MB: %.2f %%, changes: %t; %.2f MB of the log", what, float64(m.Copied)/(1<<20), float64(m.Bytes)/(1<<20), 100*float64(m.Copied)/float64(m.Bytes), m.Changes, float64(g.shipped)/(1<<20))
		g.shipped = 0
	}
	report("the first backup")
	// Tables are merged before.
	for began := time.Now(); g.backup().Copied >= 256<<10; {
		if time.Since(began) > mergesTake {
			t.Fatalf("after %v a backup still writes what was not changed", mergesTake)
		}
	}
	one := g.n / 100
	for range 3 {
		g.add(one)
		report("1 % more documents")
		i := g.random.IntN(g.n - one)
		g.commit(one, func() document.Write { i++; return g.write(i) })
		report("1 % of the documents, in a row")
		spread := g.random.Perm(g.n)
		g.commit(one, func() document.Write { w := g.write(1 + spread[0]); spread = spread[1:]; return w })
		report("1 % of the documents, spread")
	}
	all, err := g.series.List(t.Context())
	if err != nil || len(all) < 10 {
		t.Fatalf("%d backups, %v", len(all), err)
	}
	g.restore(all[0], "the first backup")
	g.restore(all[len(all)-1], "the last backup")
}

// restore restores a backup, and logs how long that takes, and how long its verification, which must succeed.
func (g *growing) restore(b series.Backup, what string) {
	g.t.Helper()
	data := filepath.Join(g.t.TempDir(), "restored")
	var fetched time.Duration
	began := time.Now()
	err := g.series.Restore(g.t.Context(), b, data, func(folder string, _ json.RawMessage) error {
		fetched = time.Since(began)
		return pebble.Verify(g.t.Context(), folder, pebble.Options{Scanned: derive.IsEntry, Region: keys.Region})
	})
	if err != nil {
		g.t.Fatal(err)
	}
	size := float64(sizeOf(data)) / (1 << 20)
	g.t.Logf("%s, %.1f MB, is restored after %v, and verified after %v", what, size, fetched.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if err := os.RemoveAll(data); err != nil {
		g.t.Fatal(err)
	}
}
