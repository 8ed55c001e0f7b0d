// Package usage counts what production would bill for the requests of projects: reads by their reason, writes and
// deletes, for each call, collection pattern, caller and query. The number of rows is bounded: what exceeds it is
// counted in rows of Other.
package usage

import (
	"slices"
	"strings"
	"sync"
	"time"

	"clave/server/internal/base/clock"
)

// Other is the pattern of rows for collections beyond the limits.
const Other = "(other)"

// The limits of the rows of one project, of those of all projects, and of the kept patterns.
const (
	maxRows     = 2000
	maxAll      = 50_000
	maxPatterns = 5000
)

// Key identifies a row.
type Key struct {
	// Call is the kind of call: get, query, aggregate, list, collectionIds, partition, listen, write or ttl.
	Call string `json:"call"`
	// Pattern is the collection with * for the ids of documents, as in users/*/orders.
	Pattern string `json:"pattern"`
	// Caller is user, anonymous, admin or server, and User the id of a user.
	Caller string `json:"caller"`
	User   string `json:"user,omitempty"`
	// Query is the query without the values of its conditions; empty for other calls.
	Query string `json:"query,omitempty"`
}

// Counts are the billed operations.
type Counts struct {
	// Calls is the number of calls.
	Calls int64 `json:"calls"`
	// Documents are reads of documents that were returned.
	Documents int64 `json:"documents"`
	// Missing are reads of documents that do not exist.
	Missing int64 `json:"missing"`
	// Skipped are reads of documents that an offset skipped.
	Skipped int64 `json:"skipped"`
	// Entries are reads of index entries, each for up to 1,000 entries.
	Entries int64 `json:"entries"`
	// Minimum are reads of queries that have no others: each query costs at least one.
	Minimum int64 `json:"minimum"`
	// Lookups are reads by get, exists and getAfter of rules.
	Lookups int64 `json:"lookups"`
	// Writes, Deletes and Expired are writes, deletes, and deletes by TTL policies.
	Writes  int64 `json:"writes"`
	Deletes int64 `json:"deletes"`
	Expired int64 `json:"ttlDeletes"`
}

// Reads returns the number of billed reads.
func (c Counts) Reads() int64 {
	return c.Documents + c.Missing + c.Skipped + c.Entries + c.Minimum + c.Lookups
}

// add adds counts.
func (c *Counts) add(o *Counts) {
	c.Calls += o.Calls
	c.Documents += o.Documents
	c.Missing += o.Missing
	c.Skipped += o.Skipped
	c.Entries += o.Entries
	c.Minimum += o.Minimum
	c.Lookups += o.Lookups
	c.Writes += o.Writes
	c.Deletes += o.Deletes
	c.Expired += o.Expired
}

// rowKey is a Key with its project.
type rowKey struct {
	project string
	Key
}

// Meter counts usage. A nil Meter counts nothing. It is safe for concurrent use.
type Meter struct {
	clock clock.Clock
	mu    struct {
		sync.Mutex
		rows map[rowKey]*Counts
		// sizes are the numbers of rows of projects, and since when they count.
		sizes map[string]int
		since map[string]time.Time
		// patterns are the patterns of collections that are not at the root, by themselves.
		patterns map[string]string
		// lastKey and last are the row that was counted in last, since many calls follow others of their kind.
		lastKey rowKey
		last    *Counts
	}
	started time.Time
}

// New returns a meter.
func New(c clock.Clock) *Meter {
	m := &Meter{clock: c, started: c.Now()}
	m.mu.rows, m.mu.sizes = make(map[rowKey]*Counts), make(map[string]int)
	m.mu.since, m.mu.patterns = make(map[string]time.Time), make(map[string]string)
	return m
}

// Add adds counts to the row of a project.
func (m *Meter) Add(project string, k Key, c Counts) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{project, k}
	if m.mu.last != nil && m.mu.lastKey == key {
		m.mu.last.add(&c)
		return
	}
	row := m.rowLocked(key)
	row.add(&c)
	m.mu.lastKey, m.mu.last = key, row
}

// rowLocked returns the row of a key, or one of Other beyond the limits.
func (m *Meter) rowLocked(key rowKey) *Counts {
	row := m.mu.rows[key]
	if row == nil {
		if m.mu.sizes[key.project] >= maxRows || len(m.mu.rows) >= maxAll {
			key.Key = Key{Call: key.Call, Pattern: Other, Caller: key.Caller}
			if len(m.mu.rows) >= 2*maxAll { // projects without end, each with its rows of Other
				key.project = Other
			}
			row = m.mu.rows[key]
		}
		if row == nil {
			row = &Counts{}
			m.mu.rows[key] = row
			m.mu.sizes[key.project]++
		}
	}
	return row
}

// Pattern returns the pattern of the collection with a path, such as users/*/orders for users/ann/orders.
func (m *Meter) Pattern(collection string) string {
	if m == nil || strings.IndexByte(collection, '/') < 0 {
		return collection
	}
	var room [256]byte
	pattern := appendPattern(room[:0], collection)
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept, ok := m.mu.patterns[string(pattern)]; ok {
		return kept
	}
	if len(m.mu.patterns) >= maxPatterns {
		return Other
	}
	kept := string(pattern)
	m.mu.patterns[kept] = kept
	return kept
}

// appendPattern appends the pattern of a collection's path.
func appendPattern(b []byte, collection string) []byte {
	i := 0
	for segment := range strings.SplitSeq(collection, "/") {
		if i > 0 {
			b = append(b, '/')
		}
		if i%2 == 1 {
			segment = "*"
		}
		b = append(b, segment...)
		i++
	}
	return b
}

// Row is a row of a report.
type Row struct {
	Key
	// Reads is the number of billed reads.
	Reads int64 `json:"reads"`
	Counts
}

// Total holds sums of rows.
type Total struct {
	Reads int64 `json:"reads"`
	Counts
}

// Report is the usage of a project.
type Report struct {
	Project string `json:"project"`
	// Since is the time of the last reset, or of the start.
	Since time.Time `json:"since"`
	Total Total     `json:"total"`
	// Rows are sorted by reads, then by writes and deletes, the most first.
	Rows []Row `json:"rows"`
}

// Report returns the usage of a project, or with an empty name that of all projects together.
func (m *Meter) Report(project string) Report {
	r := Report{Project: project, Rows: []Row{}}
	if m == nil {
		return r
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Since = m.started
	if since, ok := m.mu.since[project]; ok {
		r.Since = since
	}
	at := make(map[Key]int)
	for key, c := range m.mu.rows {
		if project != "" && key.project != project {
			continue
		}
		i, known := at[key.Key]
		if !known {
			i = len(r.Rows)
			at[key.Key] = i
			r.Rows = append(r.Rows, Row{Key: key.Key})
		}
		r.Rows[i].add(c)
		r.Total.add(c)
	}
	for i := range r.Rows {
		r.Rows[i].Reads = r.Rows[i].Counts.Reads()
	}
	r.Total.Reads = r.Total.Counts.Reads()
	slices.SortFunc(r.Rows, compareRows)
	return r
}

// Forget removes what was counted of a project.
func (m *Meter) Forget(project string) {
	if m == nil || project == "" {
		return
	}
	m.Reset(project)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.mu.since, project)
}

// Reset begins to count a project anew, or all projects for an empty name.
func (m *Meter) Reset(project string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.last = nil
	now := m.clock.Now()
	if project == "" {
		m.started = now
		clear(m.mu.rows)
		clear(m.mu.sizes)
		clear(m.mu.since)
		return
	}
	if m.mu.sizes[project] > 0 {
		for key := range m.mu.rows {
			if key.project == project {
				delete(m.mu.rows, key)
			}
		}
		delete(m.mu.sizes, project)
	}
	if len(m.mu.since) < maxAll {
		m.mu.since[project] = now
	}
}
