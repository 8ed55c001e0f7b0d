package usage

import (
	"cmp"
	"slices"
	"strings"
)

// PatternCounts are the counts of a pattern of collections.
type PatternCounts struct {
	Pattern string `json:"pattern"`
	// Reads is the number of billed reads.
	Reads int64 `json:"reads"`
	Counts
}

// sum is the sum of the rows that have something in common.
type sum[K comparable] struct {
	of K
	Counts
}

// sums adds up the rows of a report by what of returns for a key; ok is false for rows to leave out. The sums are
// sorted by reads, then by writes and deletes, the most first, and then by compare.
func sums[K comparable](r Report, of func(*Key) (of K, ok bool), compare func(a, b K) int) []*sum[K] {
	known := make(map[K]*sum[K])
	all := []*sum[K]{}
	for i := range r.Rows {
		row := &r.Rows[i]
		k, ok := of(&row.Key)
		if !ok {
			continue
		}
		s := known[k]
		if s == nil {
			s = &sum[K]{of: k}
			known[k] = s
			all = append(all, s)
		}
		s.add(&row.Counts)
	}
	slices.SortFunc(all, func(a, b *sum[K]) int {
		return cmp.Or(compareCounts(&a.Counts, &b.Counts), compare(a.of, b.of))
	})
	return all
}

// Top returns the patterns with the most reads, then writes and deletes, at most most of them. Other is among them like
// any other.
func (r Report) Top(most int) []PatternCounts {
	all := sums(r, func(k *Key) (string, bool) { return k.Pattern, true }, strings.Compare)
	all = all[:min(most, len(all))]
	out := make([]PatternCounts, len(all))
	for i, s := range all {
		out[i] = PatternCounts{s.of, s.Reads(), s.Counts}
	}
	return out
}
