// Package memory bounds the memory that readings hold: results that have to be sorted, and changes since a version of
// the past.
package memory

import (
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/quota"
	"clave/server/internal/model/document"
)

// A document takes Overhead bytes for its name and its structure, and times its size for its fields.
const (
	Overhead = 512
	times    = 3
)

// New returns the memory of all readings, of most bytes. Those of one network may have half.
func New(most int64) *quota.Quota {
	return quota.New(quota.Options{
		Bytes: most, Network: most / 2,
		Full: fault.E(fault.ResourceExhausted, "The query's results must be sorted in memory and are too large for it. Use an order with an index, or a limit."),
	})
}

// Share is what one reading holds. It must be used by one goroutine at a time. The zero Share has no limit.
type Share struct{ quota.Share }

// Of returns an empty share of a client of a network (quota.Network), which must be returned by Shrink(0).
func Of(memory *quota.Quota, network string) Share { return Share{memory.Share(network)} }

// Sibling returns another empty share of the same memory and client.
func (s *Share) Sibling() Share { return Share{s.Share.Sibling()} }

// of returns the bytes that a document takes.
func of(d *document.Document) int64 { return Overhead + times*int64(d.Size()) }

// TakeDocument holds a document.
func (s *Share) TakeDocument(d *document.Document) error { return s.Take(of(d)) }

// ReturnDocument returns what TakeDocument took for a document.
func (s *Share) ReturnDocument(d *document.Document) { s.Shrink(s.Held() - of(d)) }
