package triggers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

// ErrClosed is returned by Subscription.Next once there will be no more commits.
var ErrClosed = errors.New("triggers: the source is closed")

// Source supplies the commits of databases.
type Source interface {
	// Follow returns a subscription to the commits of a database from now on.
	Follow(db resource.Database) Subscription
}

// Subscription returns the commits of one database in their order.
type Subscription interface {
	// Next waits for commits and returns all that there are. If ctx is done and there are none, it returns ctx's error;
	// then every commit that was acknowledged before has been returned. It returns ErrClosed at the end, and another
	// error if commits are lost. It must be used by one goroutine only.
	Next(ctx context.Context) ([]Commit, error)
	// Close ends the subscription.
	Close()
}

// Commit is one commit of a database.
type Commit struct {
	Version clock.Version
	Changes []Change
}

// Options configure a dispatcher.
type Options struct {
	// Functions is the host:port of the functions emulator; if it is empty, triggers are kept and nothing is delivered.
	Functions string
	// Source supplies commits.
	Source Source
	// Clock returns the time of events of accounts; nil means the machine's clock.
	Clock clock.Clock
	// Timeout is the time limit of one delivery; zero means DefaultTimeout.
	Timeout time.Duration
	// Log receives failed deliveries; nil discards them.
	Log *slog.Logger
}

// DefaultTimeout is the maximum time of a background function.
const DefaultTimeout = 9 * time.Minute

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Source == nil {
		return errors.New("triggers: no source of commits")
	}
	return nil
}

// The limits of a dispatcher.
const (
	// maxTriggers is the number of triggers that can be registered.
	maxTriggers = 10_000
	// maxParallel is the number of deliveries that run at once.
	maxParallel = 256
	// maxWaiting is the number of events that wait. Beyond it commits remain in the source's log.
	maxWaiting = 10_000
)

// Dispatcher keeps triggers and delivers events to them. Its methods are safe for concurrent use.
type Dispatcher struct {
	o      Options
	client *http.Client
	// wake signals Run to start a subscription or the delivery of an account's event. It has a capacity of one and is
	// never closed.
	wake chan struct{}
	// slots limits the deliveries that run at once, and waiting the events that wait for a slot.
	slots, waiting chan struct{}
	mu             struct {
		sync.Mutex
		triggers      map[identityKey]*Trigger
		subscriptions map[resource.Database]*subscription
		fresh         []*subscription
		// made are events of accounts that Run has not received yet.
		made []event
		// queues are the deliveries that have begun, by trigger and document.
		queues map[queueKey]*eventQueue
		// enqueued counts events; unfinished is the number of those that have not ended.
		enqueued   uint64
		unfinished int
		// disabled drops the events of commits.
		disabled bool
		// idle is closed when unfinished becomes 0; nil without waiters.
		idle chan struct{}
	}
}

// identityKey identifies a trigger.
type identityKey struct {
	project    string
	generation Generation
	key        string
}

// New returns a dispatcher, which delivers while Run runs.
func New(o Options) (*Dispatcher, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d := &Dispatcher{
		o: o, client: &http.Client{Timeout: o.Timeout, Transport: &http.Transport{MaxIdleConnsPerHost: maxParallel}},
		wake: make(chan struct{}, 1), slots: make(chan struct{}, maxParallel), waiting: make(chan struct{}, maxWaiting),
	}
	d.mu.triggers = make(map[identityKey]*Trigger)
	d.mu.subscriptions = make(map[resource.Database]*subscription)
	d.mu.queues = make(map[queueKey]*eventQueue)
	return d, nil
}

// Register adds a trigger, or replaces the one of the same generation and key. It receives the commits after the call.
func (d *Dispatcher) Register(t *Trigger) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := identityKey{t.database.Project, t.generation, t.key}
	if _, ok := d.mu.triggers[id]; !ok && len(d.mu.triggers) >= maxTriggers {
		return fault.E(fault.ResourceExhausted, "There are %d triggers already.", maxTriggers)
	}
	d.mu.triggers[id] = t
	if d.o.Functions == "" || d.mu.subscriptions[t.database] != nil {
		return nil
	}
	f := &subscription{dispatcher: d, database: t.database, source: d.o.Source.Follow(t.database)}
	d.mu.subscriptions[t.database] = f
	d.mu.fresh = append(d.mu.fresh, f)
	select {
	case d.wake <- struct{}{}:
	default:
	}
	return nil
}

// Remove removes the triggers of a project with a key; both generations, since the routes of tools name only the key.
// It reports whether there was one.
func (d *Dispatcher) Remove(project, key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := false
	for _, generation := range []Generation{First, Second} {
		id := identityKey{project, generation, key}
		if _, ok := d.mu.triggers[id]; ok {
			delete(d.mu.triggers, id)
			found = true
		}
	}
	return found
}

// Clear removes all triggers of a project.
func (d *Dispatcher) Clear(project string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.mu.triggers {
		if id.project == project {
			delete(d.mu.triggers, id)
		}
	}
}

// ended removes a subscription whose source is closed, so that a later trigger makes a new one.
func (d *Dispatcher) ended(f *subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.subscriptions[f.database] == f {
		delete(d.mu.subscriptions, f.database)
	}
}

// SetEnabled switches the delivery of the commits after the call on or off. Commits that were acknowledged before are
// not affected.
func (d *Dispatcher) SetEnabled(ctx context.Context, enabled bool) error {
	if err := d.barriers(ctx, ""); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.disabled = !enabled
	return nil
}

// matching returns the triggers of a change.
func (d *Dispatcher) matching(db resource.Database, c *Change) []*Trigger {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.disabled {
		return nil
	}
	var out []*Trigger
	for _, t := range d.mu.triggers {
		if t.database == db && t.matches(c) {
			out = append(out, t)
		}
	}
	return out
}

// Run follows the databases that have triggers and delivers events until ctx ends. Then it cancels the deliveries in
// progress.
func (d *Dispatcher) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var subscriptions sync.WaitGroup
	defer d.client.CloseIdleConnections()
	defer subscriptions.Wait()
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.wake:
			d.mu.Lock()
			fresh, made := d.mu.fresh, d.mu.made
			d.mu.fresh, d.mu.made = nil, nil
			d.mu.Unlock()
			for _, f := range fresh {
				subscriptions.Go(func() { f.run(ctx) })
			}
			d.deliverAccounts(ctx, &subscriptions, made)
		}
	}
}
