package authz

import (
	"slices"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
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
	// present has, for each document of a get so far, whether it exists.
	present []bool
	room    [4]bool
	// lookups are the documents that the rules looked up.
	lookups []resource.Document
}

// counts reports whether the calls of a caller are counted. Those of the console, whose callers have a journal, are
// not: they would hide what the application reads.
func (az *Authorizer) counts(c token.Caller) bool { return az.usage != nil && c.Journal == nil }

// bill returns the bill of a call.
func (az *Authorizer) bill(c token.Caller, db resource.Database, call string) *bill {
	if !az.counts(c) {
		return nil
	}
	b := &bill{usage: az.usage, project: db.Project, row: rowOf(c, call)}
	b.present = b.room[:0]
	return b
}

// looksUp counts a document that the rules look up.
func (b *bill) looksUp(name resource.Document) {
	if b != nil && !slices.Contains(b.lookups, name) {
		b.lookups = append(b.lookups, name)
	}
}

// found counts the next document of a get.
func (b *bill) found(exists bool) {
	if b != nil {
		b.present = append(b.present, exists)
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

// got counts a get of documents, by their collections. The lookups are counted for the first.
func (b *bill) got(names []resource.Document, err error) {
	if b == nil || len(names) == 0 {
		return
	}
	c := usage.Counts{Calls: 1, Lookups: int64(len(b.lookups))}
	last := b.collection(names[0])
	if !fault.Is(err, fault.PermissionDenied) { // an error of the client or about an absent document comes after the read
		for i, exists := range b.present {
			if pattern := b.collection(names[i]); pattern != last {
				b.add(last, "", c)
				c, last = usage.Counts{}, pattern
			}
			if exists {
				c.Documents++
			} else {
				c.Missing++
			}
		}
	}
	b.add(last, "", c)
}

// collection returns the pattern of a document's collection.
func (b *bill) collection(name resource.Document) string {
	end := len(name.Path) - len(name.ID()) - 1
	return b.usage.Pattern(name.Path[:max(end, 0)])
}

// queried counts a query.
func (b *bill) queried(q *query.Query, stats *request.Stats, err error) {
	if b == nil {
		return
	}
	c := usage.Counts{Calls: 1, Lookups: int64(len(b.lookups))}
	if err == nil {
		c.Documents, c.Skipped = stats.Results, stats.Skipped
		switch {
		case q.Nearest != nil:
			c.Entries = request.ReadsOf(max(stats.EntriesRead, stats.DocumentsRead), request.NeighborsPerRead)
		case ranges(q.Where, nil) > 1:
			c.Entries = request.ReadsOf(stats.EntriesRead, request.EntriesPerRead)
		}
		if c.Documents+c.Skipped+c.Entries == 0 {
			c.Minimum = 1
		}
	}
	b.addQuery(q, c)
}

// addQuery adds counts to the row of a query.
func (b *bill) addQuery(q *query.Query, c usage.Counts) {
	pattern := patternOf(b.usage, q)
	b.add(pattern, pattern+clauses(q), c)
}

// aggregated counts an aggregation. Where the engine reads documents instead of index entries, they stand for these.
func (b *bill) aggregated(q *query.Query, stats *request.Stats, err error) {
	if b == nil {
		return
	}
	c := usage.Counts{Calls: 1, Lookups: int64(len(b.lookups))}
	if err == nil {
		entries := stats.EntriesRead
		if entries == 0 {
			entries = stats.DocumentsRead
		}
		if c.Entries = request.ReadsOf(entries, request.EntriesPerRead); c.Entries == 0 {
			c.Minimum = 1
		}
	}
	b.addQuery(q, c)
}

// listed counts a page of a collection.
func (b *bill) listed(collection resource.Collection, documents int, err error) {
	if b == nil {
		return
	}
	c := usage.Counts{Calls: 1, Lookups: int64(len(b.lookups))}
	if err == nil {
		c.Documents = int64(documents)
		if documents == 0 {
			c.Minimum = 1
		}
	}
	b.add(b.usage.Pattern(collection.Path()), "", c)
}

// request counts a request that reads no documents, below a parent.
func (b *bill) request(parent string, err error) {
	if b == nil {
		return
	}
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

// wrote counts writes, of which done reports whether they were made. The lookups are counted for the first.
func (b *bill) wrote(writes []document.Write, done func(i int) bool) {
	if b == nil || len(writes) == 0 {
		return
	}
	c := usage.Counts{Calls: 1, Lookups: int64(len(b.lookups))}
	last := b.collection(writes[0].Name)
	for i := range writes {
		if pattern := b.collection(writes[i].Name); pattern != last {
			b.add(last, "", c)
			c, last = usage.Counts{}, pattern
		}
		switch {
		case !done(i):
		case writes[i].Op == document.Delete:
			c.Deletes++
		case writes[i].Op == document.Update:
			c.Writes++
		}
	}
	b.add(last, "", c)
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

// ranges returns the number of fields for which a filter has ranges or other inequalities, besides those seen.
func ranges(f query.Filter, seen map[string]bool) int {
	if seen == nil {
		seen = make(map[string]bool)
	}
	each := func(filters []query.Filter) {
		for _, inner := range filters {
			ranges(inner, seen)
		}
	}
	one := func(p value.FieldPath, inequality bool) {
		if inequality {
			seen[p.String()] = true
		}
	}
	switch f := f.(type) {
	case *query.And:
		each(f.Filters)
	case *query.Or:
		each(f.Filters)
	case query.Field:
		one(f.Path, f.Op.Inequality())
	case query.Unary:
		one(f.Path, f.Op.Inequality())
	}
	return len(seen)
}
