package meter

import (
	"sort"
	"sync/atomic"
	"time"
)

// Bounds are the upper ends of a histogram's ranges, ascending. Values beyond the last are counted too.
type Bounds []float64

// durations are the bounds of durations in seconds: six per decade, from 10 µs to 10 s.
var durations = func() (b Bounds) {
	for decade := 1e-5; decade < 9; decade *= 10 {
		for _, step := range []float64{1, 1.5, 2.2, 3.3, 4.7, 6.8} {
			b = append(b, round(step*decade))
		}
	}
	return append(b, 10)
}()

// round rounds a bound for printing: 0.0047 and not 0.004699999.
func round(v float64) float64 {
	const digits = 1e9
	return float64(int64(v*digits+0.5)) / digits
}

// sizes are the bounds of counts.
var sizes = Bounds{1, 2, 4, 8, 16, 32, 64, 128, 256}

// Histogram counts values by range. It is safe for concurrent use.
type Histogram struct {
	bounds Bounds
	counts []atomic.Int64 // one more than bounds
	sum    atomic.Int64   // nanoseconds, or a count
	unit   float64        // of sum
}

// newHistogram returns a histogram of durations or counts.
func newHistogram(b Bounds, unit float64) *Histogram {
	return &Histogram{bounds: b, counts: make([]atomic.Int64, len(b)+1), unit: unit}
}

// took adds a duration.
func (h *Histogram) took(d time.Duration) {
	h.counts[sort.SearchFloat64s(h.bounds, d.Seconds())].Add(1)
	h.sum.Add(int64(d))
}

// had adds a count.
func (h *Histogram) had(n int) {
	h.counts[sort.SearchFloat64s(h.bounds, float64(n))].Add(1)
	h.sum.Add(int64(n))
}

// Distribution holds the counts of a histogram so far.
type Distribution struct {
	// Bounds are the upper ends of the ranges. Counts are the numbers of values in each range, and last those beyond the
	// last bound.
	Bounds Bounds
	Counts []uint64
	// Sum is the sum of all values.
	Sum float64
}

// Read returns the counts so far.
func (h *Histogram) Read() Distribution {
	d := Distribution{Bounds: h.bounds, Counts: make([]uint64, len(h.counts)), Sum: float64(h.sum.Load()) / h.unit}
	for i := range h.counts {
		d.Counts[i] = uint64(h.counts[i].Load())
	}
	return d
}

// minus returns the counts since an earlier reading; the zero Distribution stands for the start.
func (d Distribution) minus(earlier Distribution) Distribution {
	out := Distribution{Bounds: d.Bounds, Counts: append([]uint64{}, d.Counts...), Sum: d.Sum - earlier.Sum}
	for i := range earlier.Counts {
		out.Counts[i] -= earlier.Counts[i]
	}
	return out
}

// plus returns the sum of two Distributions with the same bounds.
func (d Distribution) plus(other Distribution) Distribution {
	out := Distribution{Bounds: d.Bounds, Counts: append([]uint64{}, d.Counts...), Sum: d.Sum + other.Sum}
	for i := range other.Counts {
		out.Counts[i] += other.Counts[i]
	}
	return out
}

// percentile returns the upper end of the range up to which a share of the values lies; zero if there are no values.
func (d Distribution) percentile(share float64) float64 {
	var all, sum uint64
	for _, n := range d.Counts {
		all += n
	}
	for i, n := range d.Counts {
		if sum += n; all > 0 && float64(sum) >= share*float64(all) {
			return d.Bounds[min(i, len(d.Bounds)-1)]
		}
	}
	return 0
}
