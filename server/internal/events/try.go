package events

import (
	"context"
	"errors"
	"time"

	"clave/server/internal/store"
	"clave/server/internal/suite/triggers"
)

// try delivers the event of a queue that is in delivery, and records the result.
func (r *receiver) try(ctx context.Context, q *docQueue) {
	r.mu.Lock()
	e := q.sending
	r.mu.Unlock()
	err := r.attempt(ctx, e)
	if err == nil {
		err = r.delivered(context.WithoutCancel(ctx), q, e)
	} else {
		err = r.failed(ctx, q, e, err)
	}
	if err != nil {
		// The result of the attempt is not in the store: the attempt is repeated.
		if ctx.Err() == nil {
			r.log.Error("the result of a delivery was not stored", "event", e.meta.Header.Get("Ce-Id"), "error", err)
		}
		r.mu.Lock()
		e.meta.Due = r.o.Clock.Now().Add(pause(max(e.meta.Attempts, 1)))
		r.mu.Unlock()
	}
	r.finish(q)
}

// finish makes a queue free for its next delivery.
func (r *receiver) finish(q *docQueue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.sending = nil
	r.mu.queues.schedule(q)
	signal(r.wake)
	signal(r.room)
}

// errNoBody is the error of a record without its body, which can't be delivered.
var errNoBody = errors.New("the event's body is missing")

// attempt posts an event. It reads the body from the store if the event is stored.
func (r *receiver) attempt(ctx context.Context, e *event) error {
	m := e.message
	if m == nil {
		body, found, err := r.o.Store.Get(e.key(bodyPrefix, r.spec.Name))
		if err != nil {
			return err
		}
		if !found {
			return errNoBody
		}
		m = &triggers.Message{Header: e.meta.Header, Body: body}
	}
	return r.sender.send(ctx, m)
}

// delivered removes an event that was accepted.
func (r *receiver) delivered(ctx context.Context, q *docQueue, e *event) error {
	if e.late {
		b := store.Batch{Deletes: true}
		remove(&b, r.spec.Name, e.place)
		if err := r.o.Store.Apply(ctx, &b); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	q.events = q.events[1:]
	r.mu.cursor.Delivered++
	r.leave(e)
	return nil
}

// leave updates the counts for an event that is no longer in memory or no longer in a queue; mu is held.
func (r *receiver) leave(e *event) {
	if e.late {
		r.mu.late--
		r.mu.lateBytes -= int64(e.meta.Size)
		return
	}
	r.mu.fresh--
	r.mu.freshBytes -= int64(e.meta.Size)
	r.mu.progress.end(e.mark)
}

// failed stores an event that was not accepted and the later events of its queue, or makes the event a dead letter.
func (r *receiver) failed(ctx context.Context, q *docQueue, e *event, cause error) error {
	if ctx.Err() != nil {
		return cause // the server stops; the log or the store still has the event
	}
	now := r.o.Clock.Now()
	r.mu.Lock()
	e.meta.Error = r.fail(cause)
	e.meta.Attempts++
	wait := pause(e.meta.Attempts)
	var refused *refusal
	if errors.As(cause, &refused) {
		wait = max(wait, refused.after)
	}
	e.meta.Due = now.Add(wait)
	dead := e.meta.Attempts >= r.spec.attempts || now.Sub(e.version.Time()) > r.spec.age || errors.Is(cause, errNoBody)
	r.mu.Unlock()
	if dead {
		return r.makeDeadLetter(ctx, q, e, now)
	}
	return r.park(ctx, q, e)
}

// park stores all events of a queue, including those that are added meanwhile. If one remained in memory while a later
// one is stored, a restart would treat it as delivered and omit it.
func (r *receiver) park(ctx context.Context, q *docQueue, first *event) error {
	written := make(map[*event]bool)
	for {
		r.mu.Lock()
		var more []*event
		for _, e := range q.events {
			if !written[e] && (e == first || !e.late) {
				more = append(more, e)
			}
		}
		if len(more) == 0 {
			r.turnLate(written)
			r.mu.Unlock()
			return nil
		}
		r.mu.Unlock()
		if err := r.store(ctx, more...); err != nil {
			return err
		}
		for _, e := range more {
			written[e] = true
		}
	}
}

// turnLate removes from memory events that are now in the store; mu is held.
func (r *receiver) turnLate(written map[*event]bool) {
	for e := range written {
		if e.late {
			continue
		}
		r.leave(e)
		e.late, e.message, e.mark = true, nil, nil
		r.mu.late++
		r.mu.lateBytes += int64(e.meta.Size)
	}
}

// makeDeadLetter makes an event a dead letter. If there are too many, it drops the oldest dead letters.
func (r *receiver) makeDeadLetter(ctx context.Context, q *docQueue, e *event, now time.Time) error {
	r.deadMu.Lock()
	defer r.deadMu.Unlock()
	letter := *e.meta
	letter.Dead, letter.Due = true, now
	var b store.Batch
	if err := letter.set(&b, r.spec.Name, e.place); err != nil {
		return err
	}
	if e.message != nil {
		b.Set(e.key(bodyPrefix, r.spec.Name), e.message.Body)
	}
	r.mu.Lock()
	// The dead letters to drop are chosen under mu, and removed from r.mu.dead after the write. deadMu prevents other
	// changes of the list in between.
	dropped, bytes := 0, r.mu.deadBytes
	for dropped < len(r.mu.dead) && (len(r.mu.dead)-dropped >= maxDead || bytes+int64(letter.Size) > maxDeadBytes) {
		remove(&b, r.spec.Name, r.mu.dead[dropped].place)
		bytes -= int64(r.mu.dead[dropped].size)
		dropped++
	}
	r.mu.Unlock()
	if err := r.o.Store.Apply(ctx, &b); err != nil {
		return err
	}
	r.log.Error("an event became a dead letter; clave events retry delivers it again", "event", letter.Header.Get("Ce-Id"), "attempts", letter.Attempts, "error", letter.Error)
	r.mu.Lock()
	defer r.mu.Unlock()
	if dropped > 0 {
		r.log.Error("dead letters were dropped, because there are too many", "dropped", dropped)
	}
	r.mu.cursor.Lost += uint64(dropped)
	r.mu.dead = append(r.mu.dead[dropped:], deadLetter{e.place, letter.Size})
	r.mu.deadBytes = bytes + int64(letter.Size)
	q.events = q.events[1:]
	r.leave(e)
	return nil
}

// retry makes the dead letters due again, and the events that wait for a retry. It returns their number.
func (r *receiver) retry(ctx context.Context) (int, error) {
	r.deadMu.Lock()
	defer r.deadMu.Unlock()
	var b store.Batch
	places, metas, err := retryStored(ctx, r.o.Store, &b, r.spec.Name)
	if err != nil {
		return 0, err
	}
	if len(places) > 0 {
		if err := r.o.Store.Apply(ctx, &b); err != nil {
			return 0, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.dead, r.mu.deadBytes = nil, 0
	n := r.mu.late + len(places)
	for i, p := range places {
		r.addLate(p, metas[i])
	}
	for _, q := range r.mu.queues.byPath {
		if q.sending == nil && q.events[0].late {
			q.events[0].meta.Due = time.Time{}
			r.mu.queues.schedule(q)
		}
	}
	signal(r.wake)
	return n, nil
}
