// Package parse limits the memory of large requests that are parsed and served at the same time, over all transports
// together. A parsed request takes many times the memory of its bytes, and needs no credentials.
//
// A transport estimates what a request takes, and waits for a Share of the Limit with its unparsed bytes, which the
// transport counts elsewhere. A request that takes more than the Limit is parsed alone. The requests of one network
// have at most half of the Limit, or one large request: while they are served, those of others find room.
package parse

import (
	"context"
	"net/netip"
	"sync"

	"clave/server/internal/limit/quota"
)

// Large is the size in bytes from which on a request has to be admitted. Smaller ones take too little to matter.
const Large = 64 << 10

// enough is the default of New: some hundred large commits of ordinary documents.
const enough = 64 << 20

// Limit is the memory of the requests that are parsed and served. It is safe for concurrent use.
type Limit struct{ quota *quota.Quota }

// New returns a limit of that many bytes, of which one network may have half; 0 means 64 MiB.
func New(bytes int64) *Limit {
	if bytes == 0 {
		bytes = enough
	}
	return &Limit{quota: quota.New(quota.Options{Bytes: bytes, Network: bytes / 2})}
}

// Most returns the limit's size in bytes.
func (l *Limit) Most() int64 { return l.quota.Most() }

// Used returns the number of bytes that requests have.
func (l *Limit) Used() int64 { return l.quota.Used() }

// Share is the memory of one request. It is safe for concurrent use; a nil one is empty.
type Share struct {
	limit *Limit
	mu    struct {
		sync.Mutex
		quota.Share
	}
}

// Admit waits until a request of a client may be parsed that takes the given bytes of memory. It returns CANCELLED or
// DEADLINE_EXCEEDED if ctx ends before. The share must be released when the request has been answered.
func (l *Limit) Admit(ctx context.Context, client netip.Addr, memory int64) (*Share, error) {
	share := l.quota.Share(quota.Network(client))
	if err := share.Wait(ctx, memory); err != nil {
		return nil, err
	}
	s := &Share{limit: l}
	s.mu.Share = share
	return s, nil
}

// Shrink returns what the share holds beyond the given bytes.
func (s *Share) Shrink(memory int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.Share.Shrink(memory)
}

// Release returns the share. It may be called more than once.
func (s *Share) Release() { s.Shrink(0) }

// Elements returns the number of values, names and objects in a text of JSON. What is in strings does not count.
func Elements(text []byte) int {
	n, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// MemoryOf returns about how many bytes a body of JSON takes at most while it is parsed by package encoding/json and
// served. values are its values, names and objects: most of the memory of each is the table of the object that has it.
func MemoryOf(body []byte, values int) int64 {
	const perByte, perValue = 2, 320
	return perByte*int64(len(body)) + perValue*int64(values)
}

// Values returns the number of values in a text of JSON, or somewhat more.
func Values[Text ~[]byte | ~string](text Text) int64 {
	n := int64(1)
	for i := range len(text) {
		if c := text[i]; c == ',' || c == ':' || c == '[' { // A value follows one of these.
			n++
		}
	}
	return n
}
