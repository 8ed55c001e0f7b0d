package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// Pebble replays the newest log up to the first incomplete record and silently drops the rest. A killed process leaves
// such a record, which was not acknowledged, but damage to the last records looks the same. So logTail logs the dropped
// bytes.
//
// A log consists of blocks of 32 KiB that hold chunks (github.com/cockroachdb/pebble/v2/record): checksum (4 bytes),
// length (2), type (1), the low 32 bits of the log's number (4). Zeros or a chunk of an older log mark a clean end:
// Pebble preallocates logs and reuses their files.

// The format of logs, as the record package documents it.
const (
	logBlock        = 32 << 10
	logHeader       = 11
	leastLogType    = 5 // the first type with a log number
	greatestLogType = 12
)

// logTail logs the bytes that Pebble will drop at the end of the newest log of a folder.
func logTail(fs vfs.FS, dir string, log *slog.Logger) error {
	logs, err := wal.Scan(wal.Dir{FS: fs, Dirname: dir})
	if err != nil || len(logs) == 0 {
		return err
	}
	last := logs[len(logs)-1]
	offset, err := lastWhole(last)
	if err != nil || offset < 0 {
		return err
	}
	_, path := last.SegmentLocation(last.NumSegments() - 1)
	dropped, err := droppedBytes(fs, path, uint32(last.Num), offset)
	if err != nil || dropped == 0 {
		return err
	}
	log.Warn("the newest log ends with an incomplete record, which is dropped: a write in progress when the process ended, or damage",
		"file", fs.PathBase(path), "offset", offset, "bytes", dropped)
	return nil
}

// lastWhole returns the offset after the last complete record of a log, or -1 for a log with a clean end. Errors that
// make Pebble refuse the log are left to Pebble.
func lastWhole(l wal.LogicalLog) (offset int64, err error) {
	r := l.OpenForRead()
	defer func() { _ = r.Close() }() // a read
	for {
		record, at, err := r.NextRecord()
		if err == nil {
			_, err = io.Copy(io.Discard, record)
		}
		switch {
		case errors.Is(err, io.EOF):
			return -1, nil
		case err != nil:
			return at.Physical, nil
		}
	}
}

// droppedBytes returns the number of dropped bytes of a log, from the first chunk at offset to the last byte that is
// not zero, or 0 if the log ends there.
func droppedBytes(fs vfs.FS, path string, number uint32, offset int64) (int64, error) {
	f, err := fs.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read the log: %w", err)
	}
	defer func() { _ = f.Close() }() // a read
	if left := logBlock - offset%logBlock; left < logHeader {
		offset += left // The end of a block too short for a chunk is zeros.
	}
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("read the log: %w", err)
	}
	if info.Size() <= offset {
		return 0, nil
	}
	rest := make([]byte, info.Size()-offset)
	if n, err := f.ReadAt(rest, offset); err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("read the log: %w", err)
	} else if rest = rest[:n]; isLogEnd(rest, number) {
		return 0, nil
	}
	for len(rest) > 0 && rest[len(rest)-1] == 0 {
		rest = rest[:len(rest)-1]
	}
	return int64(len(rest)), nil
}

// isLogEnd reports whether bytes after the last record are the clean end of the log of a number.
func isLogEnd(rest []byte, number uint32) bool {
	head := make([]byte, logHeader)
	copy(head, rest)
	kind := head[6]
	if kind == 0 && binary.LittleEndian.Uint32(head) == 0 && binary.LittleEndian.Uint16(head[4:]) == 0 {
		return true
	}
	return kind >= leastLogType && kind <= greatestLogType && binary.LittleEndian.Uint32(head[7:]) < number
}
