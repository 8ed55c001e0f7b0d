package app

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/auth/token/storevault"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
	"clave/server/internal/transport/grpc"
)

// replicaStack is the stack that serves reads from the replica of a node that does not lead.
type replicaStack struct {
	*stack
	// parts are those of the stack.
	parts   components
	replica *postgres.Replica
	grpc    *grpc.Server
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

// open opens the parts that serve reads on the present state of the replica, starts them, and lets them follow the log
// from there.
func (f *follower) open(ctx context.Context) (*replicaStack, error) {
	s, err := f.build(ctx)
	if err != nil {
		return nil, err
	}
	s.start(ctx)
	return s, nil
}

// build opens the parts that serve reads, and lets them follow the log. They are not started.
func (f *follower) build(ctx context.Context) (s *replicaStack, err error) {
	stop, err := f.store.Read(func(r *postgres.Replica) (func([]store.Op), error) {
		if err := r.Held(); err != nil {
			return nil, err
		}
		s = &replicaStack{replica: r, ending: process.NewEnding(), cut: process.NewEnding(), missing: missingindex.NewReports()}
		return func(ops []store.Op) { s.applied(ctx, ops) }, s.open(ctx, f)
	})
	if err != nil {
		if s != nil {
			err = errors.Join(err, s.parts.close())
		}
		return nil, err
	}
	s.stop = stop
	return s, nil
}

// open opens the stack. No row of the log is applied meanwhile.
func (s *replicaStack) open(ctx context.Context, f *follower) error {
	released, err := release.Load(s.replica)
	if err != nil {
		return err
	}
	development := !f.app.config.Production()
	s.stack = f.app.newStack(role{
		store: s.replica, follows: true, versions: f.app.o.Clock,
		rulesets: authz.NewRulesets(authz.RulesetsOptions{Open: development, Detail: development, Cover: development}),
		engine: func(o *engine.Options) {
			o.Missing, o.Wanted = s.missing.Note(false), s.missing.Note(true)
			o.Current = func(ctx context.Context) error { return f.reads.InStream(ctx, s) }
		},
		define: func(ctx context.Context, _ *engine.Engine) error { return s.define(ctx, released) },
		vault: func(context.Context) (token.Vault, error) {
			return storevault.New(s.replica, func(*store.Batch) error {
				return fault.E(fault.Unavailable, "This node does not lead.")
			}), nil
		},
		owner: f.app.nodes.sessions.Owner(), ended: textEnded, moves: f.app.nodes.sessions.Moves,
	}, &s.parts)
	if err := s.putInForce(released); err != nil {
		return err
	}
	if err := s.stack.open(ctx); err != nil {
		return err
	}
	s.grpc, err = s.openGRPC()
	return err
}

// textEnded is the text of the error of streams that end because this node no longer serves reads by itself: it is
// about to lead or to stop, has lost contact, or has other rules than the leader.
const textEnded = "This node can't continue the stream. Please try again."

// start starts the parts.
func (s *replicaStack) start(ctx context.Context) {
	// ctx may end before the work does: Close ends the work, after the requests in progress.
	work, cancel := s.cut.Within(context.WithoutCancel(ctx))
	s.running.Go(func() {
		defer cancel()
		<-work.Done()
	})
	s.running.Go(func() { s.missing.Send(work, s.app.callLeaderOnce, s.app.o.Log) })
	sessions, end := s.ending.Within(work)
	for _, part := range s.parts.parts {
		within, done := work, func() {}
		if part.Name == channelsName { // the results of sessions are written before their requests are cut
			s.mu.inProgress.Add(1)
			within, done = sessions, func() {
				end()
				s.leave()
			}
		}
		s.running.Go(func() {
			defer done()
			if err := part.Run(within); err != nil {
				s.app.o.Log.Error("reads are forwarded: a part that serves them has ended", "part", part.Name, "error", err)
				s.ending.End()
			}
		})
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
	s.running.Wait()
	if err := s.parts.close(); err != nil {
		s.app.o.Log.Error("the parts that served reads were not closed", "error", err)
	}
}
