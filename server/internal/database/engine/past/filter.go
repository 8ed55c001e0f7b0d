package past

import "bytes"

// Scope is what a search of the history looks for. The zero value is everything.
type Scope struct {
	// Paths are documents. If there are any, the other fields do not count.
	Paths []string
	// Collection is the path of a collection, and Group the id of a collection group.
	Collection, Group string
}

// The kinds of names in a filter. They are part of what is stored.
const (
	scopePath       byte = 'p'
	scopeCollection byte = 'c'
	scopeGroup      byte = 'g'
)

// names are the hashes of names by what they are hashes of. A segment of interest has at least one of them; with nil,
// each segment is.
type names map[string]uint64

// names returns the names of the scope.
func (s Scope) names() names {
	switch {
	case len(s.Paths) > 0:
		out := make(names, len(s.Paths))
		for _, path := range s.Paths {
			out[path] = hashOf(scopePath, []byte(path))
		}
		return out
	case s.Collection != "":
		return names{"": hashOf(scopeCollection, []byte(s.Collection))}
	case s.Group != "":
		return names{"": hashOf(scopeGroup, []byte(s.Group))}
	}
	return nil
}

// filter is a Bloom filter of the names that have changed in a segment.
type filter []byte

// A filter has bitsPerName bits for each name, of which probes are set: one of 120 other names seems to be in it.
const (
	bitsPerName = 10
	probes      = 7
)

// newFilter returns the filter of names.
func newFilter(names map[uint64]struct{}) filter {
	f := make(filter, (len(names)*bitsPerName+7)/8)
	for h := range names {
		for i := range uint64(probes) {
			bit := (h + i*(h>>32|1)) % uint64(8*len(f))
			f[bit/8] |= 1 << (bit % 8)
		}
	}
	return f
}

// mayHave reports whether one of some names may be in the filter.
func (f filter) mayHave(some names) bool {
	for _, h := range some {
		if f.has(h) {
			return true
		}
	}
	return false
}

// has reports whether a name may be in the filter.
func (f filter) has(h uint64) bool {
	if len(f) == 0 {
		return true
	}
	for i := range uint64(probes) {
		bit := (h + i*(h>>32|1)) % uint64(8*len(f))
		if f[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
	}
	return true
}

// hashOf returns the hash of a name of a kind: FNV-1a with the finalizer of MurmurHash3. It is part of what is stored.
func hashOf(kind byte, name []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := (uint64(offset) ^ uint64(kind)) * prime
	for _, b := range name {
		h = (h ^ uint64(b)) * prime
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// lastSlash returns the position of the last slash of a path, or -1.
func lastSlash(path []byte) int { return bytes.LastIndexByte(path, '/') }
