package pebble

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/internal/store"
)

// How tables are divided. A merge rewrites all tables of the next level that overlap with its own. In some regions of
// keys, such as a log or an index of times, new keys come after all others, and such tables would overlap with no other
// if they held no keys of other regions. Elsewhere new keys are scattered, and a merge of one region need not rewrite
// another one. So no table has keys of a region in which much is written together with keys of another one. Regions in
// which little is written share tables, because each table costs something too.
//
// The written bytes are sampled, and at the end of each window the regions with many of them become the divided ones.

// The sampling: one key for each sampleStep bytes; windows of sampleWindow keys; and the number of keys in a window
// from which on a region is divided. Thus at most 32 regions are divided, and a table in memory of 16 MiB has half a
// MiB or more of each.
const (
	sampleStep   = 16 << 10
	sampleWindow = 512
	sampledBusy  = sampleWindow / 32
)

// maxDivided is the number of tables from which on none are divided. Where keys are only added at the end, tables are
// not merged any more and remain as small as they were written. Pebble keeps as many files open.
const maxDivided = 1000

// regions finds the regions in which much is written.
type regions struct {
	// of returns the length of the prefix of a key that names its region (Options.Region); nil means that all keys are in
	// one.
	of func(key []byte) int
	// written is the number of bytes written.
	written atomic.Int64
	// tables is the number of tables on disk.
	tables atomic.Int64
	// borders are the first keys of the divided regions and those after their ends, in order. The slice and the keys are
	// never changed.
	borders atomic.Pointer[[][]byte]
	mu      struct {
		sync.Mutex
		samples int
		counts  map[string]int
	}
}

// note samples the operations of a batch of size bytes, which is the sum of their opSize.
func (r *regions) note(ops []store.Op, size int) {
	if r.of == nil {
		return
	}
	left := sampleStep - int((r.written.Add(int64(size))-int64(size))%sampleStep)
	if left > size {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, op := range ops {
		for left -= opSize(op); left <= 0; left += sampleStep {
			r.sampleLocked(op.Key)
		}
	}
}

// sampleLocked counts a key, and ends the window after its last sample.
func (r *regions) sampleLocked(key []byte) {
	if r.mu.counts == nil {
		r.mu.counts = make(map[string]int)
	}
	r.mu.counts[string(key[:r.of(key)])]++
	if r.mu.samples++; r.mu.samples < sampleWindow {
		return
	}
	borders := bordersOf(r.mu.counts)
	if r.tables.Load() >= maxDivided {
		borders = nil
	}
	r.borders.Store(&borders)
	r.mu.samples, r.mu.counts = 0, nil
}

// bordersOf returns the borders of the regions with many samples.
func bordersOf(counts map[string]int) (borders [][]byte) {
	for region, n := range counts {
		if n < sampledBusy {
			continue
		}
		borders = append(borders, []byte(region))
		if end := store.PrefixEnd([]byte(region)); end != nil {
			borders = append(borders, end)
		}
	}
	slices.SortFunc(borders, bytes.Compare)
	return slices.CompactFunc(borders, bytes.Equal)
}

// policy implements pebble.SpanPolicyFunc: a table that begins with the key ends before the next border.
func (r *regions) policy(key []byte) (policy pebble.SpanPolicy, end []byte, err error) {
	borders := r.borders.Load()
	if borders == nil {
		return policy, nil, nil
	}
	next, found := slices.BinarySearchFunc(*borders, key, bytes.Compare)
	if found {
		next++
	}
	if next < len(*borders) {
		end = (*borders)[next]
	}
	return policy, end, nil
}

// opSize returns the approximate number of bytes that an operation takes in a batch.
func opSize(op store.Op) int { return len(op.Key) + len(op.Value) + 12 }

// count makes a listener count the tables on disk, of which there are present ones.
func (r *regions) count(l *pebble.EventListener, present int) {
	r.tables.Store(int64(present))
	l.TableCreated = func(pebble.TableCreateInfo) { r.tables.Add(1) }
	l.TableDeleted = func(pebble.TableDeleteInfo) { r.tables.Add(-1) }
}
