package target

import (
	"encoding/hex"
	"fmt"
	"testing"
)

// TestBloom compares filters with sizes recorded in production and with bits computed by another program (MD5 in
// Python's hashlib).
func TestBloom(t *testing.T) {
	const documents = "projects/p/databases/(default)/documents/c/"
	for _, c := range []struct {
		names           []string
		hashes, padding int
		bits            string
	}{
		{[]string{"a"}, 12, 7, "03388001"},
		{[]string{"a", "ñ"}, 13, 3, "c438738e84422114"},
		{[]string{"a", "b", "😀"}, 14, 5, "9420609020daac2b62eb9b06"},
	} {
		b := NewBloom(len(c.names))
		for _, name := range c.names {
			b.Add(documents + name)
		}
		if got := hex.EncodeToString(b.Bits); b.Hashes != c.hashes || b.Padding != c.padding || got != c.bits {
			t.Errorf("filter of %v: %d hashes, %d bits of padding, %s; want %d, %d, %s", c.names, b.Hashes, b.Padding, got, c.hashes, c.padding, c.bits)
		}
	}
}

// TestBloomFilterExcludesOthers checks that a filter contains all its names and few others.
func TestBloomFilterExcludesOthers(t *testing.T) {
	// The false positive rate of a filter of one name is about 1 %, which exceeds this bound.
	for _, n := range []int{10, 100, 1000} {
		b := NewBloom(n)
		for i := range n {
			b.Add(fmt.Sprint("in", i))
		}
		for i := range n {
			if name := fmt.Sprint("in", i); !b.Has(name) {
				t.Errorf("a filter of %d lacks %s", n, name)
			}
		}
		others := 0
		for i := range 10_000 {
			if b.Has(fmt.Sprint("out", i)) {
				others++
			}
		}
		if others > 10 {
			t.Errorf("a filter of %d has %d of 10,000 others", n, others)
		}
	}
}
