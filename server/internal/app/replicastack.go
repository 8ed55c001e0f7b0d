package app

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/auth/token/storevault"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/rest"
	"clave/server/internal/transport/webchannel"
)

// replicaStack is the stack of parts that serve reads from the replica of a node that does not lead.
type replicaStack struct {
	app      *App
	replica  *postgres.Replica
	engine   *engine.Engine
	hub      *listen.Hub
	rulesets *authz.Rulesets
	accounts *account.Store
	// keys verify tokens; nil if tokens carry no signatures.
	keys *token.Keys
	grpc *grpc.Server
	rest http.Handler
	// channels serves Listen over WebChannel. Its sessions end at the beginning of ending.
	channels *webchannel.Handler
	// ending begins when it takes no more requests, and cut when requests in progress end too.
	ending, cut *process.Ending
	// stop stops following the log. running waits for the background work.
	stop    func()
	running sync.WaitGroup
	// missing holds indexes that queries lacked, for the leader.
	missing missingindex.Reports
	mu      struct {
		sync.Mutex
		closed bool
		// inProgress counts the requests in progress.
		inProgress sync.WaitGroup
	}
}

// open opens the parts that serve reads on the present state of the replica, and lets them follow the log from there.
func (f *follower) open(ctx context.Context) (s *replicaStack, err error) {
	stop, err := f.store.Read(func(r *postgres.Replica) (func([]store.Op), error) {
		if err := r.Held(); err != nil {
			return nil, err
		}
		s = &replicaStack{app: f.app, replica: r, ending: process.NewEnding(), cut: process.NewEnding(), missing: missingindex.NewReports()}
		return func(ops []store.Op) { s.applied(ctx, ops) }, s.open(ctx, f)
	})
	if err != nil {
		if s != nil && s.engine != nil {
			_ = s.engine.Close() // which returns nil
		}
		return nil, err
	}
	s.stop = stop
	return s, nil
}

// open creates the parts, layer by layer. No row of the log is applied meanwhile.
func (s *replicaStack) open(ctx context.Context, f *follower) error {
	a := s.app
	released, err := release.Load(s.replica)
	if err != nil {
		return err
	}
	development := !a.config.Production()
	s.rulesets = authz.NewRulesets(authz.RulesetsOptions{Open: development, Detail: development, Cover: development})
	if err := s.putInForce(released); err != nil {
		return err
	}
	s.engine, err = engine.Open(ctx, engine.Options{
		Store: s.replica, Clock: a.o.Clock, Results: a.o.Memory.Results, IndexMode: indexModes[a.config.Indexes], Log: a.o.Log, Exists: a.exists(),
		Missing: s.missing.Note(false), Wanted: s.missing.Note(true),
		Current: func(ctx context.Context) error { return f.reads.InStream(ctx, s) },
	})
	if err != nil {
		return err
	}
	if err := s.define(ctx, released); err != nil {
		return err
	}
	verifier, err := s.openTokens()
	if err != nil {
		return err
	}
	return s.openCalls(ctx, verifier)
}

// openTokens opens the accounts and the verifier of tokens.
func (s *replicaStack) openTokens() (*token.Verifier, error) {
	a := s.app
	var svc *service.Service
	s.accounts = account.New(s.replica)
	to := a.tokenOptions(serviceaccount.New(s.accounts, a.o.Clock), func() *service.Service { return svc })
	if a.config.SignTokens {
		vault := storevault.New(s.replica, func(*store.Batch) error {
			return fault.E(fault.Unavailable, "This node does not lead.")
		})
		var err error
		s.keys, err = token.OpenKeys(token.KeyOptions{Clock: a.o.Clock, Vault: vault, Follow: true, Events: a.config.Events != "", Log: a.o.Log})
		if err != nil {
			return nil, err
		}
		to.Keys = s.keys
	}
	verifier := token.New(to)
	svc = service.New(service.Options{
		Accounts: s.accounts, Tokens: verifier, Clock: a.o.Clock, Project: a.config.Project, Emulator: !a.config.Production(), Log: a.o.Log,
	})
	return verifier, nil
}

// openCalls creates the live queries, the authorizer and the calls on it, and starts their background work.
func (s *replicaStack) openCalls(ctx context.Context, verifier *token.Verifier) error {
	a := s.app
	lo := listen.Options{Engine: s.engine, MaxWindowBytes: int(a.o.Memory.Windows), Clock: a.o.Clock, Log: a.o.Log}
	if a.counts != nil {
		lo.Sent = a.counts.Sent
	}
	hub, err := listen.New(lo)
	if err != nil {
		return err
	}
	s.hub = hub
	az, err := authz.New(authz.Options{
		Meter: a.counts, Engine: s.engine, Hub: hub, Rules: s.rulesets, CheckSession: verifier.CheckSession, Turns: a.turns, TargetBytes: a.o.Memory.Results, Clock: a.o.Clock, Log: a.o.Log,
	})
	if err != nil {
		return err
	}
	// Changes of accounts arrive with the rows of the log (follow). Those that end sessions end their streams here, too.
	s.accounts.OnRevoke(func(r account.Revocation) { az.Revoke(r.Scope.Project, r.Scope.Tenant, r.UID) })
	calls, err := api.New(api.Options{Authorizer: az, Clock: a.o.Clock})
	if err != nil {
		return err
	}
	options := a.grpcOptions(calls, verifier)
	options.Ended = textEnded
	if s.grpc, err = grpc.New(options); err != nil {
		return err
	}
	if s.rest, err = rest.New(a.restOptions(calls, verifier)); err != nil {
		s.grpc.Stop()
		return err
	}
	channels := a.channelOptions(calls, verifier)
	channels.Owner, channels.ListenOnly, channels.Ended = a.nodes.owner, true, textEnded
	if s.channels, err = webchannel.New(channels); err != nil {
		s.grpc.Stop()
		return err
	}
	s.start(ctx, hub, az)
	return nil
}

// textEnded is the text of the error of streams that end because this node no longer serves reads by itself: it is
// about to lead or to stop, has lost contact, or has other rules than the leader.
const textEnded = "This node can't continue the stream. Please try again."

// start starts the background work.
func (s *replicaStack) start(ctx context.Context, hub *listen.Hub, az *authz.Authorizer) {
	// ctx may end before the work does: Close ends the work, after the requests in progress.
	work, cancel := s.cut.Within(context.WithoutCancel(ctx))
	s.running.Go(func() {
		defer cancel()
		<-work.Done()
	})
	s.running.Go(func() { s.missing.Send(work, s.app.callLeaderOnce, s.app.o.Log) })
	sessions, end := s.ending.Within(work)
	run := func(ctx context.Context, part runner) {
		if err := part.Run(ctx); err != nil {
			s.app.o.Log.Error("reads are forwarded: a part that serves them has ended", "error", err)
			s.ending.End()
		}
	}
	s.mu.inProgress.Add(1) // the results of sessions are written before their requests are cut
	s.running.Go(func() {
		defer s.leave()
		defer end()
		run(sessions, s.channels)
	})
	for _, part := range []runner{s.engine, hub, az} {
		s.running.Go(func() { run(work, part) })
	}
}

// putInForce puts the rules of a release in force.
func (s *replicaStack) putInForce(r *release.Release) error {
	return s.app.files().PutInForce(s.rulesets, r.Files)
}

// define applies the index definitions of a release to databases of which nothing is stored. The others keep the
// definitions of their entries.
func (s *replicaStack) define(ctx context.Context, r *release.Release) error {
	definitions, err := s.app.files().Definitions(r.Files)
	if err != nil {
		return err
	}
	for name, defs := range definitions {
		if err := s.engine.SetIndexes(ctx, name, defs); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// follow makes a row of the log that was applied to the replica visible: first the parts that authorize reads, then
// the documents.
func (s *replicaStack) follow(ctx context.Context, ops []store.Op) error {
	reload := false
	for _, op := range ops {
		reload = reload || storevault.Has(op.Key)
		if !bytes.Equal(op.Key, release.Key()) || op.Kind != store.Set {
			continue
		}
		released, err := release.Decode(op.Value)
		if err != nil {
			return err
		}
		if err := errors.Join(s.putInForce(released), s.define(ctx, released)); err != nil {
			return err
		}
	}
	if reload && s.keys != nil {
		if err := s.keys.Reload(); err != nil {
			return err
		}
	}
	s.accounts.Followed(ops, append(service.SessionKinds(), serviceaccount.Item)...)
	return s.engine.Applied(ops)
}

// enter counts a request in progress. It returns false once s has been closed.
func (s *replicaStack) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed || s.ending.Ended() {
		return false
	}
	s.mu.inProgress.Add(1)
	return true
}

// leave ends a request.
func (s *replicaStack) leave() { s.mu.inProgress.Done() }

// followedGrace is the time for which requests in progress may continue at the end.
const followedGrace = 500 * time.Millisecond

// Close implements readindex.Stack: it ends the streams with UNAVAILABLE, and waits for other requests until the grace
// is over.
func (s *replicaStack) Close() {
	s.ending.End()
	s.stop()
	s.mu.Lock()
	s.mu.closed = true
	s.mu.Unlock()
	s.grpc.GracefulStop() // which ends the streams that last
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.mu.inProgress.Wait()
	}()
	late, stop := clock.System().After(followedGrace)
	select {
	case <-done:
	case <-late:
	}
	stop()
	s.cut.End()
	<-done
	s.grpc.Stop()
	s.running.Wait()
	_ = s.engine.Close() // which returns nil
}
