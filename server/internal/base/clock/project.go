package clock

import (
	"time"

	"clave/server/internal/base/fault"
)

// NowOf returns the present time of a project.
func NowOf(c Clock, project string) time.Time {
	if s, ok := c.(*Shifted); ok {
		return s.nowOf(project)
	}
	return c.Now()
}

// Following returns the clock of a project for those that keep it: it follows also clocks that are made later.
func Following(c Clock, project string) Clock {
	if s, ok := c.(*Shifted); ok {
		return projectClock{s, project}
	}
	return c
}

// IsOwn reports whether a project has a clock of its own.
func IsOwn(c Clock, project string) bool {
	s, ok := c.(*Shifted)
	return ok && s.setting(project) != nil
}

// Changed returns a channel that is closed at the next change of a clock or of a project's; nil for clocks that cannot
// be changed.
func Changed(c Clock) <-chan struct{} {
	if s, ok := c.(*Shifted); ok {
		return s.Changed()
	}
	return nil
}

// projectClock is the clock of a project of a Shifted.
type projectClock struct {
	shifted *Shifted
	project string
}

// Now implements Clock.
func (p projectClock) Now() time.Time { return p.shifted.nowOf(p.project) }

// After implements Clock. A timer also fires when its duration has passed while the clock stands still, so that nothing
// waits for ever.
func (p projectClock) After(d time.Duration) (<-chan time.Time, func()) {
	return p.shifted.after(p.project, d)
}

// projectSetting is the clock of a project. It is not changed after it was stored.
type projectSetting struct {
	// ahead is how far the clock is ahead of the server's; it may be negative.
	ahead time.Duration
	// pinned is the time at which the clock stands still; zero if it goes on.
	pinned time.Time
}

// setting returns the clock of a project, or nil if it has none of its own.
func (s *Shifted) setting(project string) *projectSetting {
	if s.own.Load() == 0 || project == "" {
		return nil
	}
	if v, ok := s.projects.Load(project); ok {
		return v.(*projectSetting)
	}
	return nil
}

// nowOf returns the time of a project.
func (s *Shifted) nowOf(project string) time.Time {
	switch p := s.setting(project); {
	case p == nil:
		return s.Now()
	case !p.pinned.IsZero():
		return p.pinned
	default:
		return s.Now().Add(p.ahead)
	}
}

// Bounds of the clocks of projects: their number, and the distance from the server's clock, which exceeds all time
// limits.
const (
	maxOwn   = 10_000
	maxAhead = 100 * 366 * 24 * time.Hour
)

// Reading is what the clock of a project shows.
type Reading struct {
	// Now is the time, and Ahead its distance from the machine's.
	Now   time.Time
	Ahead time.Duration
	// Own reports whether the project has a clock of its own, and Pinned whether it stands still.
	Own, Pinned bool
}

// Read reads the clock of a project.
func (s *Shifted) Read(project string) Reading {
	p := s.setting(project)
	r := Reading{Now: s.nowOf(project), Own: p != nil, Pinned: p != nil && !p.pinned.IsZero()}
	switch {
	case r.Pinned:
		r.Ahead = time.Until(r.Now)
	case p != nil:
		r.Ahead = s.Ahead() + p.ahead
	default:
		r.Ahead = s.Ahead()
	}
	return r
}

// SetProject gives a project a clock of its own, which shows a time, or the present one if it is zero, and stands still
// if it is pinned. The time may be in the past.
func (s *Shifted) SetProject(project string, at time.Time, pinned bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.IsZero() {
		at = s.nowOf(project)
	}
	return s.setLocked(project, at.UTC().Truncate(time.Microsecond), pinned)
}

// AdvanceProject advances the clock of a project, whether it stands still or not, by a duration that is not negative.
func (s *Shifted) AdvanceProject(project string, by time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if by < 0 || by > maxAhead {
		return fault.E(fault.InvalidArgument, "A clock is advanced by 0 s to %s.", maxAhead)
	}
	return s.setLocked(project, s.nowOf(project).Add(by), s.Read(project).Pinned)
}

// setLocked sets the clock of a project.
func (s *Shifted) setLocked(project string, at time.Time, pinned bool) error {
	ahead := at.Sub(s.Now())
	if ahead.Abs() > maxAhead {
		return fault.E(fault.InvalidArgument, "The clock of a project is at most %s away from the server's.", maxAhead)
	}
	p := &projectSetting{ahead: ahead}
	if pinned {
		p.pinned = at
	}
	_, has := s.projects.Load(project)
	if !has && s.own.Load() >= maxOwn {
		return fault.E(fault.ResourceExhausted, "%d projects have clocks of their own already.", maxOwn)
	}
	s.changeLocked(func() {
		s.projects.Store(project, p)
		if !has {
			s.own.Add(1)
		}
	})
	return nil
}

// ResetProject lets a project have the server's clock again.
func (s *Shifted) ResetProject(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, has := s.projects.Load(project); !has {
		return
	}
	s.changeLocked(func() {
		s.projects.Delete(project)
		s.own.Add(-1)
	})
}
