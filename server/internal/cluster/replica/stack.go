package replica

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
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
	"clave/server/internal/transport/grpc"
)

// Stack is the stack that serves reads from the replica of a node that does not lead.
type Stack struct {
	*stack.Stack
	o *Options
	// Parts are those of the stack.
	Parts   process.Components
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
func (f *Follower) open(ctx context.Context) (*Stack, error) {
	s, err := f.Build(ctx)
	if err != nil {
		return nil, err
	}
	s.start(ctx)
	return s, nil
}

// Build opens the parts that serve reads, and lets them follow the log. They are not started.
func (f *Follower) Build(ctx context.Context) (s *Stack, err error) {
	stop, err := f.store.Read(func(r *postgres.Replica) (func([]store.Op), error) {
		if err := r.Held(); err != nil {
			return nil, err
		}
		s = &Stack{o: &f.o, replica: r, ending: process.NewEnding(), cut: process.NewEnding(), missing: missingindex.NewReports()}
		return func(ops []store.Op) { s.applied(ctx, ops) }, s.open(ctx, f)
	})
	if err != nil {
		if s != nil {
			err = errors.Join(err, s.Parts.Close())
		}
		return nil, err
	}
	s.stop = stop
	return s, nil
}

// open opens the stack. No row of the log is applied meanwhile.
func (s *Stack) open(ctx context.Context, f *Follower) error {
	released, err := release.Load(s.replica)
	if err != nil {
		return err
	}
	development := !f.o.Stack.Production
	s.Stack = stack.New(f.o.Stack, stack.Role{
		Store: s.replica, Follows: true, Versions: f.o.Stack.Clock,
		Rulesets: authz.NewRulesets(authz.RulesetsOptions{Open: development, Detail: development, Cover: development, Served: f.o.Stack.Served}),
		Engine: func(o *engine.Options) {
			o.Missing, o.Wanted = s.missing.Note(false), s.missing.Note(true)
			o.Current = func(ctx context.Context) error { return f.reads.InStream(ctx, s) }
		},
		Define: func(ctx context.Context, _ *engine.Engine) error { return s.define(ctx, released) },
		Vault: func(context.Context) (token.Vault, error) {
			return storevault.New(s.replica, func(*store.Batch) error {
				return fault.E(fault.Unavailable, "This node does not lead.")
			}), nil
		},
		Owner: f.o.Sessions.Owner(), Ended: textEnded, Moves: f.o.Sessions.Moves,
	}, &s.Parts)
	if err := s.putInForce(released); err != nil {
		return err
	}
	if err := s.Stack.Open(ctx); err != nil {
		return err
	}
	s.grpc, err = s.OpenGRPC()
	return err
}

// textEnded is the text of the error of streams that end because this node no longer serves reads by itself: it is
// about to lead or to stop, has lost contact, or has other rules than the leader.
const textEnded = "This node can't continue the stream. Please try again."

// start starts the parts.
func (s *Stack) start(ctx context.Context) {
	// ctx may end before the work does: Close ends the work, after the requests in progress.
	work, cancel := s.cut.Within(context.WithoutCancel(ctx))
	s.running.Go(func() {
		defer cancel()
		<-work.Done()
	})
	s.running.Go(func() { s.missing.Send(work, s.o.CallLeader, s.o.Stack.Log) })
	sessions, end := s.ending.Within(work)
	for _, part := range s.Parts.Parts {
		within, done := work, func() {}
		if part.Name == stack.ChannelsName { // the results of sessions are written before their requests are cut
			s.mu.inProgress.Add(1)
			within, done = sessions, func() {
				end()
				s.leave()
			}
		}
		s.running.Go(func() {
			defer done()
			if err := part.Run(within); err != nil {
				s.o.Stack.Log.Error("reads are forwarded: a part that serves them has ended", "part", part.Name, "error", err)
				s.ending.End()
			}
		})
	}
}

// putInForce puts the rules of a release in force, and lets clients use the databases that were made.
func (s *Stack) putInForce(r *release.Release) error {
	s.o.Project.Made.Use(r)
	return s.o.Project.Follow(s.Rulesets, r.Files)
}

// define applies the index definitions of a release to databases of which nothing is stored. The others keep the
// definitions of their entries.
func (s *Stack) define(ctx context.Context, r *release.Release) error {
	definitions, err := s.o.Project.Definitions(r.Files)
	if err != nil {
		return err
	}
	for name, defs := range definitions {
		if err := s.Engine.SetIndexes(ctx, name, defs); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// follow makes a row of the log that was applied to the replica visible: first the parts that authorize reads, then
// the documents.
func (s *Stack) follow(ctx context.Context, ops []store.Op) error {
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
	if reload && s.Keys != nil {
		if err := s.Keys.Reload(); err != nil {
			return err
		}
	}
	s.Accounts.Followed(ops, append(service.SessionKinds(), serviceaccount.Item)...)
	return s.Engine.Applied(ops)
}

// enter counts a request in progress. It returns false once s has been closed.
func (s *Stack) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed || s.ending.Ended() {
		return false
	}
	s.mu.inProgress.Add(1)
	return true
}

// leave ends a request.
func (s *Stack) leave() { s.mu.inProgress.Done() }

// followedGrace is the time for which requests in progress may continue at the end.
const followedGrace = 500 * time.Millisecond

// Close implements readindex.Stack: it ends the streams with UNAVAILABLE, and waits for other requests until the grace
// is over.
func (s *Stack) Close() {
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
	if err := s.Parts.Close(); err != nil {
		s.o.Stack.Log.Error("the parts that served reads were not closed", "error", err)
	}
}
