package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"clave/server/clock"
	"clave/server/cluster"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/guard"
	"clave/server/resource"
	"clave/server/storage"
	"clave/server/storage/pgstore"
)

// How a node that does not lead answers reads. Its replica follows the log; on it stand an engine that follows, the live queries, the guard,
// and the calls over gRPC and REST (followed). A request that reads the present (cluster.ReadingOf) gets a read index from the leader first,
// and waits until the replica has all that it names: so documents, accounts, signing keys and rules are no older than what was acknowledged
// before the request. Everything else, and whatever comes while there is no index, is forwarded.
//
// Streams that last have no index of their own, but each of their reads does (engine.Options.Current). They end with UNAVAILABLE when the
// replica was in contact with neither the leader nor PostgreSQL for a lease, when the leader decides by other rules than this node,
// and when the state has to be opened again.

// How often a node looks whether it is in contact, how long the leader waits at most for a row of the log behind the one that a node
// has, and how long a read waits for a leader.
const (
	contactPause  = 100 * time.Millisecond
	indexWait     = 400 * time.Millisecond
	indexTimeout  = 2 * time.Second
	indexPatience = 5 * time.Second
	indexPause    = 20 * time.Millisecond
)

// follower answers reads at a node while it does not lead.
type follower struct {
	app   *App
	node  *cluster.Node
	store *pgstore.Store
	// indexes are the requests for read indexes of all reads.
	indexes cluster.Shared[reached]
	// current is what reads are answered by; nil while they are forwarded.
	current atomic.Pointer[followed]
	// opened is the same, also before it is current.
	opened atomic.Pointer[followed]
}

// reached is a read index and when it was requested (pgstore.Store.Elapsed).
type reached struct {
	cluster.Index
	began time.Duration
}

// newFollower returns what answers reads on a store that does not lead yet.
func newFollower(a *App, store *pgstore.Store) *follower {
	f := &follower{app: a, node: a.nodes.node, store: store}
	f.indexes.Call = func(ctx context.Context) (reached, error) { return f.request(ctx, cluster.IndexRequest{}) }
	return f
}

// request requests a read index for the databases that are read here.
func (f *follower) request(ctx context.Context, request cluster.IndexRequest) (r reached, err error) {
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

// errRules means that the leader decides by other rules than this node.
var errRules = errors.New("app: the leader has other rules")

// errAhead means that the replica has what the leader has not shown yet.
var errAhead = errors.New("app: the replica is ahead of the leader")

// reach waits until the replica has what a read index names.
func (f *follower) reach(ctx context.Context, s *followed, r reached) error {
	if err := f.store.Reach(ctx, r.Seq, r.began); err != nil {
		return err
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

// now has reads see what was acknowledged before.
func (f *follower) now(ctx context.Context, s *followed) error {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	r, err := f.indexes.Do(ctx)
	if err != nil {
		return err
	}
	return f.reach(ctx, s, r)
}

// nowPatiently is now for reads within streams, which wait for a leader.
func (f *follower) nowPatiently(ctx context.Context, s *followed) error {
	late, stop := clock.System().After(indexPatience)
	defer stop()
	for {
		err := f.now(ctx, s)
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
		}
		stopAgain()
		return fault.Because(err, fault.Unavailable, "%s", cluster.TextNoLeader)
	}
}

// run answers reads while this node is in contact, until ctx is done. The store's Lead follows the log meanwhile.
func (f *follower) run(ctx context.Context) {
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		f.watch(ctx)
	}()
	defer func() { <-watched }()
	for ctx.Err() == nil {
		var s *followed
		_, err := f.indexes.Do(ctx)
		if err != nil { // nobody leads, or this node is about to
			_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
			continue
		}
		if s, err = f.open(ctx); err != nil {
			if !errors.Is(err, engine.ErrReopen) && !fault.Is(err, fault.Unavailable) && ctx.Err() == nil {
				f.app.o.Log.Warn("reads are forwarded; they are tried here again", "error", err)
			}
			_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
			continue
		}
		f.serve(ctx, s)
	}
}

// serve answers reads until they can't be any more.
func (f *follower) serve(ctx context.Context, s *followed) {
	defer s.close()
	defer f.opened.Store(nil)
	f.opened.Store(s)
	if err := f.now(ctx, s); err != nil { // there is no leader, or it has other rules
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

// watch has the leader report each row of the log, so that the replica follows at once.
func (f *follower) watch(ctx context.Context) {
	var differed *followed // whose rules were not the leader's at the last turn
	for ctx.Err() == nil {
		seq, _ := f.store.Progress()
		r, err := f.request(ctx, cluster.IndexRequest{Wait: true, After: seq})
		if s := f.opened.Load(); err == nil && s != nil {
			err = f.reach(ctx, s, r)
			switch {
			case !errors.Is(err, errRules):
				differed = nil
			case differed == s:
				s.ending.End()
			default: // a release is in the log a moment before the leader decides by it
				differed = s
			}
		} else if err == nil {
			err = f.store.Reach(ctx, r.Seq, r.began)
		}
		if err != nil {
			_ = clock.Sleep(ctx, clock.System(), contactPause) // or ctx is done
		}
	}
}

// reads returns a handler that answers what this node may answer by itself, and forwards the rest.
func (n *nodes) reads(port string) http.Handler {
	next := n.node.Forward(port)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := n.follower.Load()
		if f == nil || !f.answer(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// answer answers a request, or reports that the leader must.
func (f *follower) answer(w http.ResponseWriter, r *http.Request) bool {
	s := f.current.Load()
	if s == nil {
		return false
	}
	kind := cluster.ReadingOf(r)
	if kind == cluster.Forward || !s.enter() {
		return false
	}
	defer s.leave()
	ctx, stop := s.cut.Within(r.Context())
	defer stop()
	if err := f.now(ctx, s); err != nil {
		return false
	}
	if kind == cluster.Brief {
		ctx = engine.AsOfNow(ctx)
	}
	s.serve(w, r.WithContext(ctx))
	return true
}

// offerIndexes offers the service by which other nodes request read indexes once this one leads.
func (a *App) offerIndexes(s *state, rulesets *guard.Rulesets) {
	store, shared := s.store.(*pgstore.Store)
	if !shared {
		return
	}
	a.nodes.services[cluster.IndexService] = cluster.AnswerIndex(func(ctx context.Context, r cluster.IndexRequest) (index cluster.Index, err error) {
		if r.Wait {
			waitBehind(ctx, store, r.After)
		}
		// The versions come first: the commits up to them are in the log then, up to the row that is read behind them. What the log has up to
		// that row is shown here before another node shows it.
		index.Versions = make(map[string]clock.Version, len(r.Databases))
		for _, name := range r.Databases {
			project, id, _ := strings.Cut(name, "/")
			if v := s.engine.Latest(resource.Database{Project: project, ID: id}); v > 0 {
				index.Versions[name] = v
			}
		}
		index.Rules = rulesets.Digest()
		index.Seq, _ = store.Progress()
		if err := s.engine.Settle(ctx); err != nil {
			return index, err
		}
		return index, store.Held() // last, so that all of it was the latest
	})
}

// waitBehind waits for a short time until a store has a row of the log behind one.
func waitBehind(ctx context.Context, store *pgstore.Store, after int64) {
	late, stop := clock.System().After(indexWait)
	defer stop()
	for {
		seq, changed := store.Progress()
		if seq != after { // also where PostgreSQL was set back
			return
		}
		select {
		case <-changed:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// applied is called for each row of the log that was applied to the replica.
func (s *followed) applied(ctx context.Context, ops []storage.Op) {
	if err := s.follow(ctx, ops); err != nil {
		if !errors.Is(err, engine.ErrReopen) {
			s.app.o.Log.Error("reads are forwarded: a row of the log can't be followed", "error", err)
		}
		s.ending.End()
	}
}
