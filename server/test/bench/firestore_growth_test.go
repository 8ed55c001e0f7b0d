package bench_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
)

// TestGrowth fills a server over gRPC with more and more documents. It logs the cost of queries and the memory and disk
// space of the server. Queries and memory must grow with the results, not with the data.
func TestGrowth(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_GROWTH") == "" {
		t.Skip("CLAVE_BENCH_GROWTH is not set")
	}
	s := startClave(t)
	s.client = connect(t, s.address)
	t.Logf("%9d documents: resident %4d MB", 0, s.memory(t)>>10)
	had := 0
	for _, size := range sizes() {
		began, before := time.Now(), s.ticks(t)
		for i := had; i < size; i += 500 {
			if err := batch(t.Context(), s.client, "events", i); err != nil {
				t.Fatal(err)
			}
		}
		took, cpu := time.Since(began), s.ticks(t)-before
		t.Logf("%9d documents: loaded %.0f /s, %.0f µs CPU each; resident %4d MB, on disk %4d MB", size,
			float64(size-had)/took.Seconds(), float64(cpu)*tick/float64(size-had), s.memory(t)>>10, megabytes(t, s.dir))
		had = size
		for _, w := range []workload{
			{"query c=16", true, false, times(16, cheapest)},
			{"count c=1", true, false, times(1, func(ctx context.Context, c *firestore.Client) error { return countTalks(ctx, c, size/4) })},
		} {
			w.run(t, s.client, time.Second)
			rate, cpu := s.measure(t, w)
			t.Logf("%9d documents: %-10s %8.1f /s %6.0f µs CPU; resident %4d MB", size, w.name, rate, cpu, s.memory(t)>>10)
		}
	}
}

// countTalks counts the events of one kind.
func countTalks(ctx context.Context, c *firestore.Client, want int) error {
	q := c.Collection("events").Where("kind", "==", "talk")
	got, err := q.NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return err
	}
	if n := fmt.Sprint(got["n"]); n != fmt.Sprintf("integer_value:%d", want) {
		return fmt.Errorf("count = %s, want %d", n, want)
	}
	return nil
}

// megabytes returns the size of a folder's files in MB. Files may be removed during the walk.
func megabytes(t *testing.T, dir string) int64 {
	t.Helper()
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum >> 20
}
