package target

import (
	"crypto/md5"
	"encoding/binary"
)

// Bloom is a Bloom filter of documents' full names, in the form of google.firestore.v1.BloomFilter: the MD5 of a name
// is two little-endian 64-bit numbers h1 and h2, and its bits are (h1 + i·h2) mod the number of bits, for i below
// Hashes.
type Bloom struct {
	// Bits holds the bits, the lowest of each byte first.
	Bits []byte
	// Padding is the number of unused bits of the last byte.
	Padding int
	// Hashes is the number of bits of each name.
	Hashes int
}

// NewBloom returns an empty filter for n names. The sizes are those that production uses for few documents; about one
// in a million absent names is a false positive.
func NewBloom(n int) *Bloom {
	const most = 21 // hashes beyond this many don't help at 30 bits a name
	bits := 30*n + 1
	if n <= 1 {
		bits = 25
	}
	size := (bits + 7) / 8
	return &Bloom{Bits: make([]byte, size), Padding: 8*size - bits, Hashes: min(11+max(n, 1), most)}
}

// each calls f with the positions of a name's bits.
func (b *Bloom) each(name string, f func(bit uint64)) {
	sum := md5.Sum([]byte(name)) // MD5 is part of the contract and protects no secret.
	h1, h2 := binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:])
	bits := uint64(8*len(b.Bits) - b.Padding)
	for i := range uint64(b.Hashes) {
		f((h1 + i*h2) % bits)
	}
}

// Add adds a name.
func (b *Bloom) Add(name string) {
	b.each(name, func(bit uint64) { b.Bits[bit/8] |= 1 << (bit % 8) })
}

// Has reports whether a name was added. False positives are rare.
func (b *Bloom) Has(name string) bool {
	has := true
	b.each(name, func(bit uint64) { has = has && b.Bits[bit/8]&(1<<(bit%8)) != 0 })
	return has
}
