package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// smallDisk is a disk of a given size in memory.
type smallDisk struct {
	vfs.FS
	total int64
	// measured is set if the disk reports its free bytes.
	measured bool
	mu       struct {
		sync.Mutex
		used   map[string]int64 // bytes by file
		others int64            // bytes that other programs use
	}
}

// newSmallDisk returns an empty disk.
func newSmallDisk(total int64, measured bool) *smallDisk {
	d := &smallDisk{FS: vfs.NewMem(), total: total, measured: measured}
	d.mu.used = make(map[string]int64)
	return d
}

// free returns the free bytes.
func (d *smallDisk) free() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.freeLocked()
}

// freeLocked is free with the mutex held.
func (d *smallDisk) freeLocked() int64 {
	free := d.total - d.mu.others
	for _, n := range d.mu.used {
		free -= n
	}
	return max(free, 0)
}

// take has another program use all free bytes except a number.
func (d *smallDisk) take(left int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.others += d.freeLocked() - left
}

// giveBack deletes the other program's files.
func (d *smallDisk) giveBack() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.others = 0
}

// GetDiskUsage implements vfs.FS.
func (d *smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	if !d.measured {
		return vfs.DiskUsage{}, vfs.ErrUnsupported
	}
	free := d.free()
	return vfs.DiskUsage{AvailBytes: uint64(free), TotalBytes: uint64(d.total), UsedBytes: uint64(d.total - free)}, nil
}

// use counts bytes by which a file grows.
func (d *smallDisk) use(name string, n int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.freeLocked() < n {
		return syscall.ENOSPC
	}
	d.mu.used[name] += n
	return nil
}

// move counts a file under its new name, or no longer if the name is empty.
func (d *smallDisk) move(old, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name != "" {
		d.mu.used[name] = d.mu.used[old]
	}
	delete(d.mu.used, old)
}

// Create implements vfs.FS.
func (d *smallDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	d.move(name, "")
	if d.free() == 0 {
		return nil, syscall.ENOSPC
	}
	f, err := d.FS.Create(name, c)
	return &smallFile{f, d, name}, err
}

// ReuseForWrite implements vfs.FS.
func (d *smallDisk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, c)
	if err == nil {
		d.move(old, name)
	}
	return &smallFile{f, d, name}, err
}

// Rename implements vfs.FS.
func (d *smallDisk) Rename(old, name string) error {
	err := d.FS.Rename(old, name)
	if err == nil {
		d.move(old, name)
	}
	return err
}

// Remove implements vfs.FS.
func (d *smallDisk) Remove(name string) error {
	err := d.FS.Remove(name)
	if err == nil {
		d.move(name, "")
	}
	return err
}

// smallFile is a file on a smallDisk.
type smallFile struct {
	vfs.File
	disk *smallDisk
	name string
}

// Write implements io.Writer.
func (f *smallFile) Write(p []byte) (int, error) {
	if err := f.disk.use(f.name, int64(len(p))); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// Preallocate implements vfs.File.
func (f *smallFile) Preallocate(_, n int64) error {
	if strings.HasSuffix(f.name, reserveName) {
		return f.disk.use(f.name, n)
	}
	return nil
}

// write applies a batch of one key.
func write(ctx context.Context, s *Store, key string, size int) error {
	var b store.Batch
	b.Set([]byte(key), bytes.Repeat([]byte{'x'}, size))
	return s.Apply(ctx, &b)
}

// remove applies a batch that deletes one key.
func remove(ctx context.Context, s *Store, key string) error {
	b := store.Batch{Deletes: true}
	b.Delete([]byte(key))
	return s.Apply(ctx, &b)
}

// TestAFullDiskRefusesAndRecovers fills a disk whose free space is known. Writes are refused before Pebble has no
// space, deletes succeed even if other programs use the rest, and writes succeed again when there is space.
func TestAFullDiskRefusesAndRecovers(t *testing.T) {
	disk := newSmallDisk(64<<20, true)
	s, err := Open("data", Options{FS: disk, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	n := 0
	for ; err == nil && n < 200; n++ {
		if n == 20 {
			disk.take(8<<20 + 1<<20)
		}
		err = write(t.Context(), s, fmt.Sprintf("k%03d", n), 100<<10)
	}
	if !errors.Is(err, store.ErrFull) || !fault.Is(err, fault.ResourceExhausted) || n <= 20 {
		t.Fatalf("write %d on a full disk = %v, want RESOURCE_EXHAUSTED", n, err)
	}
	if !fault.Is(s.Err(), fault.ResourceExhausted) {
		t.Errorf("Err on a full disk = %v, want RESOURCE_EXHAUSTED", s.Err())
	}
	// A flush in progress would need more than the reserve, and deletes are refused while it waits.
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	disk.take(0)
	for i := range 10 {
		if err := remove(t.Context(), s, fmt.Sprintf("k%03d", i)); err != nil {
			t.Fatalf("delete on a full disk = %v", err)
		}
	}
	if err := write(t.Context(), s, "late", 10); !errors.Is(err, store.ErrFull) {
		t.Errorf("write when nothing is left = %v, want ErrFull", err)
	}
	disk.giveBack()
	if err := write(t.Context(), s, "after", 10); err != nil {
		t.Errorf("write when there is space again = %v", err)
	}
	if err := s.Err(); err != nil {
		t.Errorf("Err when there is space again = %v", err)
	}
	if _, found, err := s.Get([]byte("k000")); found || err != nil {
		t.Errorf("a deleted key: found %t, %v", found, err)
	}
	s.space.mu.Lock()
	defer s.space.mu.Unlock()
	if !s.space.mu.reserved {
		t.Error("the reserve was not made again")
	}
}

// TestAWriteWaitsForSpace fills a disk whose free space is unknown during a write. The write waits, others are refused,
// and it is acknowledged when there is space.
func TestAWriteWaitsForSpace(t *testing.T) {
	disk := newSmallDisk(64<<20, false)
	s, err := Open("data", Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), s, "first", 10); err != nil {
		t.Fatal(err)
	}
	disk.take(0)
	waiting := make(chan error, 1)
	go func() { waiting <- write(context.Background(), s, "waits", 10) }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for s.space.waiting.Load() == 0 {
		if ctx.Err() != nil {
			t.Fatal("no write waits for space")
		}
	}
	if err := write(t.Context(), s, "refused", 10); !errors.Is(err, store.ErrFull) {
		t.Errorf("write beside one that waits = %v, want ErrFull", err)
	}
	if _, found, err := s.Get([]byte("first")); !found || err != nil {
		t.Errorf("read on a full disk: found %t, %v", found, err)
	}
	disk.giveBack()
	select {
	case err := <-waiting:
		if err != nil {
			t.Errorf("the write that waited = %v", err)
		}
	case <-ctx.Done():
		t.Fatal("the write still waits though there is space")
	}
	if err := write(t.Context(), s, "after", 10); err != nil {
		t.Errorf("write when there is space again = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	again, err := Open("data", Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	for key, want := range map[string]bool{"first": true, "waits": true, "refused": false, "after": true} {
		if _, found, err := again.Get([]byte(key)); found != want || err != nil {
			t.Errorf("%s after reopening: found %t, want %t (%v)", key, found, want, err)
		}
	}
}

// wantFullClose requires the error of a Close on a full disk, whose message names the folder.
func wantFullClose(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrFull) || !strings.HasPrefix(fault.FromError(err).Message, "the disk of data is full") {
		t.Errorf("Close = %v, want an ErrFull that names the folder", err)
	}
}

// TestCloseOnAFullDisk closes a store while a write waits for space. Both calls return, and acknowledged data are kept.
func TestCloseOnAFullDisk(t *testing.T) {
	abandons(t)
	disk := newSmallDisk(64<<20, false)
	s, err := Open("data", Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), s, "first", 10); err != nil {
		t.Fatal(err)
	}
	disk.take(0)
	waiting := make(chan error, 1)
	go func() { waiting <- write(context.Background(), s, "waits", 10) }()
	for s.space.waiting.Load() == 0 && t.Context().Err() == nil {
	}
	wantFullClose(t, s.Close())
	if err := <-waiting; err == nil {
		t.Error("a write that waited is acknowledged though there was no space")
	}
	disk.giveBack()
	again, err := Open("data", Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if _, found, err := again.Get([]byte("first")); !found || err != nil {
		t.Errorf("first after reopening: found %t, %v", found, err)
	}
}

// TestOpenOnAFullDisk opens new and old folders on full disks, whose free space is known or not. Each call returns an
// error of one line without waiting.
func TestOpenOnAFullDisk(t *testing.T) {
	abandons(t)
	for _, measured := range []bool{false, true} {
		for _, left := range []int64{0, 1, 100, 4 << 10, 64 << 10} {
			for _, old := range []bool{false, true} {
				disk, files := newSmallDisk(64<<20, measured), vfs.NewCrashableMem()
				if old {
					files = openAndCrash(t, disk)
				}
				disk.FS = files
				disk.take(left)
				done := make(chan error, 1)
				go func() {
					s, err := Open("data", Options{FS: disk})
					if err == nil {
						_ = s.Close()
					}
					done <- err
				}()
				select {
				case err := <-done:
					if left > 1 && !measured && err == nil {
						break // that may be enough
					}
					if !fault.Is(err, fault.ResourceExhausted) || !errors.Is(err, store.ErrFull) || strings.Contains(fault.FromError(err).Message, "\n") {
						t.Errorf("measured %t, old %t, %d bytes left: Open = %v, want an ErrFull that is RESOURCE_EXHAUSTED in one line", measured, old, left, err)
					}
				case <-time.After(time.Minute):
					t.Fatalf("measured %t, old %t, %d bytes left: Open does not return", measured, old, left)
				}
				// A Pebble whose opening failed may still write: the end of the process is that of its writes.
				disk = newSmallDisk(64<<20, measured)
				disk.FS = files.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
				s, err := Open("data", Options{FS: disk})
				if err != nil {
					t.Fatalf("measured %t, old %t, %d bytes left: Open when there is space = %v", measured, old, left, err)
				}
				if _, found, err := s.Get([]byte("k10")); found != old || err != nil {
					t.Errorf("k10: found %t, %v", found, err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// openAndCrash writes to a store and returns its disk as it is after a power cut, with data in the log only.
func openAndCrash(t *testing.T, disk *smallDisk) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewCrashableMem()
	disk.FS = mem
	s, err := Open("data", Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := write(t.Context(), s, fmt.Sprintf("k%02d", i), 10<<10); err != nil {
			t.Fatal(err)
		}
	}
	crashed := mem.CrashClone(vfs.CrashCloneCfg{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return crashed
}

// TestAFullDiskUnderTables fills the disk so that tables cannot be written while the log has space. The store continues
// and loses nothing.
func TestAFullDiskUnderTables(t *testing.T) {
	disk := newSmallDisk(64<<20, true)
	var log bytes.Buffer
	s, err := Open("data", Options{FS: disk, MemTableBytes: 256 << 10, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	for i := range 400 {
		if i == 50 {
			disk.take(8<<20 + 100<<10)
		}
		if i == 300 {
			disk.giveBack()
		}
		if write(t.Context(), s, fmt.Sprintf("k%03d", acknowledged), 10<<10) == nil {
			acknowledged++
		}
	}
	if acknowledged < 150 || acknowledged > 399 {
		t.Errorf("%d of 400 writes were acknowledged, want some refused and the last ones not", acknowledged)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(log.String(), "\n"); lines > 20 {
		t.Errorf("a full disk logged %d lines:\n%.2000s", lines, log.String())
	}
	again, err := Open("data", Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	for i := range acknowledged {
		if _, found, err := again.Get(fmt.Appendf(nil, "k%03d", i)); !found || err != nil {
			t.Fatalf("k%03d was acknowledged; after reopening: found %t, %v", i, found, err)
		}
	}
}

// withoutTables is a disk that has no space for tables while full is set, but for all other files.
type withoutTables struct {
	vfs.FS
	full atomic.Bool
}

// Create implements vfs.FS.
func (d *withoutTables) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if d.full.Load() && filepath.Ext(name) == ".sst" {
		return nil, syscall.ENOSPC
	}
	return d.FS.Create(name, category)
}

// TestCloseWhileWritesStall closes a store with the maximum number of memtables that wait for a full disk, so that
// Pebble stalls writers: once without a write, and once while a write is stalled.
func TestCloseWhileWritesStall(t *testing.T) {
	for _, writing := range []bool{false, true} {
		t.Run(fmt.Sprintf("writing=%t", writing), func(t *testing.T) {
			abandons(t)
			disk := &withoutTables{FS: vfs.NewMem()}
			const table, stallTables = 256 << 10, 2 // Pebble stalls if this many tables wait
			s, err := Open("data", Options{FS: disk, MemTableBytes: table})
			if err != nil {
				t.Fatal(err)
			}
			disk.full.Store(true)
			// Bypasses the store's admission, which refuses most writes while a table waits. Accepted writes accumulate in the
			// same way.
			for n := 0; s.db.Metrics().MemTable.Size < table*stallTables; n++ {
				if err := s.db.Set(fmt.Appendf(nil, "k%03d", n), bytes.Repeat([]byte{'x'}, table/4), pebble.NoSync); err != nil {
					t.Fatal(err)
				}
			}
			if writing {
				stalled := make(chan struct{})
				go func() {
					s.mu.RLock()
					defer s.mu.RUnlock()
					close(stalled)
					for n := 0; ; n++ {
						var b store.Batch
						b.Set(fmt.Appendf(nil, "w%03d", n), bytes.Repeat([]byte{'x'}, table/4))
						if s.write(&b, pebble.NoSync) != nil {
							return
						}
					}
				}()
				<-stalled
			}
			closed := make(chan error, 1)
			go func() { closed <- s.Close() }()
			select {
			case err := <-closed:
				wantFullClose(t, err)
			case <-time.After(30 * time.Second):
				t.Fatal("Close waits for what cannot end")
			}
			if _, _, err := s.Get([]byte("k000")); !errors.Is(err, store.ErrClosed) {
				t.Errorf("Get after Close = %v, want ErrClosed", err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("the second Close = %v", err)
			}
		})
	}
}
