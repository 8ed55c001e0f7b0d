package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"clave/server/internal/store"
)

// A row's body is a byte for the encoding of the rest, followed by the operations: the kind, length and bytes of the
// key, and, except for deletes, length and bytes of the value.
const (
	bodyPlain = 1
	bodyZstd  = 2
)

// compressFrom is the size from which a body is compressed, and bodyMost the maximum size of its content.
const (
	compressFrom = 512
	bodyMost     = 1 << 30
)

// errBody is the error for a body that this package did not write.
var errBody = errors.New("pgstore: corrupt row of the log")

// codec compresses bodies. It is safe for concurrent use.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// newCodec returns a codec.
func newCodec() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(bodyMost))
	if err != nil {
		return nil, err
	}
	return &codec{enc, dec}, nil
}

// close releases the codec.
func (c *codec) close() { c.dec.Close() }

// encode returns the body of operations.
func (c *codec) encode(ops []store.Op) []byte {
	size := 1
	for _, op := range ops {
		size += len(op.Key) + len(op.Value) + 12
	}
	body := append(make([]byte, 0, size), bodyPlain)
	for _, op := range ops {
		body = append(body, byte(op.Kind))
		body = append(binary.AppendUvarint(body, uint64(len(op.Key))), op.Key...)
		if op.Kind != store.Delete {
			body = append(binary.AppendUvarint(body, uint64(len(op.Value))), op.Value...)
		}
	}
	if len(body) < compressFrom {
		return body
	}
	return c.enc.EncodeAll(body[1:], append(make([]byte, 0, len(body)/2), bodyZstd))
}

// decode returns the operations of a body, which share its memory.
func (c *codec) decode(body []byte) ([]store.Op, error) {
	if len(body) == 0 {
		return nil, nil // row 0
	}
	rest := body[1:]
	switch body[0] {
	case bodyPlain:
	case bodyZstd:
		var err error
		if rest, err = c.dec.DecodeAll(rest, nil); err != nil {
			return nil, fmt.Errorf("%w: %w", errBody, err)
		}
	default:
		return nil, errBody
	}
	var ops []store.Op
	for len(rest) > 0 {
		op := store.Op{Kind: store.Kind(rest[0])}
		if op.Kind > store.DeleteRange {
			return nil, errBody
		}
		var ok bool
		if op.Key, rest, ok = cut(rest[1:]); !ok {
			return nil, errBody
		}
		if op.Kind != store.Delete {
			if op.Value, rest, ok = cut(rest); !ok {
				return nil, errBody
			}
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// cut decodes bytes that are preceded by their length, and returns them and the rest.
func cut(b []byte) (value, rest []byte, ok bool) {
	n, width := binary.Uvarint(b)
	if width <= 0 || n > uint64(len(b)-width) {
		return nil, nil, false
	}
	end := width + int(n)
	return b[width:end:end], b[end:], true
}
