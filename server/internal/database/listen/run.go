package listen

import (
	"context"
	"slices"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/target"
)

// work is the work that take has found for Run.
type work struct {
	commands []command
	lagged   bool
	recheck  []func(key any) bool
	due      bool
	finish   bool
	failed   error
	barriers int
}

// take returns the work that has arrived. It moves queued entries to pending.
func (s *Stream) take() work {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := work{
		commands: s.mu.commands, recheck: s.mu.recheck, due: s.mu.due, finish: s.mu.finish, failed: s.mu.failed,
		barriers: len(s.mu.barriers),
	}
	w.lagged = s.takeQueueLocked()
	s.mu.taken.Broadcast()
	s.mu.commands, s.mu.recheck, s.mu.due = nil, nil, false
	return w
}

// takeQueueLocked moves the queue to pending, and reports whether changes were lost; mu is held.
func (s *Stream) takeQueueLocked() (lagged bool) {
	lagged = !s.mu.lagged.IsZero()
	s.pending = append(s.pending, s.mu.queue...)
	s.mu.queue, s.mu.bytes, s.mu.lagged = nil, 0, time.Time{}
	return lagged
}

// Run executes the client's commands and sends changes, until ctx ends, send fails or the stream has to end. It returns
// nil only if all commands before Finish were executed. send must not change the events.
func (s *Stream) Run(ctx context.Context, send func(*target.Event) error) error {
	s.send = func(e *target.Event) error {
		s.sending.Store(s.hub.o.Clock.Now().UnixNano())
		defer s.sending.Store(0)
		return send(e)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ready:
		}
		w := s.take()
		if err := s.do(ctx, w); err != nil || w.finish {
			return err
		}
		s.openBarriers(w.barriers)
	}
}

// do does the work that take has returned.
func (s *Stream) do(ctx context.Context, w work) error {
	if w.failed != nil {
		return w.failed
	}
	// The order matters. Authorization comes first, since nothing of a denied target may be sent. A reset comes before
	// deliver, because it drops the pending changes, which are incomplete. Changes come before commands, so that a
	// target is removed after the changes that preceded its removal. New targets are sent last, together.
	if err := s.reauthorize(ctx, w.recheck); err != nil {
		return err
	}
	if w.lagged {
		if err := s.resetAll(); err != nil {
			return err
		}
	}
	if err := s.deliver(ctx, maxVersion); err != nil {
		return err
	}
	for _, c := range w.commands {
		if err := s.execute(ctx, c); err != nil {
			return err
		}
	}
	if err := s.sendInitial(ctx); err != nil {
		return err
	}
	if w.due {
		return s.sendHeartbeat(ctx)
	}
	return nil
}

// execute executes a command.
func (s *Stream) execute(ctx context.Context, c command) error {
	if c.add == nil {
		return s.remove(c.remove, nil)
	}
	want := *c.add
	switch {
	case want.ID < 0:
		return fault.E(fault.InvalidArgument, "Target ID must not be negative: %d", want.ID)
	case want.ID == 0:
		want.ID = s.choose()
	case s.chosen > 0:
		return fault.E(fault.InvalidArgument, "Target IDs must all be chosen by the client or all by the server.")
	}
	if t := s.targets[want.ID]; t != nil && t.fresh {
		if err := s.sendInitial(ctx); err != nil { // Events are sent in the order of the commands.
			return err
		}
	}
	if s.targets[want.ID] != nil {
		return s.send(&target.Event{Kind: target.Removed, Target: want.ID,
			Cause: fault.E(fault.AlreadyExists, "Target ID already exists: %d", want.ID)})
	}
	if len(s.targets) >= s.hub.o.MaxTargets {
		c.refuse = fault.E(fault.ResourceExhausted, "Too many targets on one stream; at most %d are allowed.", s.hub.o.MaxTargets)
	}
	if c.refuse != nil {
		if err := s.send(&target.Event{Kind: target.Added, Target: want.ID}); err != nil {
			return err
		}
		return s.send(&target.Event{Kind: target.Removed, Target: want.ID, Cause: c.refuse})
	}
	return s.add(&activeTarget{stream: s, want: want})
}

// choose returns an id for a target without one: greater than all ids of the client.
func (s *Stream) choose() int32 {
	for id := range s.targets {
		s.chosen = max(s.chosen, id)
	}
	s.chosen++
	return s.chosen
}

// end releases a target.
func (s *Stream) end(t *activeTarget) {
	t.open = false
	delete(s.targets, t.want.ID)
	s.hub.targets.Add(-1)
	s.feed.detach(t)
	if t.want.Authorization.Done != nil {
		t.want.Authorization.Done()
	}
}

// remove ends a target and sends that; cause is nil when the client removed it.
func (s *Stream) remove(id int32, cause error) error {
	if t := s.targets[id]; t != nil {
		s.end(t)
		if t.fresh { // Every Add results in Added first.
			if err := s.send(&target.Event{Kind: target.Added, Target: id}); err != nil {
				return err
			}
		}
	}
	return s.send(&target.Event{Kind: target.Removed, Target: id, Cause: cause})
}

// byID returns the targets in the order of their ids.
func (s *Stream) byID() []*activeTarget {
	out := make([]*activeTarget, 0, len(s.targets))
	for _, t := range s.targets {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *activeTarget) int { return int(a.want.ID) - int(b.want.ID) })
	return out
}

// sendHeartbeat sends a snapshot of the present time on a quiet stream.
func (s *Stream) sendHeartbeat(ctx context.Context) error {
	if s.snapshotSent || s.version == 0 || len(s.targets) == 0 {
		s.snapshotSent = false
		return nil
	}
	latest := s.hub.o.Engine.Latest(s.feed.name)
	if err := s.catchUp(ctx, latest); err != nil {
		return err
	}
	if err := s.sendInitial(ctx); err != nil {
		return err
	}
	if latest.After() < s.version {
		return nil
	}
	if err := s.complete(ctx, latest); err != nil {
		return err
	}
	s.snapshotSent = false
	return nil
}
