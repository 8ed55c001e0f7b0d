package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// processorTime returns the processor time of the process.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the greatest resident size that the process had, in MiB.
func peak() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Maxrss) / 1024 // in KiB on Linux
}

// week is an engine whose commits become old during the benchmark, on a disk in memory, or in a folder.
type week struct {
	disk  vfs.FS
	dir   string
	clock *clocktest.Manual
	store *pebble.Store
	e     *engine.Engine
	n     int
	spent time.Duration
}

// newWeek opens an engine with a history, or none for 0. dir is the folder of its files; empty for a disk in memory.
func newWeek(b *testing.B, history time.Duration, dir string) *week {
	b.Helper()
	w := &week{disk: vfs.NewMem(), dir: "data", clock: clocktest.NewManual(time.Unix(1e9, 0))}
	if dir != "" {
		w.disk, w.dir = vfs.Default, dir
	}
	var err error
	if w.store, err = pebble.Open(w.dir, pebble.Options{FS: w.disk, Region: keys.Region}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.store.Close() })
	w.e = open(b, engine.Options{Store: w.store, Clock: w.clock, History: history})
	return w
}

// commits makes commits, one each step of time, and moves or drops old ones once a simulated minute, or once a thousand
// commits if steps are longer.
func (w *week) commits(b *testing.B, n int, step time.Duration) {
	b.Helper()
	began := processorTime()
	each := max(1, int(time.Minute/step))
	for range n {
		w.n++
		put(b, w.e, set(fmt.Sprintf("messages/%06d", w.n*7919%200_000), value.Map{
			"author": value.String(fmt.Sprintf("user-%d", w.n%5000)), "text": value.String(strings.Repeat("some words ", 1+w.n%20)),
			"at": value.Timestamp{Seconds: int64(w.n)}, "read": value.Bool(w.n%2 == 0), "room": value.Int(w.n % 100),
		}))
		w.clock.Advance(step)
		if w.n%max(each, 1000) == 0 {
			if err := w.e.ArchiveOrDrop(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	w.spent += processorTime() - began
}

// BenchmarkHistory compares the processor time of a commit with a history of a week and without one, in turns.
func BenchmarkHistory(b *testing.B) {
	with, without := newWeek(b, 7*24*time.Hour, ""), newWeek(b, 0, "")
	const step, turn = 60 * time.Millisecond, 2000 // 1,000 commits a minute, so commits are old after 60,000
	for _, w := range []*week{with, without} {
		w.commits(b, 62_000, step)
		w.spent = 0
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += turn {
		with.commits(b, turn, step)
		without.commits(b, turn, step)
	}
	n := float64((b.N + turn - 1) / turn * turn)
	b.ReportMetric(float64(with.spent.Nanoseconds())/n, "cpu-ns/commit-with")
	b.ReportMetric(float64(without.spent.Nanoseconds())/n, "cpu-ns/commit-without")
	b.ReportMetric(100*(float64(with.spent)/float64(without.spent)-1), "%-dearer")
}

// BenchmarkWeek makes b.N commits in a simulated week and reports what they take on the disk and in memory, and how
// long reads of the past take. CLAVE_BENCH_WEEK is a folder in which the files are made, such as one of a file system
// in memory. Without it, the files are in the memory of the process, and are subtracted.
func BenchmarkWeek(b *testing.B) {
	dir := os.Getenv("CLAVE_BENCH_WEEK")
	if dir != "" {
		var err error
		if dir, err = os.MkdirTemp(dir, "week-"); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	w := newWeek(b, 7*24*time.Hour, dir)
	w.commits(b, b.N, 7*24*time.Hour/time.Duration(b.N))
	if err := w.e.ArchiveOrDrop(b.Context()); err != nil {
		b.Fatal(err)
	}
	w.store.Rest(b.Context())
	var disk int64
	names, err := w.disk.List(w.dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		if info, err := w.disk.Stat(w.disk.PathJoin(w.dir, name)); err == nil {
			disk += info.Size()
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(disk)/float64(b.N), "disk-B/commit")
	b.ReportMetric(float64(w.e.HistoryState().Bytes)/float64(b.N), "history-B/commit")
	heap := int64(m.HeapAlloc)
	if dir == "" {
		heap -= disk
	}
	b.ReportMetric(float64(heap)/(1<<20), "heap-MiB")
	b.ReportMetric(peak(), "peak-MiB")
	const reads = 10
	began, at := time.Now(), request.At{ReadTime: w.e.Earliest(testDB) + 1}
	for i := range reads {
		if _, err := get(b, w.e, at, fmt.Sprintf("messages/%06d", i*7919)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/reads, "µs/get-of-a-week-ago")
}
