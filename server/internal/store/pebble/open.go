package pebble

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"

	"clave/server/internal/base/fault"
)

// Open opens the store in a directory, which it creates if absent. It returns FailedPrecondition for a directory that
// another process uses, DataLoss for one whose files are damaged or missing, Unimplemented for one that a newer version
// has written, and ResourceExhausted for a full disk.
func Open(dir string, o Options) (*Store, error) {
	o.EnsureDefaults()
	s := &Store{closing: make(chan struct{}), log: o.Log, damage: newDamage(o.Log), recorder: o.Recorder}
	s.space = newSpace(o.FS, dir, s)
	if err := o.FS.MkdirAll(dir, folderMode); err != nil {
		return nil, openError(dir, err)
	}
	lock, err := pebble.LockDirectory(dir, o.FS)
	if err != nil {
		return nil, lockError(dir, err)
	}
	s.lock = lock
	opts := s.options(o)
	reading := opts.Clone()
	reading.EnsureDefaults()
	s.tables = reading.MakeReaderOptions()
	if err := s.open(dir, opts, o.Derived); err != nil {
		return nil, errors.Join(openError(dir, err), s.unlock())
	}
	s.space.opened.Store(true)
	s.space.makeReserve()
	return s, nil
}

// unlock releases the folder's lock, including the hold of a database that could not be opened or closed.
func (s *Store) unlock() error {
	err := s.space.synced.close()
	if s.space.isStuck() {
		err = errors.Join(err, s.lock.Close())
	}
	return errors.Join(err, s.lock.Close())
}

// folderMode restricts the folder to its owner, because Pebble's files are readable by all.
const folderMode = 0o700

// options returns Pebble's options.
func (s *Store) options(o Options) *pebble.Options {
	opts := &pebble.Options{
		FS:                 s.space,
		Lock:               s.lock,
		FormatMajorVersion: pebble.FormatNewest,
		MemTableSize:       s.space.tableBytes(o.MemTableBytes),
		// Pebble compacts the first level after half as many flushes as this number. Index entries have scattered keys, so
		// each compaction rewrites most of the level below: eight flushes instead of two halve the processor time of writing
		// and cost a read a few µs.
		L0CompactionThreshold: 16,
		L0StopWritesThreshold: 1000,
		LBaseMaxBytes:         256 << 20,
		BytesPerSync:          1 << 20,
		// Half of the processors are left for requests.
		CompactionConcurrencyRange: func() (int, int) { return 1, max(1, runtime.GOMAXPROCS(0)/2) },
		Logger:                     logger{o.Log},
		EventListener:              s.listener(),
		CacheSize:                  o.CacheBytes,
	}
	// Tables have rows instead of columns: for each key a writer of columns computes the size of all columns of the block
	// again. Tables with columns, which earlier programs wrote, are read as well.
	opts.Experimental.EnableColumnarBlocks = func() bool { return false }
	o.setFilters(opts)
	s.regions.of = o.Region
	opts.Experimental.SpanPolicyFunc = s.regions.policy
	for i := range opts.Levels {
		// Each block costs a merge some processor time of its own. With larger blocks the cache would hold fewer
		// places.
		opts.Levels[i].BlockSize = 16 << 10
	}
	// Tables of the first levels are soon rewritten, or remain for long as they are if their keys come after all others.
	opts.Levels[0].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	opts.Levels[1].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	return opts
}

// listener returns the listener for Pebble's events.
func (s *Store) listener() *pebble.EventListener {
	l := s.damage.listener()
	release := func(pebble.FlushInfo) { go s.releaseParked() } // not within the call, which holds Pebble's lock
	l.FlushBegin, l.FlushEnd = release, release
	if s.recorder != nil {
		l.FlushBegin = func(i pebble.FlushInfo) {
			s.recorder.Flushing()
			release(i)
		}
	}
	return l
}

// open opens the database in a folder whose lock is held.
func (s *Store) open(dir string, opts *pebble.Options, derived bool) error {
	names, err := s.space.FS.List(dir)
	if err != nil {
		return err
	}
	if err := checkFormat(s.space.FS, dir); err != nil {
		return err
	}
	s.space.adopt(names)
	s.regions.count(opts.EventListener, len(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return filepath.Ext(name) != tableSuffix })))
	if err := s.space.roomToOpen(names); err != nil {
		return err
	}
	// Without a manifest Pebble creates a new database, which would lose existing data.
	opts.ErrorIfNotExists = slices.ContainsFunc(names, isData)
	if err := s.space.synced.open(names, derived); err != nil {
		return err
	}
	if err := logTail(s.space.FS, dir, s.log); err != nil {
		return err
	}
	if err := s.recordLogs(dir); err != nil {
		return err
	}
	type result struct {
		db  *pebble.DB
		err error
	}
	opened := make(chan result, 1)
	go func() {
		var r result
		r.err = s.survive(func() (err error) {
			r.db, err = pebble.Open(dir, opts)
			return err
		})
		opened <- r
	}()
	select {
	case r := <-opened:
		s.db = r.db
		return r.err
	case <-s.space.stuck:
		return noRoom(dir, "the content of the logs can't be written to tables")
	}
}

// tableSuffix is the end of the names of tables.
const tableSuffix = ".sst"

// isData reports whether a file with the name holds data, so that there must be a manifest. Pebble creates the manifest
// before such files.
func isData(name string) bool {
	return filepath.Ext(name) == tableSuffix || isLogFile(name)
}

// openError returns a specific error for failures of opening that an operator can correct.
func openError(dir string, err error) error {
	var named *fault.Error
	switch {
	case errors.As(err, &named):
		return err
	case isFull(err):
		return noRoom(dir, "its files can't be written")
	case errors.Is(err, pebble.ErrDBDoesNotExist):
		return fault.Wrap(err, fault.DataLoss,
			"data folder %s has data files, but the file marker.manifest.*, which names the current ones, is missing; restore a backup", dir)
	}
	if hasDamage(err) {
		return fault.Wrap(err, fault.DataLoss, "the files of data folder %s are damaged: %s. Restore a backup.", dir, oneLine(err.Error()))
	}
	return fmt.Errorf("open data folder %s: %w", dir, err)
}

// hasDamage reports whether opening failed because of the content of the files: a file is missing, or Pebble can't use
// what it has read. Pebble marks only some of these errors. Failures of the system have a number.
func hasDamage(err error) bool {
	var number syscall.Errno
	return pebble.IsCorruptionError(err) || errors.Is(err, fs.ErrNotExist) || !errors.As(err, &number)
}

// formatMarker is the name of the marker in which Pebble records the version of a store's format.
const formatMarker = "format-version"

// checkFormat returns Unimplemented for a folder that a newer version has written. Pebble's error for it has no type.
func checkFormat(from vfs.FS, dir string) error {
	text, err := atomicfs.ReadMarker(from, dir, formatMarker)
	if err != nil {
		return err
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil || version <= uint64(pebble.FormatNewest) {
		return nil // A new folder has no marker, and Pebble refuses a damaged one.
	}
	return fault.E(fault.Unimplemented, "data folder %s was written by a newer version of Clave: its format is %d, and this version reads formats up to %d. "+
		"Use that version, or another folder.", dir, version, pebble.FormatNewest)
}

// oneLine returns the beginning of an error's text without line breaks and control characters, which damaged files may
// put there.
func oneLine(text string) string {
	const most = 300
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// lockError returns the error for a directory that could not be locked.
func lockError(dir string, err error) error {
	if !isFull(err) && isLocked(err) {
		return fault.Wrap(err, fault.FailedPrecondition,
			"data folder %s is in use by another process; stop it, or choose another with --data", dir)
	}
	return openError(dir, err)
}
