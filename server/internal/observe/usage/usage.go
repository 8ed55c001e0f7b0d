// Package usage counts what production would bill for the requests of projects: reads by their reason, writes and
// deletes, for each call, collection pattern, caller, query and deciding rule. The number of rows is bounded: what
// exceeds it is counted in rows of Other.
package usage

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
)

// Other is the pattern of rows for collections beyond the limits.
const Other = "(other)"

// The limits of the rows of one project, of those of all projects, also of a coarse meter, and of the kept patterns.
const (
	maxRows     = 2000
	maxAll      = 50_000
	maxPatterns = 2000
	maxCoarse   = 5000
)

// Key identifies a row.
type Key struct {
	// Call is the kind of call: get, query, aggregate, list, collectionIds, partition, listen, pipeline, write or ttl.
	Call string `json:"call"`
	// Pattern is the collection with * for the ids of documents, as in users/*/orders.
	Pattern string `json:"pattern"`
	// Caller is user, anonymous, admin or server, and User the id of a user.
	Caller string `json:"caller"`
	User   string `json:"user,omitempty"`
	// Query is the query without the values of its conditions; empty for other calls.
	Query string `json:"query,omitempty"`
	// Rule is the allow statement of the security rules that decided; zero for callers to whom no rules apply.
	Rule Rule `json:"rule,omitzero"`
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
	// Denials are decisions of rules that denied. They cost nothing.
	Denials int64 `json:"denials"`
	// Sent is the size of the documents that were returned, in bytes as they are stored.
	Sent int64 `json:"sentBytes"`
}

// Reads returns the number of billed reads.
func (c Counts) Reads() int64 {
	return c.Documents + c.Missing + c.Skipped + c.Entries + c.Minimum + c.Lookups
}

// fields is the number of counts.
const fields = 12

// fields returns the counts.
func (c *Counts) fields() [fields]*int64 {
	return [fields]*int64{
		&c.Calls, &c.Documents, &c.Missing, &c.Skipped, &c.Entries, &c.Minimum, &c.Lookups, &c.Writes, &c.Deletes, &c.Expired,
		&c.Denials, &c.Sent,
	}
}

// add adds counts.
func (c *Counts) add(o *Counts) {
	for i, n := range c.fields() {
		*n += *o.fields()[i]
	}
}

// Options configure a Meter.
type Options struct {
	// Clock is the source of time.
	Clock clock.Clock
	// Coarse counts by call, pattern and kind of caller only, for servers in production: neither users nor queries nor
	// rules are kept.
	Coarse bool
}

// Meter counts usage. A nil Meter counts nothing. It is safe for concurrent use.
//
// A count is for most calls some comparisons of texts and additions to atomic counters: latest has the rows that were
// counted in last, at places that follow from their keys, and a path is compared with the pattern of a row instead of
// being made one. Tables are locked for other rows only.
type Meter struct {
	o       Options
	started atomic.Pointer[time.Time]
	latest  [places]atomic.Pointer[placed]
	// patterns are the patterns of collections that are not at the root, by themselves. The map is replaced when one is
	// added.
	patterns atomic.Pointer[map[string]string]
	mu       struct {
		sync.Mutex
		projects map[string]*table
		// rows is the number of rows of all projects.
		rows int
	}
}

// places is the number of rows that are found without a lock, a power of two.
const places = 256

// placed is a row with its key.
type placed struct {
	project string
	key     Key
	row     *row
}

// table holds the rows of a project, and since when they count. Meter.mu guards it.
type table struct {
	rows  map[Key]*row
	since time.Time
}

// row holds the counters of a row, in the order of Counts.fields.
type row [fields]atomic.Int64

// add adds counts.
func (r *row) add(c *Counts) {
	for i, n := range [fields]int64{
		c.Calls, c.Documents, c.Missing, c.Skipped, c.Entries, c.Minimum, c.Lookups, c.Writes, c.Deletes, c.Expired, c.Denials, c.Sent,
	} {
		if n != 0 {
			r[i].Add(n)
		}
	}
}

// counts returns the counters as they are.
func (r *row) counts() (c Counts) {
	for i, n := range c.fields() {
		*n = r[i].Load()
	}
	return c
}

// New returns a meter.
func New(o Options) *Meter {
	m := &Meter{o: o}
	now := o.Clock.Now()
	m.started.Store(&now)
	m.patterns.Store(&map[string]string{})
	m.mu.projects = make(map[string]*table)
	return m
}

// Coarse reports whether the meter keeps neither users nor queries nor rules.
func (m *Meter) Coarse() bool { return m != nil && m.o.Coarse }

// Add adds counts to the row of a project.
func (m *Meter) Add(project string, k Key, c Counts) {
	if m == nil || !m.reduce(&k, &c) {
		return
	}
	at := &m.latest[placeOf(project, &k, k.Pattern)]
	if p := at.Load(); p != nil && p.project == project && p.key == k {
		p.row.add(&c)
		return
	}
	m.addAt(at, project, k, &c)
}

// AddTo adds counts to the row of a project for the collection with a path. The key has no pattern.
func (m *Meter) AddTo(project string, k Key, collection string, c *Counts) {
	if m == nil || !m.reduce(&k, c) {
		return
	}
	at := &m.latest[placeOf(project, &k, collection[strings.LastIndexByte(collection, '/')+1:])]
	if p := at.Load(); p != nil && p.is(project, &k, collection) {
		p.row.add(c)
		return
	}
	k.Pattern = m.Pattern(collection)
	m.addAt(at, project, k, c)
}

// reduce leaves out what a coarse meter does not keep, and reports whether anything is left.
func (m *Meter) reduce(k *Key, c *Counts) bool {
	if !m.o.Coarse {
		return true
	}
	k.User, k.Query, k.Rule = "", "", Rule{}
	return c.Reads()+c.Writes+c.Deletes+c.Expired != 0 // so that denied calls add no rows
}

// addAt adds counts to the row of a project, and puts the row at a place of the latest.
func (m *Meter) addAt(at *atomic.Pointer[placed], project string, k Key, c *Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.rowLocked(project, k)
	row.add(c)
	at.Store(&placed{project, k, row})
}

// is reports whether the row is that of a key without a pattern and of a collection.
func (p *placed) is(project string, k *Key, collection string) bool {
	return p.project == project && p.key.Call == k.Call && p.key.Caller == k.Caller && p.key.User == k.User && p.key.Query == k.Query && p.key.Rule == k.Rule &&
		fits(p.key.Pattern, collection)
}

// fits reports whether a pattern is that of a collection's path.
func fits(pattern, collection string) bool {
	for {
		end := strings.IndexByte(collection, '/')
		if end < 0 {
			return pattern == collection
		}
		if len(pattern) < end+len("/*") || pattern[:end] != collection[:end] || pattern[end:end+len("/*")] != "/*" {
			return false
		}
		collection, pattern = collection[end+1:], pattern[end+len("/*"):] // an id of a document
		if end = strings.IndexByte(collection, '/'); end < 0 {
			return pattern == ""
		}
		if pattern == "" || pattern[0] != '/' {
			return false
		}
		collection, pattern = collection[end+1:], pattern[1:]
	}
}

// placeOf returns the place of a row with a pattern or another text that stands for it. Rows may share one.
func placeOf(project string, k *Key, pattern string) int {
	h := 3*len(k.Call) + 7*len(k.Caller) + sketch(project)
	h = 31*h + sketch(pattern)
	h = 31*h + sketch(k.User) + 5*k.Rule.Line
	return (31*h + sketch(k.Query)) & (places - 1)
}

// sketch returns a number of a text by its length and two bytes.
func sketch(text string) int {
	n := len(text)
	if n == 0 {
		return 0
	}
	return n + 31*int(text[n-1]) + 17*int(text[n/2])
}

// rowLocked returns the row of a key, or one of Other beyond the limits.
func (m *Meter) rowLocked(project string, k Key) *row {
	t := m.mu.projects[project]
	if t == nil {
		if m.mu.rows >= 2*m.most() { // projects without end, each with its rows of Other
			project = Other
		}
		if t = m.mu.projects[project]; t == nil {
			t = &table{rows: make(map[Key]*row)}
			m.mu.projects[project] = t
		}
	}
	r := t.rows[k]
	if r == nil && (len(t.rows) >= maxRows || m.mu.rows >= m.most()) {
		k = Key{Call: k.Call, Pattern: Other, Caller: k.Caller}
		r = t.rows[k]
	}
	if r == nil {
		r = &row{}
		t.rows[k] = r
		m.mu.rows++
	}
	return r
}

// most returns the maximum number of rows of all projects.
func (m *Meter) most() int {
	if m.o.Coarse {
		return maxCoarse
	}
	return maxAll
}

// Pattern returns the pattern of the collection with a path, such as users/*/orders for users/ann/orders.
func (m *Meter) Pattern(collection string) string {
	if m == nil || strings.IndexByte(collection, '/') < 0 {
		return collection
	}
	var room [256]byte
	pattern := appendPattern(room[:0], collection)
	if kept, ok := (*m.patterns.Load())[string(pattern)]; ok {
		return kept
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := *m.patterns.Load()
	if kept, ok := known[string(pattern)]; ok {
		return kept
	}
	if len(known) >= maxPatterns {
		return Other
	}
	kept, next := string(pattern), maps.Clone(known)
	next[kept] = kept
	m.patterns.Store(&next)
	return kept
}

// appendPattern appends the pattern of a collection's path.
func appendPattern(b []byte, collection string) []byte {
	for {
		end := strings.IndexByte(collection, '/')
		if end < 0 {
			return append(b, collection...)
		}
		b = append(append(b, collection[:end]...), "/*"...)
		collection = collection[end+1:] // an id of a document
		if end = strings.IndexByte(collection, '/'); end < 0 {
			return b
		}
		b = append(b, '/')
		collection = collection[end+1:]
	}
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
	// Rules are the sums of the rows that rules decided, those with the most reads first.
	Rules []RuleCounts `json:"rules"`
	// Stored is what the documents occupy; nil if it was not counted.
	Stored *StorageReport `json:"stored,omitempty"`
}

// Report returns the usage of a project, or with an empty name that of all projects together.
func (m *Meter) Report(project string) Report {
	r := Report{Project: project, Rows: []Row{}, Rules: []RuleCounts{}}
	if m == nil {
		return r
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Since = *m.started.Load()
	at := make(map[Key]int)
	for name, t := range m.mu.projects {
		if project != "" && name != project {
			continue
		}
		if project != "" && !t.since.IsZero() {
			r.Since = t.since
		}
		for k, counted := range t.rows {
			i, known := at[k]
			if !known {
				i = len(r.Rows)
				at[k] = i
				r.Rows = append(r.Rows, Row{Key: k})
			}
			c := counted.counts()
			r.Rows[i].add(&c)
			r.Total.add(&c)
		}
	}
	for i := range r.Rows {
		r.Rows[i].Reads = r.Rows[i].Counts.Reads()
	}
	r.Total.Reads = r.Total.Counts.Reads()
	slices.SortFunc(r.Rows, compareRows)
	r.Rules = r.byRule()
	return r
}

// Reset begins to count a project anew, or all projects for an empty name.
func (m *Meter) Reset(project string) {
	if m == nil {
		return
	}
	now := m.o.Clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if project == "" {
		m.started.Store(&now)
		clear(m.mu.projects)
		m.mu.rows = 0
		m.displaceLocked(func(string) bool { return true })
		return
	}
	m.forgetLocked(project)
	if len(m.mu.projects) < maxAll {
		m.mu.projects[project] = &table{rows: make(map[Key]*row), since: now}
	}
}

// Forget removes what was counted of a project.
func (m *Meter) Forget(project string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgetLocked(project)
}

// forgetLocked removes the rows of a project.
func (m *Meter) forgetLocked(project string) {
	t := m.mu.projects[project]
	if t == nil {
		return
	}
	m.mu.rows -= len(t.rows)
	delete(m.mu.projects, project)
	m.displaceLocked(func(name string) bool { return name == project })
}

// displaceLocked removes the rows of projects from the latest ones.
func (m *Meter) displaceLocked(of func(project string) bool) {
	for i := range m.latest {
		if p := m.latest[i].Load(); p != nil && of(p.project) {
			m.latest[i].Store(nil)
		}
	}
}
