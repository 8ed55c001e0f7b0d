package listen

import (
	"testing"

	"clave/server/internal/model/target"
)

// TestFirstSnapshotsThatAreReadAreBounded checks that the first snapshots of many streams whose clients do not read
// them completely hold no more memory than their bound, and that nothing is counted once the streams have ended.
func TestFirstSnapshotsThatAreReadAreBounded(t *testing.T) {
	h := &Hub{}
	const size = 64 << 10
	var all []*collection
	for range 200 {
		c := &collection{hub: h, first: &first{}}
		all = append(all, c)
		for range 10 {
			c.add(&target.Shown{}, size)
		}
		if held := h.collecting.Load(); held > collected {
			t.Fatalf("%d collections hold %d bytes, want at most %d", len(all), held, collected)
		}
	}
	whole := 0
	for _, c := range all {
		if read := c.give(); read != nil {
			whole++
			if read.bytes != 10*size || len(read.docs) != 10 {
				t.Errorf("a collection has %d documents of %d bytes, want 10 of %d", len(read.docs), read.bytes, 10*size)
			}
		}
	}
	if whole == 0 || whole > collected/(10*size) {
		t.Errorf("%d collections were kept, want 1 to %d", whole, collected/(10*size))
	}
	if left := h.collecting.Load(); left != 0 {
		t.Errorf("%d bytes are counted when all have ended", left)
	}
	large := &collection{hub: h, first: &first{}}
	for range maxFirst/size + 1 {
		large.add(&target.Shown{}, size)
	}
	if large.give() != nil || h.collecting.Load() != 0 {
		t.Errorf("a first snapshot beyond %d bytes was kept, or is counted still: %d", maxFirst, h.collecting.Load())
	}
}
