package changelog

import (
	"math"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"clave/server/internal/store"
)

// MaxPacked is the maximum size of the operations that Pack takes, as Size counts them.
const MaxPacked = 64 << 20

// Size returns the number of bytes that an operation takes before compression, at most.
func Size(op store.Op) int { return 1 + 2*lengthBytes + len(op.Key) + len(op.Value) }

// lengthBytes is the maximum size of a length that an operation has.
const lengthBytes = 5

// The codec of packed operations. Both are safe for concurrent use. One block of zstd finds what is repeated within
// 8 MiB: a document and its versions in the log of commits.
var (
	packer = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	})
	unpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxPacked+1<<20))
	})
)

// Pack returns operations in the form of a segment of the log with the given id, whose content is compressed well.
// number tells it from others.
func Pack(id string, number uint64, ops []store.Op) ([]byte, error) {
	enc, err := packer()
	if err != nil {
		return nil, err
	}
	records := appendRecord(nil, time.UnixMicro(1), ops)
	stored, _, err := Segment{Log: id, Number: number, To: uint64(len(ops))}.Append(nil, enc.EncodeAll(records, nil))
	return stored, err
}

// Unpack calls each with the operations of Pack, in order, in parts. It returns DataLoss for other content.
func Unpack(stored []byte, each func(ops []store.Op) error) error {
	dec, err := unpacker()
	if err != nil {
		return err
	}
	s, content, _, err := ParseSegment(stored)
	if err != nil {
		return err
	}
	if s.To > math.MaxInt32 || s.From != 0 {
		return errRecords()
	}
	records, err := dec.DecodeAll(content, nil)
	if err != nil {
		return errRecords()
	}
	return Records(records, 0, s.To, func(r Record) error { return each(r.Ops) })
}
