package clock

import (
	"sync"
	"sync/atomic"
	"time"
)

// Shifted is the machine's clock, put ahead by a duration that can be changed while it is used. Projects may have
// clocks of their own, which Following returns. It is for development: a timer fires as soon as its clock is put past
// its time.
type Shifted struct {
	// ahead is a time.Duration, changed while mu is held.
	ahead atomic.Int64
	// projects are the clocks of projects, *projectSetting by id, changed while mu is held; own is their number.
	projects sync.Map
	own      atomic.Int64
	mu       struct {
		sync.Mutex
		timers map[*shiftedTimer]struct{}
		// changed is closed at the next change of a clock; nil if nobody waits for it.
		changed chan struct{}
	}
}

// shiftedTimer is a timer of a Shifted that has not fired.
type shiftedTimer struct {
	// project is that whose clock the timer follows; empty for the server's.
	project string
	// at is the time of that clock at which it fires.
	at    time.Time
	c     chan time.Time
	timer *time.Timer
}

// NewShifted returns a clock that shows the machine's time until it is put ahead.
func NewShifted() *Shifted {
	s := &Shifted{}
	s.mu.timers = make(map[*shiftedTimer]struct{})
	return s
}

// Now implements Clock.
func (s *Shifted) Now() time.Time { return time.Now().UTC().Add(s.Ahead()) }

// Ahead returns how far the clock is ahead of the machine's.
func (s *Shifted) Ahead() time.Duration { return time.Duration(s.ahead.Load()) }

// Put puts the clock ahead of the machine's by a duration. If that moves the clock forward, timers that become due
// fire. If it moves the clock back, timers keep the rest of their durations.
func (s *Shifted) Put(ahead time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changeLocked(func() { s.ahead.Store(int64(ahead)) })
}

// changeLocked changes clocks, and then fires or moves the timers that follow them.
func (s *Shifted) changeLocked(change func()) {
	before := make(map[string]time.Time)
	for t := range s.mu.timers {
		if _, seen := before[t.project]; !seen {
			before[t.project] = s.nowOf(t.project)
		}
	}
	change()
	for t := range s.mu.timers {
		now := s.nowOf(t.project)
		by := now.Sub(before[t.project])
		if by < 0 {
			t.at = t.at.Add(by)
			continue
		}
		if !t.at.After(now) {
			t.timer.Stop()
			s.fireLocked(t, now)
			continue
		}
		t.timer.Reset(t.at.Sub(now))
	}
	if s.mu.changed != nil {
		close(s.mu.changed)
		s.mu.changed = nil
	}
}

// Changed returns a channel that is closed at the next change of the clock or of a project's.
func (s *Shifted) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.changed == nil {
		s.mu.changed = make(chan struct{})
	}
	return s.mu.changed
}

// After implements Clock.
func (s *Shifted) After(d time.Duration) (<-chan time.Time, func()) { return s.after("", d) }

// after starts a timer of the clock of a project, or with an empty id of the server's.
func (s *Shifted) after(project string, d time.Duration) (<-chan time.Time, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &shiftedTimer{project: project, at: s.nowOf(project).Add(d), c: make(chan time.Time, 1)}
	s.mu.timers[t] = struct{}{}
	t.timer = time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fireLocked(t, s.nowOf(t.project))
	})
	return t.c, func() {
		t.timer.Stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.mu.timers, t)
	}
}

// fireLocked fires a timer that has neither fired nor been stopped.
func (s *Shifted) fireLocked(t *shiftedTimer, now time.Time) {
	if _, waits := s.mu.timers[t]; waits {
		delete(s.mu.timers, t)
		t.c <- now
	}
}
