package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/readlease"
	grpctransport "clave/server/internal/transport/grpc"
	"clave/server/internal/transport/webchannel"
)

// How a node that does not lead serves reads. Its replica follows the log. On the replica run a following engine, the
// live queries, the authorizer, and the calls over gRPC and REST (replicaStack). For a request that reads the latest
// state (forward.ReadingOf) the node requests a read index from the leader and waits until the replica has all that the
// index names. So documents, accounts, signing keys and rules include everything that was acknowledged before the
// request. All other requests are forwarded, and so are reads while there is no index.
//
// A lasting stream has no index of its own, but each of its reads does (engine.Options.Current). Streams end with
// UNAVAILABLE if the replica was in contact with neither the leader nor PostgreSQL for a lease, if the leader has other
// rules in force than this node for longer than rulesWait, and before this node leads. They outlive changes of rules
// and indexes that are in the log.

// The interval at which a node checks its contact; the maximum time for which the leader waits for a row of the log
// after a node's last one; the time limit of a request for a read index; the time after which a read that has reached
// no index is forwarded; the time for which a read of a stream waits for a leader, and the pause between its attempts;
// the time for which the leader's rules may differ from those of this node.
const (
	contactPause = 100 * time.Millisecond
	indexWait    = 400 * time.Millisecond
	indexTimeout = 2 * time.Second
	readTimeout  = time.Second
	maxIndexWait = 5 * time.Second
	indexPause   = 20 * time.Millisecond
	rulesWait    = 2 * time.Second
)

// follower serves reads at a node while it does not lead.
type follower struct {
	app   *App
	node  *forward.Node
	store *postgres.Store
	// indexes shares the requests for read indexes between reads.
	indexes forward.Shared[timedIndex]
	// lease lets reads do without a read index for a short time. reads counts reads, and indexed those that waited for
	// a read index.
	lease          readlease.Held[*replicaStack]
	reads, indexed atomic.Int64
	// current serves reads; nil while they are forwarded.
	current atomic.Pointer[replicaStack]
	// opened is the same, set before it becomes current.
	opened atomic.Pointer[replicaStack]
}

// timedIndex is a read index and the time of its request (postgres.Store.Elapsed).
type timedIndex struct {
	forward.Index
	began time.Duration
	// by has all that the index names; nil if that is not known.
	by *replicaStack
}

// newFollower returns a follower on a store that does not lead yet.
func newFollower(a *App, store *postgres.Store) *follower {
	f := &follower{app: a, node: a.nodes.node, store: store}
	f.indexes.Call = f.shared
	return f
}

// shared requests a read index for all reads that wait. If the replica has the index's row, as it mostly does, all that
// the index names is reached once for all of them.
func (f *follower) shared(ctx context.Context) (timedIndex, error) {
	r, err := f.request(ctx, forward.IndexRequest{})
	if err != nil {
		return r, err
	}
	s := f.opened.Load()
	if seq, _ := f.store.Progress(); s != nil && seq >= r.Seq && f.reach(ctx, s, r) == nil {
		r.by = s
	}
	return r, nil
}

// request requests a read index for the databases that this node reads.
func (f *follower) request(ctx context.Context, request forward.IndexRequest) (r timedIndex, err error) {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	if s := f.opened.Load(); s != nil {
		for _, db := range s.engine.Databases() {
			request.Databases = append(request.Databases, db.Project+"/"+db.ID)
		}
	}
	r.began = f.store.Elapsed()
	r.Index, err = f.node.Index(ctx, request)
	return r, err
}

// errRules means that the leader has other rules in force than this node.
var errRules = errors.New("app: the leader has other rules")

// errAhead means that the replica has rows that the leader has not made visible yet.
var errAhead = errors.New("app: the replica is ahead of the leader")

// errEnding means that the parts that serve reads are ending, so the rows that the replica gets may not reach them.
var errEnding = errors.New("app: the parts that serve reads are ending")

// reach waits until the replica has all that a read index names, and raises the versions of reads to those of the
// index. The parts of s follow the replica until s begins to end (replicaStack.close): only before that do they have
// each row that the replica has. After a pause that was longer than a lease, the reads that have waited meet parts that
// end.
func (f *follower) reach(ctx context.Context, s *replicaStack, r timedIndex) error {
	if err := f.store.Reach(ctx, r.Seq, r.began); err != nil {
		return err
	}
	if s.ending.Ended() { // after the wait: the parts have all rows that the replica had before
		return errEnding
	}
	if f.store.Ahead() {
		return errAhead
	}
	if r.Rules != s.rulesets.Digest() { // compared after the replica has the leader's release
		return errRules
	}
	versions := make(map[resource.Database]clock.Version, len(r.Versions))
	for name, v := range r.Versions {
		project, id, _ := strings.Cut(name, "/")
		versions[resource.Database{Project: project, ID: id}] = v
	}
	s.engine.Advance(versions)
	return nil
}

// now waits until reads see everything that was acknowledged before the call. With a lease they do already.
func (f *follower) now(ctx context.Context, s *replicaStack) error {
	f.reads.Add(1)
	if f.lease.Valid(s, f.store.Elapsed) {
		return nil
	}
	f.indexed.Add(1)
	return f.index(ctx, s)
}

// index waits until reads see everything that a read index names, and have its versions.
func (f *follower) index(ctx context.Context, s *replicaStack) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	r, err := f.indexes.Do(ctx)
	if err != nil || r.by == s {
		return err
	}
	return f.reach(ctx, s, r)
}

// indexForStream is index for reads within streams, which wait for a leader. A lease would not do: its versions are
// from its beginning, and a listener that comes from another node may have a later one.
func (f *follower) indexForStream(ctx context.Context, s *replicaStack) error {
	late, stop := clock.System().After(maxIndexWait)
	defer stop()
	for {
		err := f.index(ctx, s)
		if err == nil || ctx.Err() != nil {
			return err
		}
		again, stopAgain := clock.System().After(indexPause)
		select {
		case <-again:
			stopAgain()
			continue
		case <-late:
		case <-s.ending.Done():
			stopAgain()
			return fault.Wrap(err, fault.Unavailable, textEnded)
		}
		stopAgain()
		return fault.Wrap(err, fault.Unavailable, "%s", forward.TextNoLeader)
	}
}

// run serves reads while this node is in contact, until ctx is done. The store's Lead follows the log meanwhile.
func (f *follower) run(ctx context.Context) {
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		f.watch(ctx)
	}()
	defer func() { <-watched }()
	for ctx.Err() == nil {
		var s *replicaStack
		_, err := f.indexes.Do(ctx)
		if err != nil { // no node leads, or this node is about to lead
			_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
			continue
		}
		if s, err = f.open(ctx); err != nil {
			if !fault.Is(err, fault.Unavailable) && ctx.Err() == nil {
				f.app.o.Log.Warn("reads are forwarded; serving them here is retried", "error", err)
			}
			_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
			continue
		}
		f.serve(ctx, s)
	}
}

// serve serves reads until it no longer can.
func (f *follower) serve(ctx context.Context, s *replicaStack) {
	defer s.close()
	defer f.opened.Store(nil)
	f.opened.Store(s)
	if err := f.index(ctx, s); err != nil { // there is no leader, or it has other rules
		_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
		return
	}
	f.current.Store(s)
	defer f.current.Store(nil)
	for !s.ending.Ended() && s.replica.Held() == nil {
		look, stop := clock.System().After(contactPause)
		select {
		case <-ctx.Done():
			stop()
			return
		case <-s.ending.Done():
		case <-look:
		}
		stop()
	}
}

// leaseDemand is the number of reads within indexWait from which on a node requests leases.
const leaseDemand = 4

// demand decides whether a node requests leases.
type demand struct {
	// since is the beginning of the present period, and before the number of reads until then. high is the latest
	// result of look.
	since  time.Duration
	before int64
	high   bool
}

// look reports whether there have been enough reads lately for leases. reads is the number of all reads until now.
func (d *demand) look(reads int64, now time.Duration) bool {
	enough := reads-d.before >= leaseDemand
	over := now-d.since >= indexWait
	if over {
		d.since, d.before = now, reads
	}
	if enough || over {
		d.high = enough
	}
	return d.high
}

// difference is a difference between the rules of the leader and those of a node. A release is in the log, and so in
// force at other nodes, a moment before the leader puts it in force, which waits for leases.
type difference struct {
	// by has other rules since a time; nil if the rules were the same at the last look.
	by    *replicaStack
	since time.Duration
}

// lasts records whether the rules differ, and reports whether they have differed for rulesWait.
func (d *difference) lasts(s *replicaStack, differ bool, now time.Duration) bool {
	switch {
	case !differ:
		d.by = nil
		return false
	case d.by != s:
		d.by, d.since = s, now
	}
	return now-d.since >= rulesWait
}

// watch waits at the leader for each new row of the log, so that the replica follows at once, and for a lease if there
// are reads. Each request confirms that the lease of the response before the last one is not used any more.
func (f *follower) watch(ctx context.Context) {
	var rules difference
	var reads demand
	for ctx.Err() == nil {
		seq, _ := f.store.Progress()
		r, err := f.request(ctx, forward.IndexRequest{Wait: true, After: seq, Lease: reads.look(f.reads.Load(), f.store.Elapsed())})
		if err != nil || r.Lease == 0 {
			f.lease.Drop()
		}
		if s := f.opened.Load(); err == nil && s != nil {
			err = f.reach(ctx, s, r)
			switch {
			case rules.lasts(s, errors.Is(err, errRules), f.store.Elapsed()):
				s.ending.End()
			case err == nil && r.Lease > 0:
				f.lease.Put(s, r.began, r.Lease)
			}
		} else if err == nil {
			err = f.store.Reach(ctx, r.Seq, r.began)
		}
		if err != nil {
			_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
		}
	}
}

// reads returns a handler that serves the requests that this node may serve by itself, and forwards the others.
func (n *nodes) reads(port string) http.Handler {
	next := n.node.Forward(port)
	channels := n.sessions(port, n.channels(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := n.follower.Load()
		switch {
		case webchannel.IsRequest(r):
			channels.ServeHTTP(w, r)
		case f == nil || !f.answer(w, r):
			next.ServeHTTP(w, r)
		}
	})
}

// router returns the server of a port's gRPC, which serves the calls that this node may serve by itself, and forwards
// the others.
func (n *nodes) router(a *App, port string) *grpctransport.Router {
	return grpctransport.NewRouter(grpctransport.RouterOptions{
		Here: func(ctx context.Context, method string, first []byte) (context.Context, *grpctransport.Server, func()) {
			f := n.follower.Load()
			if f == nil {
				return nil, nil, nil
			}
			s, within, done := f.enter(ctx, func() forward.Reading { return forward.ReadingOfCall(method, first) })
			if s == nil {
				return nil, nil, nil
			}
			return within, s.grpc, done
		},
		Forward: func(ss grpc.ServerStream, method string, first *grpctransport.Raw) (bool, error) {
			return n.node.ForwardCall(ss, port, method, first)
		},
		Calls: a.calls, ProxyHops: a.proxyHops(), Budget: a.budget, Meter: a.counts, Log: a.o.Log,
	})
}

// answer serves a request. It returns false if the leader must serve it, which includes a read that this node could not
// serve, for example because its index definitions are changing.
func (f *follower) answer(w http.ResponseWriter, r *http.Request) bool {
	s, ctx, done := f.enter(r.Context(), func() forward.Reading { return forward.ReadingOf(r) })
	if s == nil {
		return false
	}
	defer done()
	// A response to a client that does not read must end with s, because this node leads only after that.
	stop := context.AfterFunc(ctx, func() { _ = http.NewResponseController(w).SetWriteDeadline(clock.Passed()) })
	defer stop()
	return forward.Attempt(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.rest.ServeHTTP(w, r.WithContext(ctx))
	}))
}

// enter begins a request at this node, under the returned context and until done is called. It returns nil if the
// leader must serve it.
func (f *follower) enter(ctx context.Context, reading func() forward.Reading) (s *replicaStack, within context.Context, done func()) {
	if s = f.current.Load(); s == nil {
		return nil, nil, nil
	}
	kind := reading()
	if kind == forward.Forward || !s.enter() {
		return nil, nil, nil
	}
	work := s.cut.Begin(ctx)
	done = func() {
		work.Stop()
		s.leave()
	}
	if err := f.now(work, s); err != nil {
		done()
		return nil, nil, nil
	}
	if kind == forward.Brief {
		return s, engine.AsOfNow(work), done
	}
	return s, work, done
}

// applied is called for each row of the log that was applied to the replica. A stack that ends takes no more rows: it
// may lack one of them, after which its streams must not show a later one.
func (s *replicaStack) applied(ctx context.Context, ops []store.Op) {
	if s.ending.Ended() {
		return
	}
	if err := s.follow(ctx, ops); err != nil {
		s.app.o.Log.Error("reads are forwarded: a row of the log can't be applied", "error", err)
		s.ending.End()
	}
}
