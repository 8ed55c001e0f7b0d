// Package target defines the targets and the events of live queries. Package listen creates the events from commits,
// package authz authorizes targets, and the methods of Firestore convert both from and to messages.
package target

import (
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
)

// Target is a live query of a client: the results of a query, or documents.
type Target struct {
	// ID is the client's number for it; 0 lets the server choose.
	ID int32
	// Query is the query, normalized; nil for documents.
	Query *query.Query
	// Documents are the documents, without Query.
	Documents []resource.Document
	// Resume is the resume token of an earlier stream, or nil.
	Resume []byte
	// ReadTime, without Resume, is the version that the client has seen, or 0.
	ReadTime clock.Version
	// Expected is the number of the client's documents of the target at Resume or ReadTime; nil if the client did not
	// send it.
	Expected *int32
	// Once requests the target's first snapshot only.
	Once bool
}

// Kind is the kind of an event.
type Kind uint8

// The kinds.
const (
	// Added means that the target is accepted.
	Added Kind = iota + 1
	// Removed means that the target has ended; Cause is the reason, if the client did not remove it.
	Removed
	// Current means that all of the target's documents have been sent, up to ReadTime.
	Current
	// Reset means that the client must discard the target's documents; they are sent again.
	Reset
	// Snapshot has no target: all targets of the stream are complete at ReadTime.
	Snapshot
	// Changed has a document's new content. The document is in the target, or leaves it if Leaves is set.
	Changed
	// Deleted means that the document was deleted and is no longer in the target.
	Deleted
	// Left means that the unchanged document is no longer in the target.
	Left
	// Counted has the number of the target's documents, in Filter.
	Counted
)

// Event is one message to a client.
type Event struct {
	// Kind determines which of the other fields have a meaning.
	Kind Kind
	// Target is the target's id; 0 for Snapshot.
	Target int32
	// Cause is the error for which a target was Removed, or nil.
	Cause error
	// Token is the resume token of Current, Snapshot and Reset.
	Token []byte
	// ReadTime is the version of Current, Snapshot, Deleted and Left.
	ReadTime clock.Version
	// Doc is the document of Changed.
	Doc *Shown
	// Leaves means that a Changed document leaves the target.
	Leaves bool
	// Name is the document of Deleted and Left.
	Name resource.Document
	// Filter is the filter of Counted.
	Filter *Filter
}

// Filter describes the documents of a target, so that a client can find documents that it should no longer have.
type Filter struct {
	// Count is the number of the documents.
	Count int
	// Names, if not nil, contains their names.
	Names *Bloom
}

// Shown is a document that is sent to many clients and encoded once.
type Shown struct {
	// Document is what the clients see of the document: the fields that the query selects.
	Document *document.Document
	once     sync.Once
	encoded  any
}

// Encoded returns the document encoded by encode, which is called only the first time. All callers must pass the same
// function.
func (s *Shown) Encoded(encode func(*document.Document) any) any {
	s.once.Do(func() { s.encoded = encode(s.Document) })
	return s.encoded
}
