package pebble

import "github.com/cockroachdb/pebble/v2/vfs"

// When a memtable is full, Pebble closes its log and creates the next one. An error of that ends the program, since
// Pebble panics while a mutex is in a state in which the panic can't be recovered. So Pebble does not receive errors of
// logs while the store is open. The first one is recorded as the failure of the store, which survive returns to all
// calls that write, also to those in progress. From then on everything written to logs is discarded, and no log is
// created on the disk: it would follow one without its end.
//
// A full disk is no such error: writes wait (spacefile.go).

// fail records an error of a log as the failure of the store, and returns nil. It returns the errors of a full disk,
// and those before the store is open.
func (s *space) fail(err error) error {
	if err == nil || isFull(err) || !s.opened.Load() {
		return err
	}
	if s.failed.CompareAndSwap(nil, &fatal{err}) {
		s.log.Error("the log can't be written", "error", err)
	}
	return nil
}

// hasFailed reports whether the store has failed.
func (s *space) hasFailed() bool { return s.failed.Load() != nil }

// openLog opens a log for writing. After a failure of the store it is in memory.
func (s *space) openLog(name string, number uint64, open func() (vfs.File, error)) (vfs.File, error) {
	if !s.hasFailed() {
		f, err := s.file(name, open)
		if err == nil {
			return &logFile{spaceFile: f, number: number}, nil
		}
		if err := s.fail(err); err != nil {
			return nil, err
		}
	}
	return vfs.NewMem().Create(s.FS.PathBase(name), vfs.WriteCategoryUnspecified)
}

// logFile is a log whose syncs are recorded.
type logFile struct {
	*spaceFile
	number uint64
	// written and failed are used only by Pebble's one writer of the log. Pebble syncs a log at its end even after a
	// failure.
	written uint64
	failed  bool
}

// Write implements io.Writer.
func (f *logFile) Write(p []byte) (n int, err error) {
	if f.space.hasFailed() {
		return len(p), nil
	}
	n, err = f.spaceFile.Write(p)
	f.written += uint64(n)
	if err := f.check(err); err != nil {
		return n, err
	}
	return len(p), nil
}

// Sync implements vfs.File.
func (f *logFile) Sync() error { return f.sync(f.spaceFile.Sync) }

// SyncData implements vfs.File.
func (f *logFile) SyncData() error { return f.sync(f.spaceFile.SyncData) }

// SyncTo implements vfs.File.
func (f *logFile) SyncTo(length int64) (full bool, err error) {
	if f.space.hasFailed() {
		return false, nil
	}
	full, err = f.spaceFile.SyncTo(length)
	return full, f.check(err)
}

// Close implements io.Closer.
func (f *logFile) Close() error { return f.check(f.spaceFile.Close()) }

// sync syncs the log and records that, unless a write or a sync has failed: the last bytes may be a part of a chunk,
// and a later sync may succeed without the data.
func (f *logFile) sync(how func() error) error {
	if f.space.hasFailed() {
		return nil
	}
	if err := how(); err != nil {
		return f.check(err)
	}
	if !f.failed {
		f.space.synced.mark(f.number, f.written)
	}
	return nil
}

// check handles the error of a write or a sync.
func (f *logFile) check(err error) error {
	f.failed = f.failed || err != nil
	return f.space.fail(err)
}
