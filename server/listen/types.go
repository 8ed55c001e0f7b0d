package listen

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/query"
	"clave/server/resource"
)

// Options are what a hub is made of.
type Options struct {
	// Engine is listened to.
	Engine *engine.Engine
	// Clock returns the time; the machine's when nil.
	Clock clock.Clock
	// Heartbeat is how often a quiet stream sends a snapshot, so that its resume token stays young; 45 s when zero.
	Heartbeat time.Duration
	// MaxQueue is how many changes may wait for a client that doesn't read before its targets are reset; 4096 when zero.
	MaxQueue int
	// MaxQueueBytes is how many bytes of documents may wait so; 16 MiB when zero.
	MaxQueueBytes int
	// DropAfter is how long a client that was too slow may go on not reading, or not take a single message, before its
	// stream ends; 60 s when zero.
	DropAfter time.Duration
	// MaxTargets is how many targets a stream may have; 5000 when zero.
	MaxTargets int
	// Log receives failures; nothing is logged when nil.
	Log *slog.Logger
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 45 * time.Second
	}
	if o.MaxQueue == 0 {
		o.MaxQueue = 4096
	}
	if o.MaxQueueBytes == 0 {
		o.MaxQueueBytes = 16 << 20
	}
	if o.DropAfter == 0 {
		o.DropAfter = 60 * time.Second
	}
	if o.MaxTargets == 0 {
		o.MaxTargets = 5000
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate reports what is missing.
func (o *Options) Validate() error {
	if o.Engine == nil {
		return errors.New("listen: no engine")
	}
	return nil
}

// Authorization decides whether a target may be shown to its client. The zero value denies everything; Unrestricted returns
// the one that allows everything.
type Authorization struct {
	unrestricted bool
	// Key is what Hub.Reauthorize chooses by; it is comparable.
	Key any
	// Check returns nil when the target may be shown, and otherwise the error that its client receives. It is called by the
	// stream's goroutine when the target opens and after a Reauthorize that chose the key. A StreamError ends the whole
	// stream. at is 0 for the present, and otherwise the version that is about to be sent.
	Check func(ctx context.Context, at clock.Version) error
	// PerVersion says that the decision depends on the target's own documents, so that Check is called for each version of
	// them before it is sent.
	PerVersion bool
	// Done, if not nil, is called once when a target for which Check may have been called has ended.
	Done func()
}

// Unrestricted returns the Authorization of a caller to whom no rules apply.
func Unrestricted() Authorization { return Authorization{unrestricted: true} }

// StreamError is an error of Authorization.Check that ends the stream and not only the target.
type StreamError struct{ Err error }

// Error implements error.
func (e *StreamError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *StreamError) Unwrap() error { return e.Err }

// Target is what a client wants to listen to: the results of a query, or documents.
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
	// Expected is how many documents the client has for the target at Resume or ReadTime; nil when it didn't send it.
	Expected *int32
	// Once asks for the target's first snapshot only.
	Once bool
	// Authorization decides whether the target may be shown. The zero value denies it.
	Authorization Authorization
}

// Kind is the kind of an event.
type Kind uint8

// The kinds.
const (
	// Added says that the target is accepted.
	Added Kind = iota + 1
	// Removed says that the target has ended; Cause says why, if the client did not remove it.
	Removed
	// Current says that all of the target's documents have been sent, up to ReadTime.
	Current
	// Reset says that the client must forget the target's documents; they are sent again.
	Reset
	// Snapshot has no target: all targets of the stream are complete at ReadTime.
	Snapshot
	// Changed has a document's new content; it is in the target, or leaves it if Leaves.
	Changed
	// Deleted says that the document is gone, and from the target too.
	Deleted
	// Left says that the unchanged document is no longer in the target.
	Left
	// Counted has how many documents the target has, in Filter.
	Counted
)

// Event is one message to a client.
type Event struct {
	// Kind says which of the other fields have a meaning.
	Kind Kind
	// Target is the target's id; 0 for Snapshot.
	Target int32
	// Cause is why a target was Removed, or nil.
	Cause error
	// Token is the resume token of Current, Snapshot and Reset.
	Token []byte
	// ReadTime is the version of Current, Snapshot, Deleted and Left.
	ReadTime clock.Version
	// Doc is the document of Changed.
	Doc *Shown
	// Leaves says that a Changed document leaves the target.
	Leaves bool
	// Name is the document of Deleted and Left.
	Name resource.Document
	// Filter is the filter of Counted.
	Filter *Filter
}

// Filter describes which documents a target has, so that a client finds those that it should no longer have.
type Filter struct {
	// Count is how many there are.
	Count int
	// Names, if not nil, finds their names.
	Names *Bloom
}

// Shown is a document on its way to many clients, so that it is encoded once.
type Shown struct {
	// Document is what the clients see of the document: the fields that the query selects.
	Document *document.Document
	once     sync.Once
	encoded  any
}

// Encoded returns what encode makes of the document. Encode is called the first time only; all callers must give the
// same function.
func (s *Shown) Encoded(encode func(*document.Document) any) any {
	s.once.Do(func() { s.encoded = encode(s.Document) })
	return s.encoded
}
