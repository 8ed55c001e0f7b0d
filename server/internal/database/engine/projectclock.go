package engine

import (
	"context"
	"time"

	"clave/server/internal/base/clock"
)

// projectClock is the clock of a database's project, which in development may differ from the server's (clock.Shifted).
// Server timestamps, the time of requests, TTL policies and the limits of locks and transactions follow it. Versions
// follow the server's clock, because they must increase.
type projectClock struct {
	server  clock.Clock
	project string
}

// Now returns the time of the project.
func (c projectClock) Now() time.Time { return clock.NowOf(c.server, c.project) }

// moment is the present by the server's clock and by the project's.
type moment struct{ server, own time.Time }

// moment returns the present.
func (c projectClock) moment() moment {
	now := moment{server: c.server.Now()}
	now.own = now.server
	if clock.IsOwn(c.server, c.project) {
		now.own = c.Now()
	}
	return now
}

// since returns the time since an earlier moment: the greater one of the two clocks. So a transaction ends when the
// project's clock is advanced, and also while it stands still.
func (m moment) since(earlier moment) time.Duration {
	return max(m.server.Sub(earlier.server), m.own.Sub(earlier.own))
}

// pause waits for a duration, or until a clock was changed since the call before, which renews the channel.
func (e *Engine) pause(ctx context.Context, d time.Duration, changes *<-chan struct{}) (changed bool, err error) {
	passed, stop := e.o.Clock.After(d)
	defer stop()
	select {
	case <-passed:
		return false, nil
	case <-*changes:
		*changes = clock.Changed(e.o.Clock)
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
