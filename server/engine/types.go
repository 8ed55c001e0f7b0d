package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/index"
	"clave/server/resource"
	"clave/server/storage"
)

// ErrClosed is returned by calls on a closed engine.
var ErrClosed = errors.New("engine: closed")

// IndexMode is what happens to a query that has no index in firestore.indexes.json.
type IndexMode uint8

// The modes.
const (
	// IndexesOff answers it by filtering and sorting, and reports the definition it needs to Options.Missing.
	IndexesOff IndexMode = iota
	// IndexesRecord does the same; Options.Missing is expected to record the definition.
	IndexesRecord
	// IndexesAuto does the same, and builds the index while the engine runs: later queries use it.
	IndexesAuto
	// IndexesEnforce refuses it with FailedPrecondition, as production does.
	IndexesEnforce
)

// Options are what an engine is made of.
type Options struct {
	// Store keeps the data. Whoever opened it closes it, after the engine.
	Store storage.Store
	// Clock returns the time; the machine's when nil.
	Clock clock.Clock
	// IndexMode is what to do with queries that need an index which isn't defined.
	IndexMode IndexMode
	// Missing is called once for each definition that a query needs and that is not there, unless IndexMode refuses the query.
	// It is called by the query's goroutine. When it is nil, the definition is logged.
	Missing func(db resource.Database, definition index.Definition)
	// Needed is called for each definition that a query needs and that is not there, each time, also when the query is refused. It may be
	// nil.
	Needed func(db resource.Database, definition index.Definition)
	// Exists reports whether a database exists of which nothing is stored. When it is nil, every database is created when
	// it is first named.
	Exists func(resource.Database) bool
	// Current is set for an engine that follows (replica.go): another one writes the store. It returns once Applied and Advance were called for
	// all that was acknowledged before the call, or with an Unavailable error.
	Current func(ctx context.Context) error
	// Retention is how long the past can be read; an hour when zero.
	Retention time.Duration
	// Kept is how long commits are kept at most for subscriptions by Follow; a day when zero.
	Kept time.Duration
	// Wrote is called for each group of commits that was written at once, with how long that took. It may be nil.
	Wrote func(commits int, took time.Duration)
	// Limits are the deadlines of transactions; Firestore's when zero.
	Limits Limits
	// Log receives queries without index and failures; nothing is logged when nil.
	Log *slog.Logger
}

// Limits are the deadlines of transactions.
type Limits struct {
	// Lock is how long a lock is waited for; 20 s when zero.
	Lock time.Duration
	// Idle is how long a transaction may be left alone; 60 s when zero.
	Idle time.Duration
	// Total is how long a transaction may last; 270 s when zero.
	Total time.Duration
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Retention == 0 {
		o.Retention = time.Hour
	}
	if o.Kept == 0 {
		o.Kept = 24 * time.Hour
	}
	if o.Limits.Lock == 0 {
		o.Limits.Lock = 20 * time.Second
	}
	if o.Limits.Idle == 0 {
		o.Limits.Idle = 60 * time.Second
	}
	if o.Limits.Total == 0 {
		o.Limits.Total = 270 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate reports what is missing.
func (o *Options) Validate() error {
	if o.Store == nil {
		return errors.New("engine: no store")
	}
	return nil
}

// Check decides inside a commit, before anything is written, whether it may happen. It fails closed: the zero value refuses
// every commit.
type Check struct {
	decide       func(ctx context.Context, v *CheckView) error
	unrestricted bool
}

// CheckBy returns a check by a function, which is called under the commit's locks and must not write. Its error refuses the
// commit.
func CheckBy(decide func(ctx context.Context, v *CheckView) error) Check {
	return Check{decide: decide}
}

// Unrestricted returns a check that allows every commit.
func Unrestricted() Check { return Check{unrestricted: true} }

// errUnchecked refuses a commit for which nothing decides; a caller's mistake.
var errUnchecked = errors.New("engine: a commit needs a check")

// validate reports whether the check can decide.
func (c Check) validate() error {
	if c.decide == nil && !c.unrestricted {
		return errUnchecked
	}
	return nil
}

// Step is one write of a commit and what it does to its document.
type Step struct {
	Write document.Write
	// Before and After are the document around this write, earlier writes of the commit included; nil is absent.
	Before, After *document.Document
}

// CheckView is what a Check sees.
type CheckView struct {
	// Time is the time of the request; server timestamps of the commit have it too.
	Time clock.Version
	// Steps are the writes, in order.
	Steps  []Step
	reader *commitState
}

// Before returns a document as it was before the commit, nil when absent.
func (v *CheckView) Before(ctx context.Context, name resource.Document) (*document.Document, error) {
	return v.reader.before(ctx, name)
}

// After returns a document as the whole commit leaves it, nil when absent.
func (v *CheckView) After(ctx context.Context, name resource.Document) (*document.Document, error) {
	return v.reader.after(ctx, name)
}

// The texts of errors of transactions.
const (
	textInvalid     = "Invalid transaction."
	textReadOnly    = "Cannot modify entities in a read-only transaction."
	textTooOld      = "The requested 'read_time' is no longer retained by this database."
	textBeforeBirth = "The requested 'read_time' cannot be before database creation time."
	textFuture      = "The requested 'read_time' cannot be in the future."
	textTooBig      = "Transaction too big. Decrease transaction size."
)
