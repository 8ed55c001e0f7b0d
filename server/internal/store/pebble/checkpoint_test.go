package pebble

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// apply sets a key to a value of 4 KiB.
func apply(t *testing.T, s *Store, n int) {
	t.Helper()
	var b store.Batch
	b.Set(fmt.Appendf(nil, "k%06d", n), bytes.Repeat([]byte{byte(n), byte(n >> 8)}, 2048))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Error(err)
	}
}

// logsOf returns the paths of the logs in a folder and their size.
func logsOf(t *testing.T, dir string) (paths []string, size int64) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return paths, size
}

// TestACheckpointHasNoRestsOfLogs copies a store whose logs were reused several times, while others write. The logs of
// the copy have what they need only, and everything that was acknowledged before is in the copy.
func TestACheckpointHasNoRestsOfLogs(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "store"), Options{MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var writers sync.WaitGroup
	for w := range 16 {
		writers.Go(func() {
			for i := range 100 {
				apply(t, s, 100*w+i)
			}
		})
	}
	writers.Wait()
	const quiet = 16 * 100
	if err := s.Checkpoint(t.Context(), filepath.Join(dir, "quiet")); err != nil {
		t.Fatal(err)
	}
	if _, size := logsOf(t, filepath.Join(dir, "quiet")); size > 64<<10 {
		t.Errorf("the logs of the copy have %d bytes", size)
	}
	var acknowledged atomic.Int64
	var ended atomic.Bool
	writers.Go(func() {
		for i := quiet; !ended.Load(); i++ {
			apply(t, s, i)
			acknowledged.Store(int64(i + 1))
		}
	})
	for n := range 5 {
		least := max(int(acknowledged.Load()), quiet)
		copied := filepath.Join(dir, fmt.Sprint("copy", n))
		if err := s.Checkpoint(t.Context(), copied); err != nil {
			t.Error(err)
		}
		if got := keysOf(t, copied); got < least {
			t.Errorf("the copy has %d keys, want at least %d", got, least)
		}
	}
	ended.Store(true)
	writers.Wait()
}

// keysOf returns the number of keys of a store that is not open.
func keysOf(t *testing.T, dir string) (n int) {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Error(err)
		return 0
	}
	it := s.Scan(store.Range{})
	for it.Next() {
		n++
	}
	if err := errors.Join(it.Err(), it.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	return n
}

// TestACheckpointOfADamagedLogFails changes a byte of the log that was synced. The copy would lack acknowledged writes.
func TestACheckpointOfADamagedLogFails(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "store"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for i := range 10 {
		apply(t, s, i)
	}
	logs, _ := logsOf(t, filepath.Join(dir, "store"))
	f, err := os.OpenFile(logs[len(logs)-1], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte("damage"), 9000)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Checkpoint(t.Context(), filepath.Join(dir, "copy")); !fault.Is(err, fault.DataLoss) {
		t.Errorf("Checkpoint = %v, want DATA_LOSS", err)
	}
}
