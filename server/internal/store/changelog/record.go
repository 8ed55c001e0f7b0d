package changelog

import (
	"encoding/binary"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// Record is a batch that was applied.
type Record struct {
	// Seq is the number of its first operation. The others follow it.
	Seq uint64
	At  time.Time
	Ops []store.Op
}

// appendRecord appends the encoding of a record without its number: its time in microseconds, the number of its
// operations, and for each its kind, its key, and its value unless it deletes the key. Numbers and lengths are
// unsigned varints.
func appendRecord(to []byte, at time.Time, ops []store.Op) []byte {
	return appendOps(appendTime(to, at, len(ops)), ops)
}

// appendTime appends the beginning of a record of n operations.
func appendTime(to []byte, at time.Time, n int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(at.UnixMicro())), uint64(n))
}

// appendOps appends operations.
func appendOps(to []byte, ops []store.Op) []byte {
	for _, op := range ops {
		to = append(to, byte(op.Kind))
		to = appendBytes(to, op.Key)
		if op.Kind != store.Delete {
			to = appendBytes(to, op.Value)
		}
	}
	return to
}

// appendBytes appends bytes after their number.
func appendBytes(to, b []byte) []byte { return append(binary.AppendUvarint(to, uint64(len(b))), b...) }

// maxOps is the maximum number of operations of a batch. Those of a log are not larger: its memory is bounded.
const maxOps = 4 << 20

// decoder reads the encodings of records.
type decoder struct {
	rest []byte
	bad  bool
}

// Records calls each with the records of a segment's content, in order. Their keys and values are parts of it. It
// returns DataLoss for content that is not that of records which end at the number to.
func Records(content []byte, from, to uint64, each func(Record) error) error {
	d := &decoder{rest: content}
	for len(d.rest) > 0 {
		r := Record{Seq: from, At: time.UnixMicro(int64(d.uvarint())).UTC()}
		n := d.uvarint()
		if d.bad || n == 0 || n > min(maxOps, uint64(len(d.rest))) {
			return errRecords()
		}
		for range n {
			r.Ops = append(r.Ops, d.op())
		}
		if from += n; d.bad || from > to {
			return errRecords()
		}
		if err := each(r); err != nil {
			return err
		}
	}
	if from != to {
		return errRecords()
	}
	return nil
}

// errRecords is the error for content that is not that of records.
func errRecords() error { return fault.E(fault.DataLoss, "its batches are damaged") }

// op reads an operation.
func (d *decoder) op() store.Op {
	if len(d.rest) == 0 || d.rest[0] > byte(store.DeleteRange) {
		d.bad, d.rest = true, nil
		return store.Op{}
	}
	op := store.Op{Kind: store.Kind(d.rest[0])}
	d.rest = d.rest[1:]
	if op.Key = d.bytes(); op.Kind != store.Delete {
		op.Value = d.bytes()
	}
	return op
}

// uvarint reads a number.
func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// bytes reads bytes after their number.
func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}
