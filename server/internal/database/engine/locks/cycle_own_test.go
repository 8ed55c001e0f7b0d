package locks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// waitsFor returns the owners that a request for a document waits for: conflicting holders of the lock, and those
// before it in the queue.
func waitsFor(r *request) []*Owner {
	var out []*Owner
	for _, h := range r.lock.holders {
		if h.o != r.o && (r.mode == Exclusive || h.mode == Exclusive) {
			out = append(out, h.o)
		}
	}
	for _, before := range r.lock.queue {
		if before == r {
			break
		}
		out = append(out, before.o)
	}
	return out
}

// reaches reports whether an owner waits for another one, directly or not.
func reaches(from, to *Owner, seen map[*Owner]bool) bool {
	if from.waiting == nil || seen[from] {
		return false
	}
	seen[from] = true
	for _, b := range waitsFor(from.waiting) {
		if b == to || reaches(b, to, seen) {
			return true
		}
	}
	return false
}

// entangled returns owners that hold and request random documents.
func entangled(random *rand.Rand) []*Owner {
	owners := make([]*Owner, 2+random.IntN(8))
	for i := range owners {
		owners[i] = NewOwner(uint64(i))
	}
	locks := make([]*docLock, 1+random.IntN(6))
	for i := range locks {
		l := &docLock{path: fmt.Sprint(i)}
		locks[i] = l
		if random.IntN(2) == 0 {
			l.grant(owners[random.IntN(len(owners))], Exclusive)
			continue
		}
		for range random.IntN(4) {
			l.grant(owners[random.IntN(len(owners))], Shared)
		}
	}
	for _, i := range random.Perm(len(owners)) {
		o, l := owners[i], locks[random.IntN(len(locks))]
		if random.IntN(5) == 0 || l.held(o) == Exclusive {
			continue
		}
		o.waiting = &request{o: o, lock: l, mode: Mode(1 + random.IntN(2))}
		l.enqueue(o.waiting, l.held(o) != 0)
	}
	return owners
}

// TestSearchFindsCycles compares the search with one that looks at all pairs of owners.
func TestSearchFindsCycles(t *testing.T) {
	cycles := 0
	for seed := range uint64(20_000) {
		owners := entangled(rand.New(rand.NewPCG(seed, 1)))
		for _, o := range owners {
			want := reaches(o, o, make(map[*Owner]bool))
			way := newSearch(nil, o).from(o)
			if (way != nil) != want {
				t.Fatalf("seed %d: a cycle is found: %v, want %v", seed, way != nil, want)
			}
			if want && !new(Table).awaited(o) {
				t.Fatalf("seed %d: an owner in a cycle is not awaited", seed)
			}
			to := o // The way begins with the last owner before o.
			for _, b := range way {
				if !slices.Contains(waitsFor(b.waiting), to) {
					t.Fatalf("seed %d: an owner of the cycle does not wait for the next one", seed)
				}
				to = b
			}
			if want {
				cycles++
			}
		}
	}
	if cycles < 1000 {
		t.Errorf("%d owners were in cycles, want at least 1,000", cycles)
	}
}
