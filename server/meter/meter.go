// Package meter counts what a server does and keeps the counts of the last hour.
package meter

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/clock"
	"clave/server/fault"
)

// Interval is how long a sample is, and kept how many samples there are at most: an hour of them.
const (
	Interval = 10 * time.Second
	kept     = 360
)

// buckets are how many ranges of durations are counted: each is half as long again as the one before, from a microsecond on.
const buckets = 64

// Counts are what happened within a sample.
type Counts struct {
	Commits int64 `json:"commits"`
	Writes  int64 `json:"writes"`
	Reads   int64 `json:"reads"`
	Queries int64 `json:"queries"`
	Denials int64 `json:"denials"`
	SignIns int64 `json:"signIns"`
}

// Gauges are how things stand at the end of a sample.
type Gauges struct {
	Listeners  int    `json:"listeners"`
	Memory     uint64 `json:"memory"`
	Heap       uint64 `json:"heap"`
	Goroutines int    `json:"goroutines"`
	Disk       uint64 `json:"disk"`
	DiskFree   uint64 `json:"diskFree"`
}

// Latency is how long calls took, in milliseconds; zero where there were none.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Sample is what happened within an interval, or since the last one.
type Sample struct {
	Time time.Time `json:"time"`
	Counts
	Gauges
	Latency Latency `json:"latency"`
}

// Meter counts. A nil one counts nothing. It is safe for concurrent use.
type Meter struct {
	clock  clock.Clock
	gauges func() Gauges
	// The counts since the last sample.
	commits, writes, reads, queries, denials, signIns atomic.Int64
	took                                              [buckets]atomic.Int64
	started                                           time.Time
	mu                                                struct {
		sync.Mutex
		samples []Sample
		slow    []Query
		uses    map[Index]Use
	}
}

// New returns a meter; gauges reads how things stand.
func New(c clock.Clock, gauges func() Gauges) *Meter {
	return &Meter{clock: c, gauges: gauges, started: c.Now()}
}

// Call is a call under way. The zero value counts nothing.
type Call struct {
	meter *Meter
	began time.Time
}

// Begin begins a call.
func (m *Meter) Begin() Call {
	if m == nil {
		return Call{}
	}
	return Call{m, m.clock.Now()}
}

// end counts a call's duration and whether it was denied.
func (c Call) end(err error) {
	c.meter.took[bucketOf(c.meter.clock.Now().Sub(c.began))].Add(1)
	if fault.Is(err, fault.PermissionDenied) {
		c.meter.denials.Add(1)
	}
}

// Read counts a read of n documents.
func (c Call) Read(n int64, err error) {
	if c.meter != nil {
		c.meter.reads.Add(n)
		c.end(err)
	}
}

// Query counts a query that gave n documents.
func (c Call) Query(n int64, err error) {
	if c.meter != nil {
		c.meter.queries.Add(1)
		c.Read(n, err)
	}
}

// Commit counts a commit of n writes.
func (c Call) Commit(n int, err error) {
	if c.meter == nil {
		return
	}
	if err == nil {
		c.meter.commits.Add(1)
		c.meter.writes.Add(int64(n))
	}
	c.end(err)
}

// SignIn counts a sign-in.
func (m *Meter) SignIn() {
	if m != nil {
		m.signIns.Add(1)
	}
}

// growth is how much longer a range of durations is than the one before.
const growth = 1.5

// bucketOf returns the range that a duration is in.
func bucketOf(d time.Duration) int {
	if d < time.Microsecond {
		return 0
	}
	return min(buckets-1, int(math.Log(float64(d)/float64(time.Microsecond))/math.Log(growth))+1)
}

// percentile returns the end of the range that holds a share of the durations, in milliseconds.
func percentile(counts *[buckets]int64, share float64) float64 {
	var all, sum int64
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return 0
	}
	for i, n := range counts {
		if sum += n; float64(sum) >= share*float64(all) {
			return math.Pow(growth, float64(i)) / 1000
		}
	}
	return 0
}

// take returns a sample of what has happened since the last one; with reset the next begins now.
func (m *Meter) take(reset bool) Sample {
	read := (*atomic.Int64).Load
	if reset {
		read = func(n *atomic.Int64) int64 { return n.Swap(0) }
	}
	var took [buckets]int64
	for i := range took {
		took[i] = read(&m.took[i])
	}
	s := Sample{
		Time:    m.clock.Now(),
		Counts:  Counts{read(&m.commits), read(&m.writes), read(&m.reads), read(&m.queries), read(&m.denials), read(&m.signIns)},
		Latency: Latency{percentile(&took, 0.5), percentile(&took, 0.95), percentile(&took, 0.99)},
	}
	if m.gauges != nil {
		s.Gauges = m.gauges()
	}
	return s
}

// Samples returns the samples of the last hour, oldest first, what has happened since, and when counting began.
func (m *Meter) Samples() (past []Sample, current Sample, started time.Time) {
	m.mu.Lock()
	past = append([]Sample{}, m.mu.samples...)
	m.mu.Unlock()
	return past, m.take(false), m.started
}

// Run takes samples until ctx is done.
func (m *Meter) Run(ctx context.Context) error {
	for {
		tick, stop := m.clock.After(Interval)
		select {
		case <-ctx.Done():
			stop()
			return nil
		case <-tick:
		}
		s := m.take(true)
		m.mu.Lock()
		if len(m.mu.samples) == kept {
			m.mu.samples = m.mu.samples[1:]
		}
		m.mu.samples = append(m.mu.samples, s)
		m.mu.Unlock()
	}
}
