package engine

// Stats says how a query was answered.
type Stats struct {
	// Plans are the ranges that were read, one for each alternative of the filter.
	Plans []Plan
	// DocumentsRead and EntriesRead count what was read from the store.
	DocumentsRead, EntriesRead int64
	// Results counts what was given to the caller.
	Results int64
	// Skipped counts what the query's offset has skipped.
	Skipped int64
	// Missing are the definitions of the indexes that would have spared filtering and sorting, as firestore.indexes.json
	// holds them.
	Missing []string
}

// Plan says how one alternative of a query's filter is answered.
type Plan struct {
	// Indexes are the indexes whose ranges are read; several are merged.
	Indexes []PlanIndex
	// Filtered says that documents were read that the query does not return, and Sorted that the results were sorted.
	Filtered, Sorted bool
}

// PlanIndex is one index of a plan.
type PlanIndex struct {
	// Scope is COLLECTION, COLLECTION_GROUP, or DOCUMENTS for a walk over documents without an index.
	Scope string
	// Properties are its fields with their order, as in "(a ASC, __name__ ASC)".
	Properties string
}
