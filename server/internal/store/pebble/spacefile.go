package pebble

import (
	"path/filepath"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The pause between attempts of a write. Tables are abandoned after some time, which removes unfinished ones.
const (
	retryPause   = 100 * time.Millisecond
	tableTimeout = time.Second
)

// Unwrap implements vfs.FS.
func (s *space) Unwrap() vfs.FS { return s.FS }

// Create implements vfs.FS.
func (s *space) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	create := func() (vfs.File, error) { return s.FS.Create(name, category) }
	if category != compaction {
		return s.writable(name, create)
	}
	f, err := s.file(name, create)
	if err != nil {
		return nil, err
	}
	return &spareFile{f}, nil
}

// OpenReadWrite implements vfs.FS.
func (s *space) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return s.writable(name, func() (vfs.File, error) { return s.FS.OpenReadWrite(name, category, opts...) })
}

// ReuseForWrite implements vfs.FS.
func (s *space) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return s.writable(name, func() (vfs.File, error) {
		if err := s.synced.remove(old); err != nil {
			return nil, err
		}
		return s.FS.ReuseForWrite(old, name, category)
	})
}

// Remove implements vfs.FS.
func (s *space) Remove(name string) error {
	if err := s.synced.remove(name); err != nil {
		return err
	}
	return s.FS.Remove(name)
}

// Rename implements vfs.FS.
func (s *space) Rename(old, name string) error {
	if err := s.retry(name, func() error { return s.FS.Rename(old, name) }); err != nil {
		return err
	}
	s.synced.renamed(name)
	return nil
}

// writable opens a log or another file for writing.
func (s *space) writable(name string, open func() (vfs.File, error)) (vfs.File, error) {
	if number, ok := s.synced.logNumber(name); ok {
		return s.openLog(name, number, open)
	}
	f, err := s.file(name, open)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// file opens a file for writing.
func (s *space) file(name string, open func() (vfs.File, error)) (*spaceFile, error) {
	var f vfs.File
	err := s.retry(name, func() (err error) {
		f, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return &spaceFile{File: f, space: s, name: name}, nil
}

// spaceFile is a file whose writes wait while the disk is full.
type spaceFile struct {
	vfs.File
	space *space
	name  string
}

// Write implements io.Writer.
func (f *spaceFile) Write(p []byte) (n int, err error) {
	err = f.space.retry(f.name, func() error {
		m, err := f.File.Write(p[n:])
		n += m
		return err
	})
	return n, err
}

// WriteAt implements io.WriterAt.
func (f *spaceFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.space.retry(f.name, func() error {
		m, err := f.File.WriteAt(p[n:], at+int64(n))
		n += m
		return err
	})
	return n, err
}

// Preallocate implements vfs.File. It preallocates only if there is much free space, since a file may never fill it.
func (f *spaceFile) Preallocate(offset, length int64) error {
	usage, err := f.space.FS.GetDiskUsage(f.space.dir)
	if err == nil && usage.AvailBytes/4 < minimum(usage)+uint64(length) {
		return nil
	}
	return f.File.Preallocate(offset, length)
}

// compaction is Pebble's category of tables that compactions write.
const compaction vfs.DiskWriteCategory = "pebble-compaction"

// spareFile is a table of a compaction, which need not be written now: compactions leave the last space on the disk to
// the log and to flushes. Pebble removes the table after an error and retries.
type spareFile struct{ *spaceFile }

// Write implements io.Writer.
func (f *spareFile) Write(p []byte) (n int, err error) {
	usage, err := f.space.FS.GetDiskUsage(f.space.dir)
	if err != nil || usage.AvailBytes >= minimum(usage)/2+uint64(len(p)) {
		return f.spaceFile.Write(p)
	}
	after, stop := f.space.clock.After(tableTimeout)
	defer stop()
	select {
	case <-after:
	case <-f.space.closing:
	}
	return 0, syscall.ENOSPC
}

// retry retries a write to the named file until the disk is not full. It returns other errors at once, and all errors
// of files outside the store's folder, such as a backup's.
func (s *space) retry(name string, write func() error) error {
	err := write()
	if !isFull(err) || s.FS.PathDir(name) != s.dir {
		return err
	}
	if !s.opened.Load() {
		return s.park(err, false)
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	if s.full.CompareAndSwap(false, true) {
		s.log.Warn("the disk is full: a write waits, and others are refused, until there is space again", "file", name)
	}
	for waited := time.Duration(0); isFull(err); {
		if s.release() {
			err = write()
			continue
		}
		if filepath.Ext(name) == tableSuffix && waited >= tableTimeout {
			return err
		}
		after, stop := s.clock.After(retryPause)
		select {
		case <-s.closing:
			stop()
			return s.park(err, isLogFile(name))
		case <-after:
		}
		waited += retryPause
		err = write()
	}
	if _, measured := s.FS.GetDiskUsage(s.dir); measured != nil {
		s.full.Store(false) // If space can be measured, admit does this.
	}
	return err
}

// park ends a write that finds the disk full while the store is being opened or closed. Pebble would retry it without
// pause or end the program, so park does not return; Open or Close then abandons the database until the process ends.
// The error of a log is returned, because it ends a call of Apply.
func (s *space) park(err error, isLog bool) error {
	s.stuckOnce.Do(func() { close(s.stuck) })
	if isLog {
		return err
	}
	select {}
}

// isStuck reports whether a write has found the disk full while the store was being opened or closed.
func (s *space) isStuck() bool {
	select {
	case <-s.stuck:
		return true
	default:
		return false
	}
}
