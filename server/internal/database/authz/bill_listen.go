package authz

import (
	"context"
	"sync"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
)

// resumable is the time for which a client that was disconnected pays only for what has changed meanwhile. Afterwards
// it pays as for a new query.
const resumable = 30 * time.Minute

// streamBills counts what the targets of a stream read. A nil value counts nothing.
type streamBills struct {
	authorizer *Authorizer
	caller     token.Caller
	db         resource.Database
	// touched are the targets with decisions or changes since the last snapshot. Only the stream's goroutine uses them.
	touched []*targetBill
	mu      struct {
		sync.Mutex
		targets map[int32]*targetBill
		// unnumbered are the targets whose numbers the server chooses, in the order of their requests.
		unnumbered []*targetBill
	}
}

// newStreamBills returns the bills of a stream.
func newStreamBills(az *Authorizer, c token.Caller, db resource.Database) *streamBills {
	b := &streamBills{authorizer: az, caller: c, db: db}
	b.mu.targets = make(map[int32]*targetBill)
	return b
}

// targetBill counts what one target reads: each document of its first snapshot, and each that is added or changed
// later, or that leaves because it has changed. Deletions are free. Its first snapshot costs at least one read, and
// also the index entries that a query costs. The rules' lookups are counted for each decision, and again for each
// snapshot that changes the target by the last decision. Only the stream's goroutine uses it after open.
type targetBill struct {
	bill
	stream *streamBills
	db     resource.Database
	target *target.Target
	// resumed is set if the client has the documents of an earlier stream; stale if that is longer ago than resumable.
	resumed, stale bool
	// current is set after the first snapshot, and sent is how many reads it has cost so far.
	current bool
	sent    int64
	// looked is the number of lookups of the last decision.
	looked int64
	// called is set once the call is counted, which is when its rule is known.
	called bool
	// touched, decisive and changed are set if the target is in stream.touched, was decided and has changed since the
	// last snapshot.
	touched, decisive, changed bool
}

// open returns the bill of a target that is about to be added.
func (s *streamBills) open(t *target.Target) *targetBill {
	if s == nil {
		return nil
	}
	b := &targetBill{stream: s, bill: bill{usage: s.authorizer.usage, detailed: !s.authorizer.usage.Coarse(), project: s.db.Project, row: rowOf(s.caller, "listen")}, db: s.db, target: t}
	from := t.ReadTime
	if v, ok := listen.TokenVersion(t.Resume); ok {
		from = v
	}
	if from > 0 {
		b.resumed = true
		b.stale = s.authorizer.clock.Now().Sub(from.Time()) > resumable
	}
	b.describe()
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ID == 0 {
		s.mu.unnumbered = append(s.mu.unnumbered, b)
	} else {
		s.mu.targets[t.ID] = b
	}
	return b
}

// of returns the bill of an event's target, or nil.
func (s *streamBills) of(e *target.Event) *targetBill {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.mu.targets[e.Target]
	switch {
	case b == nil && e.Kind == target.Added && len(s.mu.unnumbered) > 0:
		b = s.mu.unnumbered[0]
		s.mu.unnumbered = s.mu.unnumbered[1:]
		s.mu.targets[e.Target] = b
	case e.Kind == target.Removed:
		delete(s.mu.targets, e.Target)
	}
	return b
}

// counting returns a function that sends an event and counts it.
func (s *streamBills) counting(ctx context.Context, send func(*target.Event) error) func(*target.Event) error {
	if s == nil {
		return send
	}
	return func(e *target.Event) error {
		if e.Kind == target.Snapshot {
			s.completed()
		} else if b := s.of(e); b != nil {
			b.event(ctx, s.authorizer, e)
		}
		return send(e)
	}
}

// completed counts the lookups for targets that a snapshot changes without a new decision.
func (s *streamBills) completed() {
	for i, b := range s.touched {
		if b.changed && !b.decisive {
			b.count(usage.Counts{Lookups: b.looked})
		}
		b.touched, b.decisive, b.changed = false, false, false
		s.touched[i] = nil
	}
	s.touched = s.touched[:0]
}

// touch notes that the target was decided or has changed.
func (b *targetBill) touch() {
	if !b.touched {
		b.touched = true
		b.stream.touched = append(b.stream.touched, b)
	}
}

// event counts an event.
func (b *targetBill) event(ctx context.Context, az *Authorizer, e *target.Event) {
	if e.Kind != target.Added {
		b.begin()
	}
	switch e.Kind {
	case target.Reset:
		b.current, b.resumed, b.stale = false, false, false
	case target.Changed:
		b.read(usage.Counts{Documents: 1, Sent: max(b.size(e.Doc.Document), 0)})
	case target.Deleted:
		if !b.current && !b.resumed && b.target.Query == nil {
			b.read(usage.Counts{Missing: 1})
		}
	case target.Current:
		b.first(ctx, az)
	}
	if changes := e.Kind == target.Changed || e.Kind == target.Deleted || e.Kind == target.Left; changes && b.current && b.looked > 0 {
		b.changed = true
		b.touch()
	}
}

// read counts reads of documents.
func (b *targetBill) read(c usage.Counts) {
	if b.stale && !b.current {
		return // first counts all documents
	}
	b.sent++
	b.count(c)
}

// first counts what the first snapshot costs besides the documents that were sent.
func (b *targetBill) first(ctx context.Context, az *Authorizer) {
	if b.current {
		return
	}
	b.current = true
	n := int64(0)
	if b.stale || !b.resumed && b.target.Query != nil && b.target.Query.RangeFields() > 1 {
		documents, entries := b.extent(ctx, az)
		if b.stale {
			n = documents
		}
		b.count(usage.Counts{Documents: n, Entries: entries})
		n += entries
	}
	if b.sent+n == 0 && (!b.resumed || b.stale) {
		b.count(usage.Counts{Minimum: 1})
	}
}

// extent returns the number of documents of the target, and the reads of index entries that its query costs.
func (b *targetBill) extent(ctx context.Context, az *Authorizer) (documents, entries int64) {
	q := b.target.Query
	if q == nil {
		return int64(len(b.target.Documents)), 0
	}
	count, err := (&query.Aggregation{Query: q, Fields: []query.Aggregate{{Op: query.Count, Alias: "n"}}}).Normalize()
	if err != nil {
		return 0, 0
	}
	reading, err := az.engine.Read(ctx, b.db, request.At{})
	if err != nil {
		return 0, 0
	}
	defer reading.Close()
	figures, stats, err := reading.Aggregate(ctx, count)
	if err != nil {
		return 0, 0
	}
	n, _ := figures["n"].(value.Int)
	_, entries = stats.BilledEntries(q)
	return int64(n), entries
}

// begin counts the call, once.
func (b *targetBill) begin() {
	if !b.called {
		b.called = true
		b.count(usage.Counts{Calls: 1})
	}
}

// decided counts the lookups and the denial of a decision about the target, whose rule decides about its documents
// from now on.
func (b *targetBill) decided(decision *bill) {
	b.row.Rule = decision.last
	b.begin()
	if n := decision.whole().Denials; n > 0 {
		b.count(usage.Counts{Denials: n})
	}
	if b.looked = int64(len(decision.lookups)); b.looked > 0 {
		b.count(usage.Counts{Lookups: b.looked})
		b.decisive = true
		b.touch()
	}
}

// describe completes the key of the target's row. It is made once: a text of the query for each document would cost
// more than what sends the document.
func (b *targetBill) describe() {
	switch t := b.target; {
	case t.Query != nil:
		b.row.Pattern, b.row.Query = b.describeQuery(t.Query)
	case len(t.Documents) > 0:
		b.row.Pattern = b.collection(t.Documents[0])
	default:
		b.row.Pattern = usage.Other
	}
}

// count adds counts to the row of the target.
func (b *targetBill) count(c usage.Counts) { b.usage.Add(b.project, b.row, c) }

// Expired counts a document that a TTL policy has deleted.
func Expired(m *usage.Meter) func(resource.Document) {
	return func(name resource.Document) {
		b := bill{usage: m}
		m.Add(name.DB.Project, usage.Key{Call: "ttl", Pattern: b.collection(name), Caller: "server"}, usage.Counts{Calls: 1, Expired: 1})
	}
}
