package listen

import (
	"context"
	"math"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/target"
)

// maxVersion is later than every commit.
const maxVersion = clock.Version(math.MaxInt64)

// catchUp sends all changes up to a version that was read from the engine.
func (s *Stream) catchUp(ctx context.Context, upto clock.Version) error {
	if err := s.feed.reach(ctx, upto); err != nil {
		return err
	}
	s.mu.Lock()
	lagged, recheck := s.takeQueueLocked(), s.mu.recheck
	s.mu.recheck = nil
	s.mu.Unlock()
	if err := s.reauthorize(ctx, recheck); err != nil {
		return err
	}
	if lagged {
		return s.resetAll()
	}
	return s.deliver(ctx, upto)
}

// deliver sends the pending changes up to a version, commit by commit, each commit with its snapshot. Before anything
// of a commit is sent, the targets that it concerns are authorized for its version.
func (s *Stream) deliver(ctx context.Context, upto clock.Version) error {
	n := 0
	for n < len(s.pending) && s.pending[n].delta.version <= upto {
		version, end := s.pending[n].delta.version, n+1
		for end < len(s.pending) && s.pending[end].delta.version == version {
			end++
		}
		if err := s.authorizeCommit(ctx, version, s.pending[n:end]); err != nil {
			return err
		}
		sent := false
		for ; n < end; n++ {
			e := s.pending[n]
			// Closed targets get nothing. A target that was sent at this version or later has the change already.
			if !e.target.open || version <= e.target.since || e.delta.looked != nil {
				s.passed(n)
				continue
			}
			if err := s.sendDelta(ctx, e); err != nil {
				return err
			}
			s.passed(n)
			sent = sent || e.target.open
		}
		if sent {
			if err := s.complete(ctx, version); err != nil {
				return err
			}
			if s.hub.o.Sent != nil {
				s.hub.o.Sent(s.hub.o.Clock.Now().Sub(version.Time()))
			}
		}
	}
	rest := copy(s.pending, s.pending[n:])
	clear(s.pending[rest:])
	s.pending = s.pending[:rest]
	return nil
}

// sendDelta sends the changes of a target by a commit.
func (s *Stream) sendDelta(ctx context.Context, e entry) error {
	t := e.target
	if e.delta.lost {
		return s.reset(t)
	}
	hidden := s.hidden(ctx, e)
	for i := range e.delta.changes {
		c := &e.delta.changes[i]
		ev := &target.Event{Kind: c.kind, Target: t.want.ID, ReadTime: e.delta.version, Doc: c.doc, Leaves: c.left != nil, Name: c.name}
		if hidden[i] {
			ev.Kind, ev.Doc, ev.Leaves = target.Left, nil, false
		}
		if err := s.send(ev); err != nil {
			return err
		}
	}
	return nil
}

// hidden returns the indexes of the changed documents that leave the target of an entry and that its client may not
// get.
func (s *Stream) hidden(ctx context.Context, e entry) map[int]bool {
	if e.target.want.Authorization.unrestricted || !slices.ContainsFunc(e.delta.changes, func(c change) bool { return c.left != nil }) {
		return nil
	}
	var hidden map[int]bool
	st := s.stateAt(e.delta.version)
	defer st.close()
	for i := range e.delta.changes {
		c := &e.delta.changes[i]
		if c.left == nil || e.target.want.Authorization.mayGet(ctx, st.read, c.name, c.left) {
			continue
		}
		if hidden == nil {
			hidden = make(map[int]bool)
		}
		hidden[i] = true
	}
	return hidden
}

// complete sends a global snapshot of a version, if all targets may be shown at it. The others are removed first.
func (s *Stream) complete(ctx context.Context, version clock.Version) error {
	if err := s.authorizeBlind(ctx, version); err != nil {
		return err
	}
	return s.snapshot(version.After())
}

// snapshot sends a global snapshot: all targets are complete up to a time. It sends none while a target waits to be
// sent completely, since that target's snapshot will be for all. The time is later than the last sent commit, as in
// production and the official emulator: a web client with several tabs that has read the result of a write looks in its
// cache for later changes, and a snapshot of the same time would never confirm the document.
func (s *Stream) snapshot(v clock.Version) error {
	for _, t := range s.unsent {
		if t.open && !t.fresh {
			return nil
		}
	}
	s.version, s.snapshotSent = v, true
	return s.send(&target.Event{Kind: target.Snapshot, ReadTime: v, Token: newToken(v)})
}
