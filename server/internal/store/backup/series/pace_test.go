package series_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
)

// pausing is a clock whose pauses end at once, and are added up.
type pausing struct {
	clock.Clock
	total atomic.Int64
}

// After implements clock.Clock.
func (p *pausing) After(d time.Duration) (<-chan time.Time, func()) {
	p.total.Add(int64(d))
	passed := make(chan time.Time, 1)
	passed <- p.Now()
	return passed, func() {}
}

// TestPace makes a backup at a rate. The pauses are those of everything that is read: the data for their checksums and
// for the copy, the copy that is read back, and what is counted.
func TestPace(t *testing.T) {
	s := open(t)
	value := make([]byte, 8<<20)
	for i := range value {
		value[i] = byte(i * i >> 7)
	}
	var b store.Batch
	b.Set([]byte("large"), value)
	if err := s.store.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	const mega, read = 1 << 20, 4 << 20
	for _, counts := range []bool{false, true} {
		at := series.New(series.Options{Target: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}})
		slow := &pausing{Clock: s.clock}
		s.r.Rate, s.r.Clock, s.r.Inventory = mega, slow, nil
		want := 3 * time.Second // for each mebibyte: sum, copy, comparison
		if counts {
			s.r.Inventory = func(_ context.Context, _ string, took func(int) error) (json.RawMessage, error) {
				return json.RawMessage(`[]`), took(read)
			}
		}
		_, made := s.must(at)
		want = time.Duration(float64(want) * float64(made.Copied) / mega)
		if counts {
			want += read / mega * time.Second
		}
		if got := time.Duration(slow.total.Load()); made.Copied < int64(len(value)) || got < want-3*time.Second || got > want+time.Second {
			t.Errorf("a backup of %d bytes that is counted: %v paused %v, want about %v", made.Copied, counts, got, want)
		}
	}
}
