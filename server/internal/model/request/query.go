package request

import (
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
)

// List requests the documents of one collection in the order of names. Other orders are queries.
type List struct {
	Collection resource.Collection
	// PageSize is the number of documents, or 0 for the default.
	PageSize int
	// PageToken is the last page's Next, or empty for the first page.
	PageToken string
	// ShowMissing also lists ids that have collections but no document, as documents without times.
	ShowMissing bool
}

// ListPage is a page of a listing.
type ListPage struct {
	Documents []*document.Document
	// Next is the page token of the next page; empty after the last.
	Next string
}

// Stats describe the execution of a query.
type Stats struct {
	// Plans are the ranges that were read, one for each alternative of the filter.
	Plans []Plan
	// DocumentsRead and EntriesRead count what was read from the store.
	DocumentsRead, EntriesRead int64
	// Results counts the documents returned.
	Results int64
	// Skipped counts what the query's offset has skipped.
	Skipped int64
	// Missing are the definitions of the indexes with which the query would need no filtering and sorting, as
	// firestore.indexes.json holds them.
	Missing []string
}

// Plan describes the execution of one alternative of a query's filter.
type Plan struct {
	// Indexes are the indexes whose ranges are read; several are merged.
	Indexes []PlanIndex
	// Filtered is set if documents were read that the query does not return, and Sorted if the results were sorted.
	Filtered, Sorted bool
}

// PlanIndex is one index of a plan.
type PlanIndex struct {
	// Scope is COLLECTION, COLLECTION_GROUP, or DOCUMENTS for a walk over documents without an index.
	Scope string
	// Properties are its fields with their order, as in "(a ASC, __name__ ASC)".
	Properties string
}

// The numbers of index entries, and of those of vectors, that are billed as one read.
const (
	entriesPerRead   = 1000
	neighborsPerRead = 100
)

// readsOf returns the number of reads that entries are billed as, when each pays for that many.
func readsOf(entries, each int64) int64 { return (entries + each - 1) / each }

// BilledEntries returns the index entries of a query that production bills, and the reads that they cost: those of
// searches for nearest vectors and of queries with several range fields. Where the engine reads documents to find the
// nearest vectors, they stand for entries.
func (s *Stats) BilledEntries(q *query.Query) (entries, reads int64) {
	switch {
	case q.Nearest != nil:
		entries = max(s.EntriesRead, s.DocumentsRead)
		return entries, readsOf(entries, neighborsPerRead)
	case q.RangeFields() > 1:
		return s.EntriesRead, readsOf(s.EntriesRead, entriesPerRead)
	}
	return 0, 0
}

// AggregatedEntries returns the index entries of an aggregation, and the reads that they cost. Where the engine reads
// documents instead, they stand for entries.
func (s *Stats) AggregatedEntries() (entries, reads int64) {
	if entries = s.EntriesRead; entries == 0 {
		entries = s.DocumentsRead
	}
	return entries, readsOf(entries, entriesPerRead)
}
