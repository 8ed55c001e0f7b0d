// Package memory bounds the memory that readings hold: results that have to be sorted, and changes since a version of
// the past.
package memory

import (
	"sync/atomic"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
)

// A document takes Overhead bytes for its name and its structure, and times its size for its fields.
const (
	Overhead = 512
	times    = 3
)

// Memory is the memory of all readings. It is safe for concurrent use.
type Memory struct {
	most int64
	used atomic.Int64
}

// New returns a memory of most bytes.
func New(most int64) *Memory { return &Memory{most: most} }

// Share is what one reading holds. It must be used by one goroutine only. The zero Share has no limit.
type Share struct {
	of    *Memory
	bytes int64
}

// Share returns an empty share, which must be returned by Shrink(0).
func (m *Memory) Share() Share { return Share{of: m} }

// Sibling returns another empty share of the same memory.
func (s *Share) Sibling() Share { return Share{of: s.of} }

// Held returns the bytes that are held.
func (s *Share) Held() int64 { return s.bytes }

// Take holds n bytes more. It returns ResourceExhausted if all shares together would hold too many.
func (s *Share) Take(n int64) error {
	if s.of != nil && s.of.used.Add(n) > s.of.most {
		s.of.used.Add(-n)
		return fault.E(fault.ResourceExhausted, "The query's results must be sorted in memory and are too large for it. Use an order with an index, or a limit.")
	}
	s.bytes += n
	return nil
}

// of returns the bytes that a document takes.
func of(d *document.Document) int64 { return Overhead + times*int64(d.Size()) }

// TakeDocument holds a document.
func (s *Share) TakeDocument(d *document.Document) error { return s.Take(of(d)) }

// ReturnDocument returns what TakeDocument took for a document.
func (s *Share) ReturnDocument(d *document.Document) { s.Shrink(s.bytes - of(d)) }

// Shrink returns what is held beyond n bytes.
func (s *Share) Shrink(n int64) {
	if s.of != nil {
		s.of.used.Add(n - s.bytes)
	}
	s.bytes = n
}
