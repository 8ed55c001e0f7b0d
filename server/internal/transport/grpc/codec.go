package grpc

import (
	"bytes"
	"sync"

	"google.golang.org/grpc/encoding"
	general "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"clave/server/internal/model/wire"
	"clave/server/internal/transport/calls"
)

// codec encodes responses and decodes requests without messages, and messages by gRPC's own codec.
type codec struct {
	encoding.CodecV2
	// scratch are *[]byte in which messages are written before their size is known.
	scratch sync.Pool
}

// newCodec returns a codec.
func newCodec() *codec {
	return &codec{CodecV2: encoding.GetCodecV2(general.Name), scratch: sync.Pool{New: func() any { return new([]byte) }}}
}

// answer is a response that wire encodes.
type answer interface {
	// Append appends the wire form.
	Append(dst []byte) ([]byte, error)
}

// maxScratch is the maximum size of a buffer that is kept for the next message, and maxPooled the maximum size of a
// message that is written to one of gRPC's pooled buffers. The next larger buffers there have 32 KiB and then 1 MiB,
// which a slow client would hold for each message.
const (
	maxScratch = 64 << 10
	maxPooled  = 16 << 10
)

// Marshal implements encoding.CodecV2.
func (c *codec) Marshal(v any) (mem.BufferSlice, error) {
	if o, ok := v.(*outgoing); ok {
		return c.marshalOutgoing(o)
	}
	if a, ok := v.(*wire.Listened); ok { // which shares its document with other responses
		return answerBuffers(a)
	}
	if m, ok := v.(*Raw); ok {
		return m.take(), nil
	}
	a, ok := v.(answer)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	scratch := c.scratch.Get().(*[]byte)
	defer c.scratch.Put(scratch)
	b, err := a.Append((*scratch)[:0])
	if err != nil {
		return nil, err
	}
	if cap(b) > maxScratch {
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	}
	*scratch = b
	if len(b) > maxPooled {
		return mem.BufferSlice{mem.SliceBuffer(bytes.Clone(b))}, nil
	}
	return mem.BufferSlice{mem.Copy(b, mem.DefaultBufferPool())}, nil
}

// answerBuffers returns a Listen stream's response. It does not copy the part that responses share.
func answerBuffers(a *wire.Listened) (mem.BufferSlice, error) {
	own, shared, err := a.Binary()
	switch {
	case err != nil:
		return nil, err
	case len(shared) == 0:
		return mem.BufferSlice{mem.SliceBuffer(own)}, nil
	default:
		return mem.BufferSlice{mem.SliceBuffer(own), mem.SliceBuffer(shared)}, nil
	}
}

// Unmarshal implements encoding.CodecV2.
func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	if l, ok := v.(*deferred); ok {
		return c.unmarshalDeferred(data, l)
	}
	if m, ok := v.(*Raw); ok {
		data.Ref()
		m.data = data
		return nil
	}
	m, ok := v.(calls.Decoder)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	b := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer b.Free()
	return m.Decode(b.ReadOnlyData())
}
