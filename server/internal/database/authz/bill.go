package authz

import (
	"slices"
	"strings"
	"sync"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/usage"
)

// bill counts what production would bill for one call. A nil bill counts nothing. The rules of prices:
//
//   - Each document that is returned is a read, and so is a document that is requested by its name and does not exist.
//   - Each document that an offset skips is a read.
//   - An aggregation costs a read for each 1,000 index entries, a query with ranges of several fields these besides its
//     documents, and a search of neighbors one for each 100.
//   - A query costs at least one read, and so does each request for collection ids.
//   - Each document that rules look up is a read, once for each request, also if the request is denied.
//   - A denied or failed request costs nothing else.
type bill struct {
	usage   *usage.Meter
	project string
	// row is the key of the call's rows, without pattern and query.
	row usage.Key
	// pool receives the bill after its last use; nil keeps it.
	pool *sync.Pool
	// detailed is set if the sizes of documents and the rules that decide are counted.
	detailed bool
	// present are the documents of a get so far.
	present []presence
	// decisions are those of the rules about the call, in order; none if they are not counted.
	decisions []ruled
	// last is the rule of the last decision, and attributed how many lookups belong to decisions.
	last       usage.Rule
	attributed int64
	// parts are what the sources of a pipeline have read.
	parts []*billPart
	// lookups are the documents that the rules looked up.
	lookups []resource.Document
}

// presence is a document of a get with its size, or absent.
type presence struct {
	name resource.Document
	size int64
}

// absent stands for a document that does not exist.
const absent = -1

// billPart is what a source of a pipeline has read by the decision of a rule.
type billPart struct {
	pattern string
	rule    usage.Rule
	usage.Counts
}

// counts reports whether the calls of a caller are counted. Those of the console, whose callers have a journal, are
// not: they would hide what the application reads.
func (az *Authorizer) counts(c token.Caller) bool { return az.usage != nil && c.Journal == nil }

// bill returns the bill of a call.
func (az *Authorizer) bill(c token.Caller, db resource.Database, call string) *bill {
	if !az.counts(c) {
		return nil
	}
	b, _ := az.bills.Get().(*bill)
	if b == nil {
		b = &bill{}
	}
	b.usage, b.project, b.row, b.detailed, b.pool = az.usage, db.Project, rowOf(c, call), !az.usage.Coarse(), &az.bills
	return b
}

// release lets another call have the bill. It is called with the last count of a call.
func (b *bill) release() {
	const most = 64
	if b.pool == nil || cap(b.lookups) > most || cap(b.present) > most || cap(b.decisions) > most {
		return
	}
	if len(b.lookups) > 0 {
		clear(b.lookups)
		b.lookups = b.lookups[:0]
	}
	if len(b.decisions) > 0 {
		clear(b.decisions)
	}
	b.restart()
	clear(b.present)
	b.present, b.parts = b.present[:0], nil // the other members are set when it is taken again
	b.pool.Put(b)
}

// looksUp counts a document that the rules look up.
func (b *bill) looksUp(name resource.Document) {
	if b != nil && !slices.Contains(b.lookups, name) {
		b.lookups = append(b.lookups, name)
	}
}

// found counts the next document of a get, which is nil if it does not exist.
func (b *bill) found(name resource.Document, d *document.Document) {
	if b != nil {
		b.present = append(b.present, presence{name, b.size(d)})
	}
}

// size returns the size of a document, 0 where sizes are not counted, or absent.
func (b *bill) size(d *document.Document) int64 {
	switch {
	case d == nil:
		return absent
	case !b.detailed:
		return 0
	}
	return int64(d.Size())
}

// sizing returns yield, preceded by a count of the size of each document that is sent.
func (b *bill) sizing(sent *int64, yield func(*document.Document) error) func(*document.Document) error {
	if b == nil || !b.detailed {
		return yield
	}
	return func(d *document.Document) error {
		*sent += int64(d.Size())
		return yield(d)
	}
}

// rowOf returns the key of the rows of a caller's call, without pattern and query.
func rowOf(c token.Caller, call string) usage.Key {
	switch {
	case c.Privileged:
		return usage.Key{Call: call, Caller: "admin"}
	case c.Anonymous():
		return usage.Key{Call: call, Caller: "anonymous"}
	}
	return usage.Key{Call: call, Caller: "user", User: c.UID}
}

// add adds counts to a row.
func (b *bill) add(pattern, text string, c usage.Counts) {
	key := b.row
	key.Pattern, key.Query = pattern, text
	b.usage.Add(b.project, key, c)
}

// got counts a get of documents, by their collections and rules.
func (b *bill) got(names []resource.Document, err error) {
	if b == nil || len(names) == 0 {
		return
	}
	defer b.release()
	present := b.present
	if fault.Is(err, fault.PermissionDenied) { // an error of the client or about an absent document comes after the read
		present = nil
	}
	b.eachOf(names[0], len(present), func(i int) resource.Document { return present[i].name }, func(i int, c *usage.Counts) {
		if size := present[i].size; size == absent {
			c.Missing++
		} else {
			c.Documents++
			c.Sent += size
		}
	})
}

// parentOf returns the path of a document's collection.
func parentOf(name resource.Document) string {
	return name.Path[:max(strings.LastIndexByte(name.Path, '/'), 0)]
}

// collection returns the pattern of a document's collection.
func (b *bill) collection(name resource.Document) string { return b.usage.Pattern(parentOf(name)) }

// queried counts a query, whose results have a size.
func (b *bill) queried(q *query.Query, stats *request.Stats, sent int64, err error) {
	if b == nil {
		return
	}
	defer b.release()
	c := b.whole()
	if err == nil {
		c.Documents, c.Skipped, c.Sent = stats.Results, stats.Skipped, sent
		_, c.Entries = stats.BilledEntries(q)
		if c.Documents+c.Skipped+c.Entries == 0 {
			c.Minimum = 1
		}
	}
	b.addQuery(q, c)
}

// addQuery adds counts to the row of a query.
func (b *bill) addQuery(q *query.Query, c usage.Counts) {
	pattern, text := b.describeQuery(q)
	b.add(pattern, text, c)
}

// describeQuery returns the pattern and the text of a query's row. The text is empty where queries are not kept.
func (b *bill) describeQuery(q *query.Query) (pattern, text string) {
	pattern = patternOf(b.usage, q)
	if !b.usage.Coarse() {
		text = pattern + clauses(q)
	}
	return pattern, text
}

// aggregated counts an aggregation.
func (b *bill) aggregated(q *query.Query, stats *request.Stats, err error) {
	if b == nil {
		return
	}
	defer b.release()
	c := b.whole()
	if err == nil {
		if _, c.Entries = stats.AggregatedEntries(); c.Entries == 0 {
			c.Minimum = 1
		}
	}
	b.addQuery(q, c)
}

// listed counts a page of a collection.
func (b *bill) listed(collection resource.Collection, documents []*document.Document, err error) {
	if b == nil {
		return
	}
	defer b.release()
	c := b.whole()
	if err == nil {
		c.Documents = int64(len(documents))
		for _, d := range documents {
			c.Sent += max(b.size(d), 0)
		}
		if len(documents) == 0 {
			c.Minimum = 1
		}
	}
	b.usage.AddTo(b.project, b.row, collection.Path(), &c)
}

// source counts what a source of a pipeline reads from now on by the last decision, and returns the counts.
func (b *bill) source(pattern func(*usage.Meter) string) *usage.Counts {
	if b == nil {
		return &usage.Counts{}
	}
	of := pattern(b.usage)
	for _, part := range b.parts { // sub-pipelines read from the same few collections for each row
		if part.pattern == of && part.rule == b.last {
			return &part.Counts
		}
	}
	part := &billPart{pattern: of, rule: b.last}
	b.parts = append(b.parts, part)
	return &part.Counts
}

// piped counts a pipeline: each document that a source has returned to its stages is a read. A pipeline without one
// costs one.
func (b *bill) piped(err error) {
	if b == nil {
		return
	}
	defer b.release()
	c := usage.Counts{Calls: 1, Lookups: b.unattributed()}
	pattern, rule, read := "*", b.last, int64(0)
	for i, part := range b.parts {
		if i == 0 {
			pattern, rule = part.pattern, part.rule
		}
		if read += part.Reads(); err == nil {
			b.addRuled(part.pattern, part.rule, part.Counts)
		}
	}
	if err == nil && read == 0 {
		c.Minimum = 1
	}
	b.addRuled(pattern, rule, c)
	for _, d := range b.decisions {
		if d.lookups+d.denied > 0 {
			b.addRuled(b.patternBy(d.rule), d.rule, usage.Counts{Lookups: d.lookups, Denials: d.denied})
		}
	}
}

// addRuled adds counts of a pipeline to the row of a pattern and a rule.
func (b *bill) addRuled(pattern string, rule usage.Rule, c usage.Counts) {
	b.row.Rule = rule
	b.add(pattern, "", c)
}

// patternBy returns the pattern of the first source of a pipeline about which a rule has decided, or * for one that
// has read nothing.
func (b *bill) patternBy(rule usage.Rule) string {
	for _, part := range b.parts {
		if part.rule == rule {
			return part.pattern
		}
	}
	return "*"
}

// request counts a request that reads no documents, below a parent.
func (b *bill) request(parent string, err error) {
	if b == nil {
		return
	}
	defer b.release()
	c := usage.Counts{Calls: 1}
	if err == nil {
		c.Minimum = 1
	}
	pattern := "*"
	if parent != "" {
		pattern = b.usage.Pattern(parent + "/*")
	}
	b.add(pattern, "", c)
}

// wrote counts writes, of which done reports whether they were made, by their collections and rules.
func (b *bill) wrote(writes []document.Write, done func(i int) bool) {
	if b == nil || len(writes) == 0 {
		return
	}
	defer b.release()
	b.eachOf(writes[0].Name, len(writes), func(i int) resource.Document { return writes[i].Name }, func(i int, c *usage.Counts) {
		switch {
		case !done(i):
		case writes[i].Op == document.Delete:
			c.Deletes++
		case writes[i].Op == document.Update:
			c.Writes++
		}
	})
}

// patternOf returns the pattern of a query's collections: **/orders for a collection group.
func patternOf(m *usage.Meter, q *query.Query) string {
	path := collectionOf(q)
	if path == "" {
		path = "*"
	}
	switch {
	case len(q.From) > 0 && !q.From[0].AllDescendants:
	case q.Parent == "":
		return "**/" + path
	default:
		return m.Pattern(q.Parent+"/**") + "/" + path
	}
	if q.Parent != "" {
		path = q.Parent + "/" + path
	}
	return m.Pattern(path)
}
