// Package meter counts the operations of a server since its start: calls, operations on data, decisions of rules,
// exceeded limits. It keeps samples of the last hour for the console, and package prometheus exports all counts. Names
// come from fixed lists, so that clients can't create new ones.
package meter

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Interval is the interval of samples, and kept the maximum number of samples: an hour of them.
const (
	Interval = 10 * time.Second
	kept     = 360
)

// Counts are the counts of one sample.
type Counts struct {
	Commits int64 `json:"commits"`
	Writes  int64 `json:"writes"`
	Reads   int64 `json:"reads"`
	Queries int64 `json:"queries"`
	Denials int64 `json:"denials"`
	SignIns int64 `json:"signIns"`
}

// Gauges are the values at the end of a sample.
type Gauges struct {
	Listeners  int    `json:"listeners"`
	Memory     uint64 `json:"memory"`
	Heap       uint64 `json:"heap"`
	Goroutines int    `json:"goroutines"`
	Disk       uint64 `json:"disk"`
	DiskFree   uint64 `json:"diskFree"`
	// History is the number of bytes of versions that are older than an hour.
	History int64 `json:"history"`
	// Log is the number of bytes that are only in the store's log, which is replayed at the start.
	Log uint64 `json:"log"`
	// Lag is the number of commits by which the shared store's state is behind its log. Nodes holds the same for each
	// other node; nil without nodes.
	Lag   *int64    `json:"lag,omitempty"`
	Nodes []NodeLag `json:"nodes,omitempty"`
}

// NodeLag is the number of commits by which a node is behind the log that nodes share.
type NodeLag struct {
	Name string `json:"name"`
	Lag  int64  `json:"lag"`
}

// Latency holds the durations of calls in milliseconds; zero if there were none.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Sample holds the counts of one interval, or since the last interval.
type Sample struct {
	Time time.Time `json:"time"`
	Counts
	Gauges
	Latency Latency `json:"latency"`
}

// Operation is a kind of operation on data.
type Operation int

// The operations.
const (
	Reading Operation = iota
	Querying
	Committing
	operations
)

// OperationNames are the operations' names.
var OperationNames = [operations]string{Reading: "read", Querying: "query", Committing: "commit"}

// Meter counts operations. A nil Meter counts nothing. It is safe for concurrent use.
type Meter struct {
	clock  clock.Clock
	gauges func(context.Context) Gauges
	// The counts since the start.
	commits, writes, reads, queries, denials, signIns atomic.Int64
	took                                              [operations]*Histogram
	decisions                                         [len(RuleMethods)][decided]atomic.Int64
	checked                                           [len(Products)][checks]atomic.Int64
	limits                                            map[string]*atomic.Int64
	groups, syncs, fanout                             *Histogram
	started                                           time.Time
	mu                                                struct {
		sync.Mutex
		samples []Sample
		// last are the counts at the last sample.
		last  total
		calls []*Calls
		// forwarded are the calls that other servers have served.
		forwarded map[forwarded]*byCode
		slow      []Query
		uses      map[Index]Use
	}
}

// New returns a meter; gauges reads the present values.
func New(c clock.Clock, gauges func(context.Context) Gauges) *Meter {
	seconds := float64(time.Second)
	m := &Meter{
		clock: c, gauges: gauges, started: c.Now(), limits: make(map[string]*atomic.Int64),
		groups: newHistogram(sizes, 1), syncs: newHistogram(durations, seconds), fanout: newHistogram(durations, seconds),
	}
	for i := range m.took {
		m.took[i] = newHistogram(durations, seconds)
	}
	for _, name := range append(slices.Clone(Limits), Other) {
		m.limits[name] = new(atomic.Int64)
	}
	return m
}

// Call is a call in progress. The zero value counts nothing.
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

// end counts an operation with its duration, and as denied or not.
func (c Call) end(o Operation, err error) {
	c.meter.took[o].took(c.meter.clock.Now().Sub(c.began))
	if fault.Is(err, fault.PermissionDenied) {
		c.meter.denials.Add(1)
	}
}

// Read counts a read of n documents.
func (c Call) Read(n int64, err error) {
	if c.meter != nil {
		c.meter.reads.Add(n)
		c.end(Reading, err)
	}
}

// Query counts a query with n result documents.
func (c Call) Query(n int64, err error) {
	if c.meter != nil {
		c.meter.queries.Add(1)
		c.meter.reads.Add(n)
		c.end(Querying, err)
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
	c.end(Committing, err)
}

// SignIn counts a sign-in.
func (m *Meter) SignIn() {
	if m != nil {
		m.signIns.Add(1)
	}
}

// total holds the counts since the start.
type total struct {
	Counts
	took Distribution
}

// total returns the counts since the start.
func (m *Meter) total() total {
	t := total{Counts: Counts{m.commits.Load(), m.writes.Load(), m.reads.Load(), m.queries.Load(), m.denials.Load(), m.signIns.Load()}}
	for _, h := range m.took {
		t.took = h.Read().plus(t.took)
	}
	return t
}

// since returns the sample of the counts since an earlier total.
func (m *Meter) since(ctx context.Context, now, last total) Sample {
	took := now.took.minus(last.took)
	ms := func(share float64) float64 { return took.percentile(share) * 1000 }
	s := Sample{
		Time: m.clock.Now(),
		Counts: Counts{
			now.Commits - last.Commits, now.Writes - last.Writes, now.Reads - last.Reads, now.Queries - last.Queries,
			now.Denials - last.Denials, now.SignIns - last.SignIns,
		},
		Latency: Latency{ms(0.5), ms(0.95), ms(0.99)},
	}
	if m.gauges != nil {
		s.Gauges = m.gauges(ctx)
	}
	return s
}

// Samples returns the samples of the last hour, oldest first, and one of the counts since the last.
func (m *Meter) Samples(ctx context.Context) (past []Sample, current Sample) {
	m.mu.Lock()
	past = append([]Sample{}, m.mu.samples...)
	last := m.mu.last
	m.mu.Unlock()
	return past, m.since(ctx, m.total(), last)
}

// Started returns the time at which counting began.
func (m *Meter) Started() time.Time { return m.started }

// Run takes samples until ctx is done.
func (m *Meter) Run(ctx context.Context) error {
	for {
		if clock.Sleep(ctx, m.clock, Interval) != nil {
			return nil
		}
		now := m.total()
		m.mu.Lock()
		last := m.mu.last
		m.mu.last = now
		m.mu.Unlock()
		s := m.since(ctx, now, last)
		m.mu.Lock()
		if len(m.mu.samples) == kept {
			m.mu.samples = m.mu.samples[1:]
		}
		m.mu.samples = append(m.mu.samples, s)
		m.mu.Unlock()
	}
}
