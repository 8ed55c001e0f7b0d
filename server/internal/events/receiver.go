package events

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// The limits of a receiver.
const (
	// maxFresh and maxFreshBytes bound the events in memory that are not in the store.
	maxFresh      = 1000
	maxFreshBytes = 32 << 20
	// maxLate and maxLateBytes bound the events that wait in the store; beyond them commits remain in the log.
	maxLate      = 10_000
	maxLateBytes = 256 << 20
	// maxDead and maxDeadBytes bound the dead letters; beyond them the oldest is dropped.
	maxDead      = 10_000
	maxDeadBytes = 256 << 20
)

// saveEvery is the interval at which cursors are written.
const saveEvery = time.Second

// grace is the time for which deliveries may continue when the server stops.
const grace = 5 * time.Second

// receiver delivers the events of one trigger.
type receiver struct {
	o      *Options
	spec   *Spec
	sender *sender
	log    *slog.Logger
	// slots bounds the deliveries that run at once.
	slots chan struct{}
	// wake receives when a queue may have become due, and room when fewer events wait. Both have a capacity of one and
	// are never closed.
	wake, room chan struct{}
	// stored are the last versions of events that were in the store at the start, by path, and horizon is the greatest:
	// up to it commits are read again. Only follow uses them.
	stored  map[string]clock.Version
	horizon clock.Version
	mu      struct {
		sync.Mutex
		sub      Subscription
		progress progress
		cursor   cursor
		queues   docQueues
		// dead are the dead letters in the order of their arrival.
		dead                             []deadLetter
		fresh, late                      int
		freshBytes, lateBytes, deadBytes int64
		lastError                        string
		lastErrorAt                      time.Time
	}
	// deadMu is held while the set of dead letters changes, including the store.
	deadMu sync.Mutex
}

// deadLetter is an event that is not retried any more.
type deadLetter struct {
	place
	size int
}

// openReceiver returns the receiver of a trigger, with its stored state.
func openReceiver(ctx context.Context, o *Options, s *Spec) (*receiver, error) {
	r := &receiver{
		o: o, spec: s, sender: newSender(s, o.Clock, o.Mint), log: o.Log.With("trigger", s.Name),
		stored: make(map[string]clock.Version), slots: make(chan struct{}, s.parallel), wake: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
	r.mu.queues.byPath = make(map[string]*docQueue)
	// Commits up to the horizon may be read again: the cursor is written once a second, and does not pass an event that
	// is only in memory. stored has those of their events that were in the store (see known).
	err := each(ctx, o.Store, s.Name, func(p place, m *meta) error {
		r.horizon = max(r.horizon, p.version)
		r.stored[p.path] = max(r.stored[p.path], p.version)
		if m.Dead {
			r.mu.dead = append(r.mu.dead, deadLetter{p, m.Size})
			r.mu.deadBytes += int64(m.Size)
			return nil
		}
		r.addLate(p, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	kept, err := loadCursor(o.Store, s.Name)
	if err != nil {
		return nil, err
	}
	db := s.trigger.Database()
	if kept != nil && kept.Database == db.String() {
		r.mu.cursor = *kept
		r.mu.progress.upto = kept.Version
		return r, nil
	}
	if kept != nil {
		r.log.Warn("the trigger has a different database; its delivery starts over", "before", kept.Database, "now", db.String())
	}
	// A new trigger begins with the commits from now on. The cursor is written at once, so that a restart continues from
	// here and does not omit the commits in between.
	r.mu.progress.upto = o.Source.Latest(db)
	r.mu.cursor = cursor{Database: db.String(), Version: r.mu.progress.upto}
	return r, r.write(ctx, r.mu.cursor)
}

// write writes the cursor.
func (r *receiver) write(ctx context.Context, c cursor) error {
	var b store.Batch
	if err := c.set(&b, r.spec.Name); err != nil {
		return err
	}
	return r.o.Store.Apply(ctx, &b)
}

// run delivers events until ctx ends.
func (r *receiver) run(ctx context.Context) {
	defer r.sender.client.CloseIdleConnections()
	r.mu.Lock()
	r.mu.sub = r.o.Source.Follow(r.spec.trigger.Database(), r.mu.progress.upto)
	r.mu.Unlock()
	var parts sync.WaitGroup
	parts.Go(func() { r.follow(ctx) })
	parts.Go(func() { r.deliverAll(ctx) })
	parts.Go(func() { r.saveAll(ctx) })
	parts.Wait()
	if err := r.save(context.WithoutCancel(ctx)); err != nil {
		r.log.Error("the cursor was not stored; events will be sent again", "error", err)
	}
	r.subscription().Close()
}

// saveAll writes the cursor at intervals.
func (r *receiver) saveAll(ctx context.Context) {
	for clock.Sleep(ctx, r.o.Clock, saveEvery) == nil {
		if err := r.save(ctx); err != nil && ctx.Err() == nil {
			r.log.Error("the cursor was not stored", "error", err)
		}
	}
}

// subscription returns the present subscription.
func (r *receiver) subscription() Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mu.sub
}

// save writes the cursor if it has moved, and releases the log before it.
func (r *receiver) save(ctx context.Context) error {
	r.mu.Lock()
	c, upto := r.mu.cursor, r.mu.progress.upto
	r.mu.Unlock()
	if c.Version == upto {
		return nil
	}
	c.Version = upto
	if err := r.write(ctx, c); err != nil {
		return err
	}
	r.mu.Lock()
	r.mu.cursor.Version = upto
	r.mu.Unlock()
	r.subscription().Done(upto)
	return nil
}

// deliverAll delivers due events until ctx ends, and then waits for deliveries in progress.
func (r *receiver) deliverAll(ctx context.Context) {
	// Deliveries do not end with ctx: they have the time grace to finish, and are then canceled.
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	defer context.AfterFunc(ctx, func() {
		late, stop := r.o.Clock.After(grace)
		defer stop()
		select {
		case <-late:
			cut()
		case <-sending.Done():
		}
	})()
	for {
		select {
		// The slot is taken before the queue: an event in delivery must not wait for a slot while others are due.
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		q := r.next(ctx)
		if q == nil {
			return
		}
		deliveries.Go(func() {
			defer func() { <-r.slots }()
			r.try(sending, q)
		})
	}
}

// next waits for a queue that is due; nil at the end of ctx.
func (r *receiver) next(ctx context.Context) *docQueue {
	for {
		r.mu.Lock()
		q, wait := r.mu.queues.take(r.o.Clock.Now())
		r.mu.Unlock()
		if q != nil {
			return q
		}
		var due <-chan time.Time
		stop := func() {}
		if wait >= 0 {
			due, stop = r.o.Clock.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-due:
		case <-r.wake:
		}
		stop()
		if ctx.Err() != nil {
			return nil
		}
	}
}

// signal sends on a channel with a capacity of one, and does not block.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// addLate adds an event of the store to its queue; mu is held, or the receiver not shared yet.
func (r *receiver) addLate(p place, m *meta) {
	r.mu.late++
	r.mu.lateBytes += int64(m.Size)
	r.mu.queues.add(&event{place: p, meta: m, late: true})
}

// fail records the last error; mu is held.
func (r *receiver) fail(err error) string {
	const most = 200
	text := fmt.Sprint(err)
	text = text[:min(len(text), most)]
	r.mu.lastError, r.mu.lastErrorAt = text, r.o.Clock.Now()
	return text
}
