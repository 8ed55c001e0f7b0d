package grpc

import (
	"slices"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// Raw is a message in its wire form, for calls that are forwarded unchanged. It holds its bytes until it is sent, or
// until Free.
type Raw struct{ data mem.BufferSlice }

// RawCodec returns a codec for Raw messages.
func RawCodec() encoding.CodecV2 { return newCodec() }

// Len returns the length of the message.
func (m *Raw) Len() int { return m.data.Len() }

// Copy returns a second message of the same bytes.
func (m *Raw) Copy() *Raw {
	m.data.Ref()
	return &Raw{m.data}
}

// Free releases the bytes. The message is empty then.
func (m *Raw) Free() { m.take().Free() }

// take returns the bytes with the duty to free them. The message is empty then.
func (m *Raw) take() mem.BufferSlice {
	data := m.data
	m.data = nil
	return data
}

// onFree registers a function that is called when all holders have freed the message's bytes. gRPC's client frees the
// messages that it has sent.
func (m *Raw) onFree(call func()) {
	m.data = append(slices.Clip(m.data), onFreed(call))
}

// onFreed returns an empty buffer that calls a function when it is freed.
func onFreed(call func()) mem.Buffer {
	none := make([]byte, 0, leastFreed)
	return mem.NewBuffer(&none, freed(call))
}

// leastFreed is the minimum capacity of the buffers that package mem returns to their pool.
const leastFreed = 2 << 10

// freed is a pool that calls a function for the buffer that is returned to it.
type freed func()

// Get implements mem.BufferPool. It is not called.
func (f freed) Get(length int) *[]byte { return mem.DefaultBufferPool().Get(length) }

// Put implements mem.BufferPool.
func (f freed) Put(*[]byte) { f() }
