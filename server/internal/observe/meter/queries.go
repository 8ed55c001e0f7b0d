package meter

import (
	"slices"
	"time"
)

// Slow is the duration from which on a query is recorded, keptQueries the number of recorded queries, and keptUses the
// maximum number of indexes whose uses are counted.
const (
	Slow        = 100 * time.Millisecond
	keptQueries = 100
	keptUses    = 10_000
)

// Index identifies an index: the database, the collection id, and the scope and fields in the notation of plans.
type Index struct {
	Database, Collection, Scope, Properties string
}

// Use holds how often queries have used an index, and the time of the last use.
type Use struct {
	Count int64
	Last  time.Time
}

// Query is a slow query.
type Query struct {
	Time     time.Time `json:"time"`
	Project  string    `json:"project"`
	Database string    `json:"database"`
	// Text is the query without the values of its conditions.
	Text string `json:"text"`
	// Took is in milliseconds.
	Took float64 `json:"took"`
	// Entries and Documents were read for Results.
	Entries   int64 `json:"entries"`
	Documents int64 `json:"documents"`
	Results   int64 `json:"results"`
	// Indexes are the indexes that the query used, and Missing the definitions of indexes that it lacked.
	Indexes []string `json:"indexes"`
	Missing []string `json:"missing"`
}

// Used counts the uses of indexes.
func (m *Meter) Used(all ...Index) {
	if m == nil || len(all) == 0 {
		return
	}
	now := m.clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.uses == nil {
		m.mu.uses = make(map[Index]Use)
	}
	for _, i := range all {
		use, ok := m.mu.uses[i]
		if !ok && len(m.mu.uses) >= keptUses {
			continue
		}
		m.mu.uses[i] = Use{use.Count + 1, now}
	}
}

// Uses returns how often an index was used since counting began.
func (m *Meter) Uses(i Index) Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.uses[i]
}

// Slow records the call's query if it was slow; describe is called only then.
func (c Call) Slow(describe func() Query) {
	if c.meter == nil {
		return
	}
	now := c.meter.clock.Now()
	took := now.Sub(c.began)
	if took < Slow {
		return
	}
	q := describe()
	q.Time, q.Took = now, float64(took.Microseconds())/1000
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	if len(c.meter.mu.slow) == keptQueries {
		c.meter.mu.slow = slices.Delete(c.meter.mu.slow, 0, 1)
	}
	c.meter.mu.slow = append(c.meter.mu.slow, q)
}

// SlowQueries returns the latest slow queries, newest first.
func (m *Meter) SlowQueries() []Query {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := slices.Clone(m.mu.slow)
	slices.Reverse(out)
	return out
}
