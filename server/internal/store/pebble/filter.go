package pebble

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// everyKey is the Bloom filter of all keys of a table.
const everyKey = bloom.FilterPolicy(10)

// pointKeys is the Bloom filter of the keys that Get may be called with. Most keys of a store are index entries, which
// are only scanned: without them the filters of the tables are small enough for the processor's caches.
type pointKeys struct {
	bloom.FilterPolicy
	scanned func(key []byte) bool
}

// Name implements pebble.FilterPolicy. A table has the name of its filter, and a filter with an unknown name is not
// used.
func (pointKeys) Name() string { return "clave.BloomFilterOfPointKeys" }

// MayContain implements pebble.FilterPolicy.
func (p pointKeys) MayContain(kind pebble.FilterType, filter, key []byte) bool {
	return p.scanned(key) || p.FilterPolicy.MayContain(kind, filter, key)
}

// NewWriter implements pebble.FilterPolicy.
func (p pointKeys) NewWriter(kind pebble.FilterType) pebble.FilterWriter {
	return pointWriter{p.FilterPolicy.NewWriter(kind), p.scanned}
}

// pointWriter adds only the keys of a pointKeys.
type pointWriter struct {
	pebble.FilterWriter
	scanned func(key []byte) bool
}

// AddKey implements pebble.FilterWriter.
func (w pointWriter) AddKey(key []byte) {
	if !w.scanned(key) {
		w.FilterWriter.AddKey(key)
	}
}

// setFilters sets the filters of tables. Tables of earlier programs have filters of all keys.
func (o Options) setFilters(opts *pebble.Options) {
	var policy pebble.FilterPolicy = everyKey
	if o.Scanned != nil {
		policy = pointKeys{everyKey, o.Scanned}
	}
	opts.Filters = map[string]pebble.FilterPolicy{everyKey.Name(): everyKey, policy.Name(): policy}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = policy
	}
}
