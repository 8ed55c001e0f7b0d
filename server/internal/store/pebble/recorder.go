package pebble

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/wal"

	"clave/server/internal/store"
)

// Recorder receives the batches of a store. Pebble numbers the operations of all batches without a gap, also when a
// store is opened again, so a Recorder notices when one is missing. Its methods must return soon: Apply waits for them.
type Recorder interface {
	// From returns the number of the first operation that is wanted of the logs that a killed process has left; zero for
	// none. Open calls it once, when it has locked the folder.
	From() uint64
	// Now returns the time of a batch that is about to be applied. It is written to Pebble's log.
	Now() time.Time
	// Record is called once a batch is on disk, before Apply returns. seq is the number of its first operation; the others
	// follow it. Concurrent batches are recorded by several goroutines in any order. Open calls it for those of the logs,
	// in order, with the zero time for a batch that was applied without a Recorder. The slices must not be kept.
	Record(seq uint64, at time.Time, ops []store.Op)
	// Flushing is called when batches that were recorded begin to be moved from the log to tables, after which the log has
	// them no more. It must not call the store.
	Flushing()
}

// appendStamp appends the form of a batch's time in the log: microseconds (8 bytes, big-endian).
func appendStamp(to []byte, at time.Time) []byte {
	return binary.BigEndian.AppendUint64(to, uint64(at.UnixMicro()))
}

// recordLogs passes the batches of the logs in a folder to the recorder before the store is opened, which moves them to
// tables. Records that can't be read are left to Pebble, which reads them next.
func (s *Store) recordLogs(dir string) error {
	if s.recorder == nil {
		return nil
	}
	from := s.recorder.From()
	if from == 0 {
		return nil
	}
	logs, err := wal.Scan(wal.Dir{FS: s.space.FS, Dirname: dir})
	if err != nil {
		return fmt.Errorf("read the logs: %w", err)
	}
	for _, l := range logs {
		if !s.recordLog(l, from) {
			return nil
		}
	}
	return nil
}

// recordLog passes the batches of a log from a number on to the recorder. It returns false if the log has none of its
// kind, so that those of later logs are not recorded either.
func (s *Store) recordLog(l wal.LogicalLog, from uint64) bool {
	r := l.OpenForRead()
	defer func() { _ = r.Close() }() // a read
	for {
		record, _, err := r.NextRecord()
		if err != nil {
			return true // the end
		}
		var content bytes.Buffer
		if _, err := io.Copy(&content, record); err != nil {
			return true
		}
		header, ok := batchrepr.ReadHeader(content.Bytes())
		if !ok {
			return false
		}
		if seq := uint64(header.SeqNum); header.Count > 0 && seq+uint64(header.Count) > from {
			at, ops, ok := decodeBatch(content.Bytes())
			if !ok || len(ops) != int(header.Count) {
				return false
			}
			s.recorder.Record(seq, at, ops)
		}
	}
}

// decodeBatch returns the operations of a batch in Pebble's form, and its time; zero if it has none.
func decodeBatch(content []byte) (at time.Time, ops []store.Op, ok bool) {
	r := batchrepr.Read(content)
	for {
		kind, key, value, more, err := r.Next()
		if err != nil {
			return at, nil, false
		}
		if !more {
			return at, ops, true
		}
		switch kind {
		case pebble.InternalKeyKindSet:
			ops = append(ops, store.Op{Kind: store.Set, Key: key, Value: value})
		case pebble.InternalKeyKindDelete:
			ops = append(ops, store.Op{Kind: store.Delete, Key: key})
		case pebble.InternalKeyKindRangeDelete:
			ops = append(ops, store.Op{Kind: store.DeleteRange, Key: key, Value: value})
		case pebble.InternalKeyKindLogData:
			if len(key) == 8 {
				at = time.UnixMicro(int64(binary.BigEndian.Uint64(key))).UTC()
			}
		default:
			return at, nil, false
		}
	}
}
