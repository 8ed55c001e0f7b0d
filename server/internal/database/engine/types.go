package engine

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// ErrClosed is returned by calls on a closed engine.
var ErrClosed = errors.New("engine: closed")

// IndexMode determines the treatment of a query without an index in firestore.indexes.json.
type IndexMode uint8

// The modes.
const (
	// IndexesOff filters and sorts documents, and reports the required definition to Options.Missing.
	IndexesOff IndexMode = iota
	// IndexesRecord does the same. Options.Missing is expected to record the definition.
	IndexesRecord
	// IndexesAuto does the same, and builds the index in the background for later queries.
	IndexesAuto
	// IndexesEnforce refuses the query with FailedPrecondition, as production does.
	IndexesEnforce
)

// Options configure an engine.
type Options struct {
	// Store holds the data. The caller closes it, after the engine.
	Store store.Store
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// IndexMode determines the treatment of queries that need an undefined index.
	IndexMode IndexMode
	// Missing is called once for each missing definition that a query needs, unless IndexMode refuses the query. The
	// query's goroutine calls it. If it is nil, the definition is logged.
	Missing func(db resource.Database, definition index.Definition)
	// Needed is called each time for each missing definition that a query needs, even if the query is refused. It may be
	// nil.
	Needed func(db resource.Database, definition index.Definition)
	// Wanted is called by a following engine for each index that it would build if it were not following. It may be nil.
	Wanted func(db resource.Database, definition index.Definition)
	// Exists reports whether a database exists in which nothing is stored. If it is nil, every database is created when it
	// is first named.
	Exists func(resource.Database) bool
	// Gone reports whether a database was deleted, although something may be stored of it still (Drop). If it is nil, none
	// was.
	Gone func(resource.Database) bool
	// Current is set for a following engine (replica.go), whose store another engine writes. It returns after Applied and
	// Advance were called for all commits that were acknowledged before the call, or with an Unavailable error.
	Current func(ctx context.Context) error
	// Retention is the time for which commits stay in the log, from which listeners resume; zero means an hour.
	Retention time.Duration
	// History is the age up to which past versions can be read. Commits that are older than Retention are moved from the
	// log to the history until then. If it is not greater than Retention, they are dropped.
	History time.Duration
	// HistoryBytes is the maximum size of the history of all databases together; zero means none. Beyond it the oldest
	// part is dropped.
	HistoryBytes int64
	// Kept is the maximum time for which commits are retained for subscriptions by Follow; zero means a day.
	Kept time.Duration
	// CommitsWritten is called for each group of commits that was written at once, with the duration of the write. It may
	// be nil.
	CommitsWritten func(commits int, took time.Duration)
	// Expired is called for each document that a TTL policy has deleted. It may be nil.
	Expired func(resource.Document)
	// Results is the maximum memory in bytes of results that all readings hold to sort them, and of past versions; zero
	// means 256 MiB.
	Results int64
	// Limits are the deadlines of transactions; Firestore's when zero.
	Limits Limits
	// Log receives queries without index and failures; nil logs nothing.
	Log *slog.Logger
}

// Limits are the deadlines of transactions.
type Limits struct {
	// Lock is the timeout of a wait for a lock; zero means 20 s.
	Lock time.Duration
	// Idle is the time after which an unused transaction ends; zero means 60 s.
	Idle time.Duration
	// Total is the maximum duration of a transaction; zero means 270 s.
	Total time.Duration
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Retention == 0 {
		o.Retention = time.Hour
	}
	o.History = max(o.History, o.Retention)
	if o.HistoryBytes == 0 {
		o.HistoryBytes = math.MaxInt64
	}
	if o.Kept == 0 {
		o.Kept = 24 * time.Hour
	}
	if o.Results == 0 {
		o.Results = 256 << 20
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

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Store == nil {
		return errors.New("engine: no store")
	}
	return nil
}

// Check decides inside a commit, before anything is written, whether it may happen. It fails closed: the zero value
// refuses every commit.
type Check struct {
	decide       func(ctx context.Context, v *CheckView) error
	unrestricted bool
}

// CheckBy returns a check by a function, which must not write. Its error refuses the commit. It is called under the
// commit's locks and must not wait then; if it returns ErrCostly, it is called again without locks.
func CheckBy(decide func(ctx context.Context, v *CheckView) error) Check {
	return Check{decide: decide}
}

// Unrestricted returns a check that allows every commit.
func Unrestricted() Check { return Check{unrestricted: true} }

// errUnchecked refuses a commit without a check, which is a mistake of the caller.
var errUnchecked = errors.New("engine: a commit needs a check")

// validate reports whether the check can decide.
func (c Check) validate() error {
	if c.decide == nil && !c.unrestricted {
		return errUnchecked
	}
	return nil
}

// Step is one write of a commit.
type Step struct {
	Write document.Write
	// Exists reports whether the document exists after this write, with earlier writes of the commit applied.
	Exists bool
}

// CheckView is the input of a Check.
type CheckView struct {
	// Time is the time of the request; server timestamps of the commit have it too.
	Time clock.Version
	// Steps are the writes, in order.
	Steps []Step
	// Locked reports whether the commit holds locks.
	Locked bool
	reader *commitState
}

// Before returns a document as it was before the commit, or nil if it is absent.
func (v *CheckView) Before(ctx context.Context, name resource.Document) (*document.Document, error) {
	return v.reader.before(ctx, name)
}

// After returns a document as it is after the whole commit, or nil if it is absent.
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
