package request

import (
	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// The types below are the requests of Firestore's calls, as the transports' codecs parse them: names, values and
// queries are valid by themselves. The database of a request is passed beside it.

// Get requests documents.
type Get struct {
	// Names are the names of the documents.
	Names []resource.Document
	// At is the state that is read.
	At At
	// Mask selects the fields that are returned.
	Mask query.Mask
}

// Create requests a new document.
type Create struct {
	// Collection is its collection.
	Collection resource.Collection
	// ID is its id; empty for one that the server chooses.
	ID string
	// Fields are its data, and Layout their order.
	Fields value.Map
	Layout value.Layout
	// Mask selects the fields that are returned.
	Mask query.Mask
}

// Update requests a write of one document, which is returned.
type Update struct {
	// Write is the write, which has no transforms.
	Write document.Write
	// Mask selects the fields that are returned.
	Mask query.Mask
}

// Explain requests the plan of a query.
type Explain struct {
	// Analyze also runs the query, and requests figures of that.
	Analyze bool
}

// PlanOnly reports whether only the plan is requested; nil requests none.
func (e *Explain) PlanOnly() bool { return e != nil && !e.Analyze }

// Query requests the results of a query.
type Query struct {
	// Query is the normalized query.
	Query *query.Query
	// At is the state that is read.
	At At
	// Explain requests the plan; nil requests the results only.
	Explain *Explain
}

// Aggregate requests aggregates over the results of a query.
type Aggregate struct {
	// Aggregation is the normalized aggregation.
	Aggregation *query.Aggregation
	// At is the state that is read.
	At At
	// Explain requests the plan; nil requests the results only.
	Explain *Explain
}

// Page selects a page of a list.
type Page struct {
	// Size is the number of items that the client requests, 0 for the usual number.
	Size int32
	// Token is the token of the last page's response, empty for the first page.
	Token string
}

// Documents requests a page of the documents of a collection, or of all collections under a parent.
type Documents struct {
	// Parent is the relative path of the document above the collection, empty for the root.
	Parent string
	// Collection is the collection's id, empty for all.
	Collection string
	// Orders is the order as the client wrote it, such as "a desc, b".
	Orders string
	// Page selects the page.
	Page Page
	// ShowMissing also lists ids that have collections but no document.
	ShowMissing bool
	// At is the state that is read.
	At At
	// Mask selects the fields that are returned.
	Mask query.Mask
}

// Collections requests a page of the ids of the collections under a parent.
type Collections struct {
	// Parent is the relative path of a document, empty for the root.
	Parent string
	// Page selects the page.
	Page Page
	// ReadTime is the version to read at, 0 for the latest.
	ReadTime clock.Version
}

// Partition requests cursors that split a query.
type Partition struct {
	// Query is the normalized query.
	Query *query.Query
	// Count is the maximum number of cursors.
	Count int64
	// Page selects the page.
	Page Page
	// ReadTime is the version to read at, 0 for the latest.
	ReadTime clock.Version
}

// Batch is a message of a Write stream.
type Batch struct {
	// StreamID and Token are those by which a client would resume a stream.
	StreamID string
	Token    []byte
	// Writes are the writes.
	Writes []document.Write
	// Refused is why the writes are refused, nil if they are valid.
	Refused error
}

// Watch is a message of a Listen stream, which adds or removes a target.
type Watch struct {
	// Add is the target to add, or nil.
	Add *target.Target
	// Refused is why the target to add is refused, of which only the id is known then; nil if it is valid.
	Refused error
	// Remove is the id of the target to remove, if Add is nil.
	Remove int32
}
