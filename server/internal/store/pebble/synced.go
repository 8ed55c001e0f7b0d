package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
)

// Pebble treats damage at the end of a log, and an emptied or zeroed log, as the end of the log. So the store records
// in a file of its own how many bytes of each log are synced, and compares that with the logs before Pebble reads them.
//
// The file is written after each sync of a log and before the sync is reported, but is not synced itself then: a killed
// process leaves it exact, and a power cut may leave an earlier state of it, whose numbers are lower bounds. Before a
// log is removed or renamed the file without that log is synced, so that it never names a log that the store has
// removed.
//
// Programs without this file may write to the folder in between. Each opening of a store writes a file OPTIONS with a
// new number. The file is ignored unless it has the number of the newest one.

// syncedName is the name of the file in the store's folder. Pebble ignores files with other names than its own.
const syncedName = "synced"

// The format of the file: checksum (4 bytes) of the rest, number of entries (4), number of the file OPTIONS (8), and
// for each log its number (8) and its synced bytes (8). The rest of the size is zeros.
const (
	syncedSize   = 512
	syncedHeader = 16
	syncedEntry  = 16
	syncedMost   = (syncedSize - syncedHeader) / syncedEntry
)

// optionsPrefix is the start of the names of Pebble's options files, which their number follows.
const optionsPrefix = "OPTIONS-"

// logSuffix is the end of the names of logs.
const logSuffix = ".log"

// castagnoli is the polynomial of the checksums of this file and of Pebble's logs.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// syncedLog is a log with the number of its synced bytes.
type syncedLog struct{ number, bytes uint64 }

// synced is the file that records the synced bytes of logs.
type synced struct {
	fs  vfs.FS
	dir string
	log *slog.Logger
	mu  struct {
		sync.Mutex
		// file is nil if the file can't be written. Then it does not exist.
		file vfs.File
		// options is the number of the newest options file.
		options uint64
		logs    []syncedLog
	}
}

// newSynced returns the file of a folder before it is opened, when nothing is recorded.
func newSynced(from vfs.FS, dir string, log *slog.Logger) *synced {
	return &synced{fs: from, dir: dir, log: log}
}

// open compares the logs of the folder, which has files with these names, with the file, and opens it for writing. It
// returns DataLoss if synced bytes are missing. If derived is set, missing bytes at the end of the newest log are
// logged instead.
func (s *synced) open(names []string, derived bool) error {
	if s.dir == "" {
		return nil // The data are in memory.
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(names, syncedName) {
		if err := s.readLocked(newestOptions(names)); err != nil {
			return err
		}
		if err := s.checkLocked(names, derived); err != nil {
			return err
		}
	}
	var err error
	if s.mu.file, err = s.fs.OpenReadWrite(s.path(), vfs.WriteCategoryUnspecified); err == nil {
		err = s.writeLocked(true)
	}
	if err != nil {
		return errors.Join(err, s.abandonLocked())
	}
	return nil
}

// path returns the path of the file.
func (s *synced) path() string { return s.fs.PathJoin(s.dir, syncedName) }

// newestOptions returns the greatest number of an options file, or 0.
func newestOptions(names []string) (newest uint64) {
	for _, name := range names {
		if digits, ok := strings.CutPrefix(name, optionsPrefix); ok {
			n, _ := strconv.ParseUint(digits, 10, 64) // Other files have no number.
			newest = max(newest, n)
		}
	}
	return newest
}

// logNumber returns the number of a log by its path, if it is one.
func (s *synced) logNumber(path string) (number uint64, ok bool) {
	digits, isLog := strings.CutSuffix(s.fs.PathBase(path), logSuffix)
	if !isLog || s.fs.PathDir(path) != s.dir {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// readLocked reads the file. It ignores a damaged file, and one that was written before the newest options file.
func (s *synced) readLocked(options uint64) error {
	f, err := s.fs.Open(s.path())
	if err != nil {
		return fmt.Errorf("read the synced lengths of the logs: %w", err)
	}
	defer func() { _ = f.Close() }() // a read
	text, err := io.ReadAll(f)
	if err != nil {
		return fmt.Errorf("read the synced lengths of the logs: %w", err)
	}
	at, logs, ok := decodeSynced(text)
	switch {
	case !ok:
		s.log.Warn("the file with the synced lengths of the logs is damaged: the ends of the logs are not checked", "file", syncedName)
	case at == options:
		s.mu.options, s.mu.logs = at, logs
	}
	return nil
}

// encodeSynced returns the content of the file.
func encodeSynced(options uint64, logs []syncedLog) []byte {
	text := make([]byte, syncedHeader, syncedSize)
	binary.LittleEndian.PutUint32(text[4:], uint32(len(logs)))
	binary.LittleEndian.PutUint64(text[8:], options)
	for _, l := range logs {
		text = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(text, l.number), l.bytes)
	}
	text = text[:syncedSize]
	binary.LittleEndian.PutUint32(text, crc32.Checksum(text[4:], castagnoli))
	return text
}

// decodeSynced parses the content of the file. ok is false if it is damaged.
func decodeSynced(text []byte) (options uint64, logs []syncedLog, ok bool) {
	if len(text) < syncedSize {
		return 0, nil, false
	}
	if text = text[:syncedSize]; binary.LittleEndian.Uint32(text) != crc32.Checksum(text[4:], castagnoli) {
		return 0, nil, false
	}
	count := binary.LittleEndian.Uint32(text[4:])
	if count > syncedMost {
		return 0, nil, false
	}
	for i := range int(count) {
		entry := text[syncedHeader+i*syncedEntry:]
		logs = append(logs, syncedLog{binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])})
	}
	return binary.LittleEndian.Uint64(text[8:]), logs, true
}

// checkLocked compares the logs with their synced bytes.
func (s *synced) checkLocked(names []string, derived bool) error {
	newest := uint64(0)
	for _, l := range s.mu.logs {
		newest = max(newest, l.number)
	}
	for _, name := range names {
		if number, ok := s.logNumber(s.fs.PathJoin(s.dir, name)); ok {
			newest = max(newest, number)
		}
	}
	for i, l := range s.mu.logs {
		name := fmt.Sprintf("%06d%s", l.number, logSuffix)
		end, err := chunksEnd(s.fs, s.fs.PathJoin(s.dir, name), uint32(l.number), l.bytes)
		if err != nil {
			return err
		}
		switch {
		case end >= l.bytes:
		case derived && l.number == newest:
			s.log.Warn("the end of the newest log is damaged or missing: its data are obtained again", "file", name, "end", end, "synced", l.bytes)
			s.mu.logs[i].bytes = end
		default:
			return fault.E(fault.DataLoss, "the log %s of data folder %s is damaged: %d bytes are synced, but only %d are intact, so acknowledged writes are missing. "+
				"Restore a backup, or remove the file %s to start without those writes.", name, s.dir, l.bytes, end, s.path())
		}
	}
	return nil
}

// mark records that a log is synced up to a number of bytes. An error is logged, since the log itself is synced.
func (s *synced) mark(number, bytes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.mu.logs, func(l syncedLog) bool { return l.number == number })
	switch {
	case i >= 0:
		s.mu.logs[i].bytes = bytes
	case len(s.mu.logs) < syncedMost: // Pebble has few logs.
		s.mu.logs = append(s.mu.logs, syncedLog{number, bytes})
	default:
		return
	}
	_ = s.noteLocked(s.writeLocked(false)) // If the file is not removed, its numbers are lower bounds.
}

// lengths returns the numbers of synced bytes of the logs, by their numbers.
func (s *synced) lengths() map[uint64]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[uint64]uint64, len(s.mu.logs))
	for _, l := range s.mu.logs {
		all[l.number] = l.bytes
	}
	return all
}

// remove records durably that a log is removed or renamed, which must happen afterwards.
func (s *synced) remove(path string) error {
	number, ok := s.logNumber(path)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.logs = slices.DeleteFunc(s.mu.logs, func(l syncedLog) bool { return l.number == number })
	return s.noteLocked(s.writeLocked(true))
}

// renamed records the number of a new options file.
func (s *synced) renamed(path string) {
	if !strings.HasPrefix(s.fs.PathBase(path), optionsPrefix) || s.fs.PathDir(path) != s.dir {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.options = newestOptions([]string{s.fs.PathBase(path)})
	_ = s.noteLocked(s.writeLocked(true)) // Without the file nothing is checked.
}

// writeLocked writes the file.
func (s *synced) writeLocked(durable bool) error {
	if s.mu.file == nil {
		return nil
	}
	_, err := s.mu.file.WriteAt(encodeSynced(s.mu.options, s.mu.logs), 0)
	if err == nil && durable {
		err = s.mu.file.Sync()
	}
	return err
}

// noteLocked logs a failed write of the file and removes the file, whose numbers would be wrong. It returns an error if
// the file can't be removed.
func (s *synced) noteLocked(err error) error {
	if err == nil {
		return nil
	}
	s.log.Warn("the synced lengths of the logs can't be written: after a crash the ends of the logs are not checked", "file", syncedName, "error", err)
	return s.abandonLocked()
}

// abandonLocked closes and removes the file.
func (s *synced) abandonLocked() error {
	if s.mu.file != nil {
		_ = s.mu.file.Close() // A write has failed before.
		s.mu.file = nil
	}
	if err := s.fs.Remove(s.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// close closes the file.
func (s *synced) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.file == nil {
		return nil
	}
	file := s.mu.file
	s.mu.file = nil
	return file.Close()
}

// isLogFile reports whether a name is that of a log.
func isLogFile(name string) bool { return filepath.Ext(name) == logSuffix }
