package events

import (
	"context"
	"errors"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/suite/triggers"
)

// ErrLost is returned by Subscription.Next if the log no longer has the reader's next commit.
var ErrLost = errors.New("events: the commits are not in the log any more")

// follow turns the commits of the log into events until ctx ends or the source is closed.
func (r *receiver) follow(ctx context.Context) {
	for {
		commits, err := r.subscription().Next(ctx)
		switch {
		case ctx.Err() != nil || errors.Is(err, triggers.ErrClosed):
			return
		case err != nil:
			if !r.skip(ctx, err) {
				return
			}
			continue
		}
		for i := range commits {
			if err := r.take(ctx, &commits[i]); err != nil {
				if ctx.Err() == nil {
					r.mu.Lock()
					r.fail(err)
					r.mu.Unlock()
					r.log.Error("delivery stops until the server is restarted", "error", err)
				}
				return
			}
		}
	}
}

// skip continues at the beginning of the log if the log was dropped beyond the cursor, or retries after another error.
// It returns false if ctx is done.
func (r *receiver) skip(ctx context.Context, err error) bool {
	db := r.spec.trigger.Database()
	if !errors.Is(err, ErrLost) {
		r.log.Error("cannot read the log of commits", "error", err)
		if clock.Sleep(ctx, r.o.Clock, firstPause) != nil {
			return false
		}
	}
	r.mu.Lock()
	from, saved := r.mu.progress.upto, r.mu.cursor.Version
	if open := r.mu.progress.open; len(open) > 0 {
		from = open[len(open)-1].version
	}
	r.mu.Unlock()
	to := from
	if errors.Is(err, ErrLost) {
		to = max(from, r.o.Source.Oldest(db))
		r.log.Error("events were lost, because the service was behind for longer than the log is kept", "from", from.Time(), "to", to.Time())
		r.mu.Lock()
		r.mu.cursor.LostFrom, r.mu.cursor.LostTo = from, to
		r.mu.progress.begin(to, 0)
		r.mu.Unlock()
	}
	next := r.o.Source.Follow(db, to)
	if to == from {
		next.Done(saved) // what is not done remains in the log
	}
	r.mu.Lock()
	old := r.mu.sub
	r.mu.sub = next
	r.mu.Unlock()
	old.Close()
	return true
}

// take queues the events of a commit. It blocks while too many events wait.
func (r *receiver) take(ctx context.Context, c *triggers.Commit) error {
	var wanted []*triggers.Change
	for i := range c.Changes {
		change := &c.Changes[i]
		if !r.spec.trigger.Matches(change) {
			continue
		}
		if !r.known(place{c.Version, change.Name.Path}) {
			wanted = append(wanted, change)
		}
	}
	r.mu.Lock()
	m := r.mu.progress.begin(c.Version, len(wanted))
	r.mu.Unlock()
	for _, change := range wanted {
		message, err := r.spec.trigger.Eventarc(c.Version, change, r.spec.asJSON)
		if err != nil {
			return err
		}
		e := &event{
			place: place{c.Version, change.Name.Path}, message: &message, mark: m,
			meta: &meta{Header: message.Header, Size: len(message.Body), Due: r.o.Clock.Now()},
		}
		if err := r.enqueue(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// known reports whether an event that is read again after a restart is in the store already, or was delivered before a
// later event of its document was stored.
func (r *receiver) known(p place) bool {
	if p.version > r.horizon {
		r.stored = nil
	}
	return p.version <= r.stored[p.path]
}

// enqueue adds an event to its queue once there is room. If the event before it is in the store, it is stored too.
func (r *receiver) enqueue(ctx context.Context, e *event) error {
	for {
		r.mu.Lock()
		// An event behind one that waits for a retry may wait for a long time. In memory it would block the cursor and
		// occupy the room of other documents' events, so it is stored too.
		q := r.mu.queues.byPath[e.path]
		behind := q != nil && q.late()
		room := r.mu.late < maxLate && r.mu.lateBytes < maxLateBytes
		if !behind && room && r.mu.fresh < maxFresh && (r.mu.fresh == 0 || r.mu.freshBytes+int64(e.meta.Size) <= maxFreshBytes) {
			r.mu.fresh++
			r.mu.freshBytes += int64(e.meta.Size)
			r.mu.queues.add(e)
			r.mu.Unlock()
			signal(r.wake)
			return nil
		}
		r.mu.Unlock()
		if behind && room {
			if err := r.store(ctx, e); err == nil {
				r.mu.Lock()
				r.addLate(e.place, e.meta)
				r.mu.progress.end(e.mark)
				r.mu.Unlock()
				signal(r.wake)
				return nil
			} else if err := r.afterFullDisk(ctx, err); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.room:
		}
	}
}

// afterFullDisk waits for a while after a failed write. It returns ctx's error if ctx ends first.
func (r *receiver) afterFullDisk(ctx context.Context, err error) error {
	r.log.Error("an event was not written to the store", "error", err)
	return clock.Sleep(ctx, r.o.Clock, saveEvery)
}

// store writes events that are in memory to the store.
func (r *receiver) store(ctx context.Context, all ...*event) error {
	var b store.Batch
	for _, e := range all {
		if err := e.meta.set(&b, r.spec.Name, e.place); err != nil {
			return err
		}
		if e.message != nil {
			b.Set(e.key(bodyPrefix, r.spec.Name), e.message.Body)
		}
	}
	return r.o.Store.Apply(ctx, &b)
}
