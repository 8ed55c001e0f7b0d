package triggers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock"
)

// queueKey identifies events that are delivered in order: those of one document for one trigger.
type queueKey struct {
	trigger  identityKey
	document string
}

// eventQueue is a queue of events that are delivered one after the other. It exists while it has events.
type eventQueue struct {
	queue []event
}

// event is a change to deliver to a trigger.
type event struct {
	trigger *Trigger
	at      clock.Version
	change  *Change
	// account is set instead of the other fields for an event of an account.
	account *service.LifecycleEvent
	made    time.Time
}

// enqueue queues the events of a change. It blocks while too many events wait, until ctx ends. Deliveries run in
// goroutines of deliveries.
func (d *Dispatcher) enqueue(ctx context.Context, deliveries *sync.WaitGroup, at clock.Version, c *Change) {
	for _, t := range d.matching(c.Name.DB, c) {
		select {
		case d.waiting <- struct{}{}:
		case <-ctx.Done():
			return
		}
		key := queueKey{identityKey{t.database.Project, t.generation, t.key}, c.Name.String()}
		d.mu.Lock()
		d.mu.enqueued++
		d.mu.unfinished++
		l := d.mu.queues[key]
		begin := l == nil
		if begin {
			l = &eventQueue{}
			d.mu.queues[key] = l
		}
		l.queue = append(l.queue, event{trigger: t, at: at, change: c})
		d.mu.Unlock()
		if begin {
			deliveries.Go(func() { d.deliverQueue(ctx, key, l) })
		}
	}
}

// deliverQueue delivers the events of a queue until there are none.
func (d *Dispatcher) deliverQueue(ctx context.Context, key queueKey, l *eventQueue) {
	for {
		d.mu.Lock()
		if len(l.queue) == 0 {
			delete(d.mu.queues, key)
			d.mu.Unlock()
			return
		}
		e := l.queue[0]
		l.queue = l.queue[1:]
		d.mu.Unlock()
		select {
		case d.slots <- struct{}{}:
			if err := d.deliver(ctx, e); err != nil && ctx.Err() == nil {
				d.o.Log.Warn("an event was not delivered", "trigger", key.trigger.key, "of", key.document, "error", err)
			}
			<-d.slots
		case <-ctx.Done():
		}
		d.finish()
	}
}

// finish counts an event that has ended.
func (d *Dispatcher) finish() {
	<-d.waiting
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.unfinished--
	if d.mu.unfinished == 0 && d.mu.idle != nil {
		close(d.mu.idle)
		d.mu.idle = nil
	}
}

// maxAnswer is the maximum number of bytes of a response that are read, so that the connection can be reused.
const maxAnswer = 64 << 10

// deliver posts an event and waits for the response, which the functions emulator sends when the function has ended.
func (d *Dispatcher) deliver(ctx context.Context, e event) error {
	if e.account != nil {
		return d.deliverAccount(ctx, e)
	}
	m, err := encode(e.trigger, e.at, e.change)
	if err != nil {
		return err
	}
	to := url.URL{Scheme: "http", Host: d.o.Functions}
	to = *to.JoinPath("functions", "projects", e.trigger.database.Project, "triggers", url.PathEscape(e.trigger.key))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(m.body))
	if err != nil {
		return fmt.Errorf("request for trigger %s: %w", e.trigger.key, err)
	}
	request.Header = m.header
	return d.post(request)
}

// post sends a request and waits for the response.
func (d *Dispatcher) post(request *http.Request) error {
	response, err := d.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // see maxAnswer
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the functions emulator responded with %s", response.Status)
	}
	return nil
}

// Settle waits until every commit of a project, or of all when project is empty, that was acknowledged before the call,
// and every commit that a function made while it handled an event, has been delivered. It returns ctx's error if ctx
// ends first.
func (d *Dispatcher) Settle(ctx context.Context, project string) error {
	for {
		before := d.enqueuedSoFar()
		if err := d.barriers(ctx, project); err != nil {
			return err
		}
		if err := d.drained(ctx); err != nil {
			return err
		}
		// A function may have written while it handled an event.
		if err := d.barriers(ctx, project); err != nil {
			return err
		}
		if d.enqueuedSoFar() == before {
			return nil
		}
	}
}

// enqueuedSoFar returns the number of events so far.
func (d *Dispatcher) enqueuedSoFar() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.enqueued
}

// barriers waits until the acknowledged commits of a project have become events.
func (d *Dispatcher) barriers(ctx context.Context, project string) error {
	d.mu.Lock()
	var all []*subscription
	for db, f := range d.mu.subscriptions {
		if project == "" || db.Project == project {
			all = append(all, f)
		}
	}
	d.mu.Unlock()
	for _, f := range all {
		if err := f.barrier(ctx); err != nil {
			return err
		}
	}
	return nil
}

// drained waits until all events have ended.
func (d *Dispatcher) drained(ctx context.Context) error {
	d.mu.Lock()
	if d.mu.unfinished == 0 {
		d.mu.Unlock()
		return nil
	}
	if d.mu.idle == nil {
		d.mu.idle = make(chan struct{})
	}
	idle := d.mu.idle
	d.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
