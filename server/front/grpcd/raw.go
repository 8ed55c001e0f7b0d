package grpcd

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// Raw is a message in its wire form, for calls that are passed on unchanged. It holds its bytes until it is sent, or
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
