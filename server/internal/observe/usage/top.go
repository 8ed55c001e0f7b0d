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

// Top returns the patterns with the most reads, then writes and deletes, at most most of them. Other is among them like
// any other.
func (r Report) Top(most int) []PatternCounts {
	sums := make(map[string]*PatternCounts)
	for i := range r.Rows {
		row := &r.Rows[i]
		sum := sums[row.Pattern]
		if sum == nil {
			sum = &PatternCounts{Pattern: row.Pattern}
			sums[row.Pattern] = sum
		}
		sum.add(&row.Counts)
	}
	all := make([]PatternCounts, 0, len(sums))
	for _, sum := range sums {
		sum.Reads = sum.Counts.Reads()
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(a, b PatternCounts) int {
		return cmp.Or(cmp.Compare(b.Reads, a.Reads), cmp.Compare(b.Writes+b.Deletes+b.Expired, a.Writes+a.Deletes+a.Expired), strings.Compare(a.Pattern, b.Pattern))
	})
	return all[:min(most, len(all))]
}
