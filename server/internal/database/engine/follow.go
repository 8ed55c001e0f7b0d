package engine

import (
	"context"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// maxFollowed is the maximum number of commits in the queue of a subscription by Follow.
const maxFollowed = 64

// Follow returns a subscription to the commits of a database after a version, which may be from an earlier run. The
// commits that its reader still needs stay in the log for up to Options.Kept. If they were dropped already, Next
// returns ErrLagged.
func (e *Engine) Follow(name resource.Database, after clock.Version) *Subscription {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.subscribeLocked(name)
	if s.db == nil {
		return s
	}
	s.most, s.follows = maxFollowed, true
	s.start, s.mu.seen = after, after
	s.mu.behind = after < s.db.latest
	s.db.kept[s] = after
	if s.mu.behind {
		s.signal()
	}
	return s
}

// Done records that the reader no longer needs the commits up to a version. After a restart it may receive them again.
func (s *Subscription) Done(v clock.Version) {
	if s.db == nil {
		return
	}
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	if _, ok := s.db.kept[s]; ok {
		s.db.kept[s] = v
	}
}

// Oldest returns a version after which the log of a database has all commits.
func (e *Engine) Oldest(name resource.Database) clock.Version {
	return e.versionOf(name, func(db *database) clock.Version { return max(0, db.dropped-1) })
}

// changes calls yield with commits of the log. Those that are retained for Follow may be older than the retention.
func (s *Subscription) changes(ctx context.Context, after, upto clock.Version, yield func(document.Commit) error) error {
	if !s.follows {
		return s.e.Changes(ctx, s.db.name, after, upto, yield)
	}
	view, _, err := s.e.current(s.db)
	if err != nil {
		return err
	}
	defer view.release()
	s.e.mu.Lock()
	lost := s.db.dropped > after+1 // The view was taken before, so the commits that it lacks are recorded as dropped.
	s.e.mu.Unlock()
	if lost {
		return ErrLagged
	}
	return past.Commits(ctx, view.snap, s.db.name, s.db.number.Load(), after, upto, yield)
}
