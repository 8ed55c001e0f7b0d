package pebble

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// A full disk must neither end the process nor lose an acknowledged write, and writing must resume by itself when there
// is space again. Pebble alone does not provide that: it ends the program if it can't write a log, and retries without
// pause if it can't write a table. Three measures prevent that:
//
//   - admit measures the free space before each batch. Below a minimum it refuses batches, so that Pebble rarely sees a
//     full disk. Batches that only delete are admitted still.
//   - A reserve file keeps space from other programs. It is removed when the disk is really full, for those deletes and
//     for Pebble's writes in progress, and made again when there is space.
//   - A write that meets a full disk all the same waits in retry (spacefile.go) until it succeeds or the store is
//     closed. Meanwhile admit refuses all that is new.
//
// While the store is being opened no write waits: Open returns an error instead.

// reserveName is the reserve file in the store's folder. Pebble ignores files with other names.
const reserveName = "reserve"

// The sizes of the reserve and of the free space below which batches are refused, as a share of the disk within bounds.
const (
	reserveShare, reserveLeast, reserveMost = 64, 1 << 20, 64 << 20
	minimumShare, minimumLeast, minimumMost = 8, 2 << 20, 192 << 20
	// tableShare bounds the memtable by a share of the disk, so that there is space to write its log to a table at the
	// next start.
	tableShare, tableLeast = 32, 1 << 20
	// lastBytes is the minimum free space for a batch that only deletes.
	lastBytes = 256 << 10
	// openBytes is the minimum free space for opening, besides that for the logs as tables.
	openBytes = 1 << 20
)

// space is the file system of a store. It monitors the free space.
type space struct {
	vfs.FS // the file system itself
	dir    string
	log    *slog.Logger
	clock  clock.Clock
	// closing is closed when the store is being closed, which ends waiting writes.
	closing <-chan struct{}
	// opened is set once Open has succeeded.
	opened atomic.Bool
	// failed is the store's fatal error.
	failed *atomic.Pointer[fatal]
	// synced records the synced bytes of logs.
	synced *synced
	// stuck is closed when a write has found the disk full while the store was being opened or closed.
	stuck     chan struct{}
	stuckOnce sync.Once
	// full is set while batches are refused, and waiting counts the writes that wait.
	full    atomic.Bool
	waiting atomic.Int64
	mu      struct {
		sync.Mutex
		// reserved is set while there is a reserve file.
		reserved bool
	}
}

// newSpace returns the file system of a store in a folder.
func newSpace(fs vfs.FS, dir string, of *Store) *space {
	return &space{
		FS: fs, dir: dir, log: of.log, clock: clock.System(), closing: of.closing, failed: &of.failed, stuck: make(chan struct{}),
		synced: newSynced(fs, dir, of.log),
	}
}

// isFull reports whether an error means that the disk is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// fullError returns the error for a refused batch.
func fullError() error {
	return fault.Wrap(store.ErrFull, fault.ResourceExhausted, "The disk is full. Nothing is written until there is space again; deletes are possible.")
}

// admit decides whether a batch may be applied. deletes is set when it only deletes.
func (s *space) admit(deletes bool) error {
	if s.waiting.Load() > 0 {
		return fullError()
	}
	usage, err := s.FS.GetDiskUsage(s.dir)
	if err != nil { // A file system whose space can't be measured, such as memory.
		return nil
	}
	if !s.full.Load() && usage.AvailBytes >= minimum(usage) {
		return nil
	}
	return s.admitScarce(usage, deletes)
}

// admitScarce is admit if there is or was little space.
func (s *space) admitScarce(usage vfs.DiskUsage, deletes bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Writes resume only with a quarter more than the minimum, plus the reserve if it has to be created, so that they
	// don't stop again at once.
	enough := minimum(usage) + minimum(usage)/4
	if !s.mu.reserved {
		enough += reserve(usage)
	}
	switch {
	case usage.AvailBytes >= enough && s.full.CompareAndSwap(true, false):
		s.log.Info("there is space on the disk again; writes resume", "free", usage.AvailBytes)
		s.makeReserveLocked(usage)
	case usage.AvailBytes < minimum(usage) && s.full.CompareAndSwap(false, true):
		s.log.Warn("the disk is full: writes are refused until there is space again; deletes are possible",
			"folder", s.dir, "free", usage.AvailBytes, "needed", enough)
	}
	switch {
	case !s.full.Load():
		return nil
	case !deletes:
		return fullError()
	case usage.AvailBytes < lastBytes && !s.releaseLocked():
		return fullError()
	}
	return nil
}

// minimum returns the free space below which batches are refused, in bytes.
func minimum(u vfs.DiskUsage) uint64 {
	return min(max(u.TotalBytes/minimumShare, minimumLeast), minimumMost)
}

// reserve returns the size of the reserve file, in bytes.
func reserve(u vfs.DiskUsage) uint64 {
	return min(max(u.TotalBytes/reserveShare, reserveLeast), reserveMost)
}

// tableBytes returns a memtable size that is not too large for the disk.
func (s *space) tableBytes(most uint64) uint64 {
	usage, err := s.FS.GetDiskUsage(s.dir)
	if err != nil {
		return most
	}
	return min(most, max(usage.TotalBytes/tableShare, tableLeast))
}

// makeReserve creates the reserve file if there is space for it.
func (s *space) makeReserve() {
	usage, err := s.FS.GetDiskUsage(s.dir)
	if err != nil || usage.AvailBytes < minimum(usage)+reserve(usage) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeReserveLocked(usage)
}

// makeReserveLocked is makeReserve with the mutex held. On a file system that can't reserve space for a file there is
// no reserve.
func (s *space) makeReserveLocked(usage vfs.DiskUsage) {
	if s.mu.reserved {
		return
	}
	path := s.FS.PathJoin(s.dir, reserveName)
	f, err := s.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err == nil {
		err = errors.Join(f.Preallocate(0, int64(reserve(usage))), f.Sync(), f.Close())
	}
	if err != nil {
		s.log.Debug("no space is reserved", "error", err)
		_ = s.FS.Remove(path) // the file may not exist
		return
	}
	s.mu.reserved = true
}

// releaseLocked removes the reserve file and reports whether there was one.
func (s *space) releaseLocked() bool {
	if !s.mu.reserved {
		return false
	}
	s.mu.reserved = false
	if err := s.FS.Remove(s.FS.PathJoin(s.dir, reserveName)); err != nil {
		s.log.Error("the reserve file could not be removed", "error", err)
		return false
	}
	s.log.Warn("the disk is full; the reserve is used", "folder", s.dir)
	return true
}

// release is releaseLocked without the mutex held.
func (s *space) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.releaseLocked()
}

// adopt records the reserve that an earlier process has left.
func (s *space) adopt(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.reserved = slices.Contains(names, reserveName)
}

// roomToOpen returns an error if there is too little space to open a folder with these files: opening writes the
// content of the logs to tables.
func (s *space) roomToOpen(names []string) error {
	usage, err := s.FS.GetDiskUsage(s.dir)
	if err != nil {
		return nil
	}
	needed := uint64(openBytes)
	for _, name := range names {
		if !isLogFile(name) {
			continue
		}
		info, err := s.FS.Stat(s.FS.PathJoin(s.dir, name))
		if err != nil {
			return fmt.Errorf("open data folder %s: %w", s.dir, err)
		}
		needed += uint64(info.Size())
	}
	if usage.AvailBytes >= needed {
		return nil
	}
	return noRoom(s.dir, fmt.Sprintf("%d KiB are free and %d KiB are needed", usage.AvailBytes>>10, needed>>10))
}

// noRoom returns the error for a store that can't be opened on a full disk.
func noRoom(dir, detail string) error {
	return fault.Wrap(errors.Join(store.ErrFull, syscall.ENOSPC), fault.ResourceExhausted, "the disk of %s is full: %s. Free some space and start again.", dir, detail)
}

// noRoomToClose returns the error for a store that is closed on a full disk.
func noRoomToClose(dir string) error {
	return fault.Wrap(store.ErrFull, fault.ResourceExhausted,
		"the disk of %s is full, so the latest writes are still in the log. None that was acknowledged is lost. Free some space before the next start.", dir)
}

// Usage returns the bytes that the store uses on the disk, and the free bytes there, or zero if they can't be measured.
func (s *Store) Usage() (used, free uint64) {
	if !s.begin() {
		return 0, 0
	}
	defer s.mu.RUnlock()
	used = s.db.Metrics().DiskSpaceUsage()
	if usage, err := s.space.FS.GetDiskUsage(s.space.dir); err == nil {
		free = usage.AvailBytes
	}
	return used, free
}

// LogSize returns the number of bytes of the log that are not in tables yet.
func (s *Store) LogSize() uint64 {
	if !s.begin() {
		return 0
	}
	defer s.mu.RUnlock()
	return s.db.Metrics().WAL.Size
}
