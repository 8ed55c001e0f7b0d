package events

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/suite/triggers"
)

// Source supplies the commits of databases from a log.
type Source interface {
	// Latest returns the present version of a database.
	Latest(db resource.Database) clock.Version
	// Oldest returns a version after which the log has all commits.
	Oldest(db resource.Database) clock.Version
	// Follow returns a subscription to the commits after a version. They remain in the log, within limits, until they are
	// done.
	Follow(db resource.Database, after clock.Version) Subscription
}

// Subscription returns the commits of one database in order. Next returns ErrLost if the log no longer has them.
type Subscription interface {
	triggers.Subscription
	// Done is called when the commits up to a version are not needed any more. It may be called concurrently with Next.
	Done(v clock.Version)
}

// Options configure a service.
type Options struct {
	// Specs are the triggers.
	Specs []*Spec
	// Source supplies commits.
	Source Source
	// Store stores cursors, waiting events and dead letters.
	Store store.Store
	// Mint makes tokens for triggers that require them.
	Mint MintToken
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives dead letters and losses; nil discards them.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Source == nil || o.Store == nil {
		return errors.New("events: no source of commits, or no store")
	}
	if o.Mint == nil && slices.ContainsFunc(o.Specs, func(s *Spec) bool { return s.audience != "" }) {
		return errors.New("events: no source of tokens")
	}
	return nil
}

// Service delivers the events of an events file. Its methods are safe for concurrent use.
type Service struct {
	o         Options
	receivers []*receiver
}

// New returns a service, which delivers while Run runs. A new trigger begins with the commits from now on.
func New(ctx context.Context, o Options) (*Service, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Service{o: o}
	for _, spec := range o.Specs {
		r, err := openReceiver(ctx, &s.o, spec)
		if err != nil {
			return nil, err
		}
		s.receivers = append(s.receivers, r)
	}
	known, err := cursors(ctx, o.Store)
	if err != nil {
		return nil, err
	}
	for name := range known {
		if !slices.ContainsFunc(o.Specs, func(s *Spec) bool { return s.Name == name }) {
			o.Log.Warn("a trigger is no longer in the events file; its pending events are kept until it returns", "trigger", name)
		}
	}
	return s, nil
}

// Run delivers events until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, r := range s.receivers {
		all.Go(func() { r.run(ctx) })
	}
	all.Wait()
	return nil
}

// Status returns the state of all triggers, including those that exist only in the store.
func (s *Service) Status(ctx context.Context) ([]Status, error) {
	all, err := Stored(ctx, s.o.Store)
	if err != nil {
		return nil, err
	}
	for _, r := range s.receivers {
		for i := range all {
			if all[i].Name == r.spec.Name {
				r.describe(&all[i])
			}
		}
	}
	return all, nil
}

// describe adds the state of a running receiver.
func (r *receiver) describe(s *Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Target = shown(r.spec.target)
	s.Version, s.Delivered, s.Pending = r.mu.progress.upto, r.mu.cursor.Delivered, r.mu.fresh
	s.Lost, s.LostFrom, s.LostTo = r.mu.cursor.Lost, r.mu.cursor.LostFrom, r.mu.cursor.LostTo
	if r.mu.lastError != "" {
		s.Error, s.ErrorAt = r.mu.lastError, r.mu.lastErrorAt
	}
}

// Retry makes the dead letters of a trigger due again, and the events that wait for a retry; an empty name means all
// triggers. It returns the number of events.
func (s *Service) Retry(ctx context.Context, name string) (int, error) {
	n, found := 0, name == ""
	for _, r := range s.receivers {
		if name != "" && name != r.spec.Name {
			continue
		}
		found = true
		m, err := r.retry(ctx)
		if err != nil {
			return n, err
		}
		n += m
	}
	if !found {
		return 0, noTrigger(name)
	}
	return n, nil
}

// noTrigger is the error of an unknown name.
func noTrigger(name string) error {
	return fault.E(fault.NotFound, "there is no trigger %q; clave events status lists them", name)
}
