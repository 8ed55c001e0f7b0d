package readindex

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres/readlease"
)

// The interval at which a node checks its contact; the time limit of a request for a read index; the time after which a
// read that has reached no index is refused; the time for which a read of a stream waits for a leader, and the pause
// between its attempts; the time for which the leader's rules may differ from those of this node.
const (
	contactPause = 100 * time.Millisecond
	indexTimeout = 2 * time.Second
	readTimeout  = time.Second
	streamWait   = 5 * time.Second
	indexPause   = 20 * time.Millisecond
	rulesWait    = 2 * time.Second
)

// Log is a node's replica, which follows the log.
type Log interface {
	// Progress returns the last row of the log that the replica has, and a channel that is closed when it has a later one.
	Progress() (seq int64, changed <-chan struct{})
	// Reach waits until the replica has a row of the log, which the leader has named in the response to a request of the
	// time began, and records that this node was in contact with the leader then.
	Reach(ctx context.Context, seq int64, began time.Duration) error
	// Ahead reports whether the replica has rows that the leader is not known to have made visible.
	Ahead() bool
	// Elapsed returns the present time by a monotonic clock of this node.
	Elapsed() time.Duration
}

// Leader is the node that leads.
type Leader interface {
	// Index requests a read index, until ctx is done. It does not wait for a leader. Requests with Wait and those without
	// have a stream each; requests of one stream wait for each other.
	Index(ctx context.Context, r Request) (Index, error)
}

// Stack is the parts that serve reads from a state of the replica, and follow its log from there. Its methods may be
// called concurrently. Close is called once.
type Stack interface {
	comparable
	// Databases returns the databases that have been read.
	Databases() []resource.Database
	// Advance lets reads that begin afterwards have at least the given versions.
	Advance(versions map[resource.Database]clock.Version)
	// Rules identifies the rules in force.
	Rules() string
	// Held returns an error if the replica was out of contact for the lease of a leader, so that its reads may be old.
	Held() error
	// End lets the stack begin to end: it takes no more requests and no more rows of the log. Ending returns a channel
	// that is closed when that has begun, for which the stack may have reasons of its own.
	End()
	Ending() <-chan struct{}
	// Close ends the stack, and waits for its requests in progress.
	Close()
}

// Options configure a Reader.
type Options[S Stack] struct {
	Log    Log
	Leader Leader
	// Open opens a stack on the present state of the replica.
	Open func(ctx context.Context) (S, error)
	// TextEnded and TextNoLeader are the texts of the errors of streams' reads whose stack ends, and that find no leader.
	TextEnded, TextNoLeader string
	// Logger receives failures; nil logs nothing.
	Logger *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options[S]) EnsureDefaults() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options[S]) Validate() error {
	if o.Log == nil || o.Leader == nil || o.Open == nil {
		return errors.New("readindex: a reader needs a log, a leader and a function that opens stacks")
	}
	return nil
}

// Reader serves strong reads at a node while it does not lead, by one stack S after the other.
type Reader[S Stack] struct {
	o Options[S]
	// indexes shares the requests for read indexes between reads.
	indexes shared[timedIndex[S]]
	// lease lets reads do without a read index for a short time. reads counts reads, and indexed those that waited for
	// a read index.
	lease          readlease.Lease[S]
	reads, indexed atomic.Int64
	// current serves reads; nil while there is none. opened is the same, set before it becomes current.
	current, opened atomic.Pointer[S]
}

// timedIndex is a read index and the time of its request (Log.Elapsed).
type timedIndex[S Stack] struct {
	Index
	began time.Duration
	// by has all that the index names; nil if that is not known.
	by *S
}

// New returns a reader, which serves reads while it runs.
func New[S Stack](o Options[S]) (*Reader[S], error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Reader[S]{o: o}
	r.indexes.Call = r.shared
	return r, nil
}

// Current returns the stack that serves reads. It returns false while there is none.
func (r *Reader[S]) Current() (s S, ok bool) { return loaded(&r.current) }

// Opened returns the stack that serves reads or is about to. It returns false while there is none.
func (r *Reader[S]) Opened() (s S, ok bool) { return loaded(&r.opened) }

// loaded returns what a pointer points to. It returns false for nil.
func loaded[S any](p *atomic.Pointer[S]) (s S, ok bool) {
	if at := p.Load(); at != nil {
		return *at, true
	}
	return s, false
}

// Counts returns the number of reads so far that had a lease, and of those that waited for a read index.
func (r *Reader[S]) Counts() (leased, indexed int64) {
	indexed = r.indexed.Load() // first: a read counts in both
	return r.reads.Load() - indexed, indexed
}

// Now waits until reads of a stack see everything that was acknowledged before the call. With a lease they do already.
// An error means that the leader must serve the read.
func (r *Reader[S]) Now(ctx context.Context, s S) error {
	r.reads.Add(1)
	if r.lease.Valid(s, r.o.Log.Elapsed) {
		return nil
	}
	r.indexed.Add(1)
	return r.index(ctx, s)
}

// InStream is Now for reads within streams, which wait for a leader. A lease would not do: its versions are from its
// beginning, and a listener that comes from another node may have a later one. The error is Unavailable if there is no
// leader for longer, or the stack ends.
func (r *Reader[S]) InStream(ctx context.Context, s S) error {
	late, stop := clock.System().After(streamWait)
	defer stop()
	for {
		err := r.index(ctx, s)
		if err == nil || ctx.Err() != nil {
			return err
		}
		again, stopAgain := clock.System().After(indexPause)
		select {
		case <-again:
			stopAgain()
			continue
		case <-late:
		case <-s.Ending():
			stopAgain()
			return fault.Wrap(err, fault.Unavailable, "%s", r.o.TextEnded)
		}
		stopAgain()
		return fault.Wrap(err, fault.Unavailable, "%s", r.o.TextNoLeader)
	}
}

// index waits until reads see everything that a read index names, and have its versions.
func (r *Reader[S]) index(ctx context.Context, s S) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	i, err := r.indexes.Do(ctx)
	if err != nil || i.by != nil && *i.by == s {
		return err
	}
	return r.reach(ctx, s, i)
}

// shared requests a read index for all reads that wait. If the replica has the index's row, as it mostly does, all that
// the index names is reached once for all of them.
func (r *Reader[S]) shared(ctx context.Context) (timedIndex[S], error) {
	i, err := r.request(ctx, Request{})
	if err != nil {
		return i, err
	}
	s := r.opened.Load()
	if seq, _ := r.o.Log.Progress(); s != nil && seq >= i.Seq && r.reach(ctx, *s, i) == nil {
		i.by = s
	}
	return i, nil
}

// request requests a read index for the databases that this node reads.
func (r *Reader[S]) request(ctx context.Context, request Request) (i timedIndex[S], err error) {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	if s := r.opened.Load(); s != nil {
		for _, db := range (*s).Databases() {
			request.Databases = append(request.Databases, nameOf(db))
		}
	}
	i.began = r.o.Log.Elapsed()
	i.Index, err = r.o.Leader.Index(ctx, request)
	return i, err
}

// errRules means that the leader has other rules in force than this node.
var errRules = errors.New("readindex: the leader has other rules")

// errAhead means that the replica has rows that the leader has not made visible yet.
var errAhead = errors.New("readindex: the replica is ahead of the leader")

// errEnding means that the parts that serve reads are ending, so the rows that the replica gets may not reach them.
var errEnding = errors.New("readindex: the parts that serve reads are ending")

// reach waits until the replica has all that a read index names, and raises the versions of reads to those of the
// index. The parts of s follow the replica until s begins to end: only before that do they have each row that the
// replica has. After a pause that was longer than a lease, the reads that have waited meet parts that end.
func (r *Reader[S]) reach(ctx context.Context, s S, i timedIndex[S]) error {
	if err := r.o.Log.Reach(ctx, i.Seq, i.began); err != nil {
		return err
	}
	select {
	case <-s.Ending(): // after the wait: the parts have all rows that the replica had before
		return errEnding
	default:
	}
	if r.o.Log.Ahead() {
		return errAhead
	}
	if i.Rules != s.Rules() { // compared after the replica has the leader's release
		return errRules
	}
	versions := make(map[resource.Database]clock.Version, len(i.Versions))
	for name, v := range i.Versions {
		versions[databaseOf(name)] = v
	}
	s.Advance(versions)
	return nil
}
