package app

import (
	"context"
	"errors"
	"os"
	"time"

	"clave/server/clock"
	"clave/server/config"
	"clave/server/datasocket"
	"clave/server/engine"
	"clave/server/events"
	"clave/server/resource"
	"clave/server/triggers"
)

// logSource supplies events with the commits in the engine's log.
type logSource struct{ engine *engine.Engine }

// Latest returns the present version of a database.
func (s logSource) Latest(db resource.Database) clock.Version { return s.engine.Latest(db) }

// Oldest returns a version after which the log has all commits.
func (s logSource) Oldest(db resource.Database) clock.Version { return s.engine.Oldest(db) }

// Follow subscribes to the commits after a version.
func (s logSource) Follow(db resource.Database, after clock.Version) events.Subscription {
	return logSubscription{eventSubscription{s.engine.Follow(db, after)}}
}

// logSubscription is the engine's subscription in the words of events.
type logSubscription struct{ eventSubscription }

// Next waits for commits.
func (s logSubscription) Next(ctx context.Context) ([]triggers.Commit, error) {
	commits, err := s.eventSubscription.Next(ctx)
	if errors.Is(err, engine.ErrLagged) {
		return nil, events.ErrLost
	}
	return commits, err
}

// deliverEvents makes what delivers events to services, and the socket for the commands about it.
func (a *App) deliverEvents(ctx context.Context, s *state, u *users) error {
	if a.config.Events == "" {
		return nil
	}
	specs, err := events.ReadFile(a.config.Events, a.config.Project, os.Getenv)
	if err != nil {
		return err
	}
	service, err := events.New(ctx, events.Options{
		Specs: specs, Source: logSource{s.engine}, Store: s.store, Clock: a.o.Clock, Log: a.o.Log,
		Mint: func(audience string) (string, time.Time, error) {
			return u.tokens.MintDelivery(a.config.Project, audience)
		},
	})
	if err != nil {
		return err
	}
	a.add("events", service)
	// Without a data folder the commands have no place to find the socket in.
	if a.config.Memory {
		return nil
	}
	listener, err := service.Listen(a.config.DataDir)
	if err != nil {
		a.o.Log.Warn("clave events works only while the server is stopped", "error", err)
		return nil
	}
	a.onClose(listener.Close)
	a.add("event commands", listener)
	return nil
}

// EventsStatus returns the state of the delivery of events, from the server that runs on the data folder, if one does.
func EventsStatus(ctx context.Context, c *config.Config, o Options) (all []events.Status, err error) {
	if all, err = events.RequestStatus(ctx, c.DataDir); !errors.Is(err, datasocket.ErrNoServer) {
		return all, err
	}
	o.EnsureDefaults()
	store, err := (&App{config: c, o: o}).openExisting(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return events.Stored(ctx, store)
}

// EventsRetry makes the dead letters of a trigger, or of all when the name is empty, due again, by the server that runs on the data
// folder, if one does. It returns how many events are due.
func EventsRetry(ctx context.Context, c *config.Config, o Options, trigger string) (n int, err error) {
	if n, err = events.RequestRetry(ctx, c.DataDir, trigger); !errors.Is(err, datasocket.ErrNoServer) {
		return n, err
	}
	o.EnsureDefaults()
	store, err := (&App{config: c, o: o}).openExisting(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return events.Revive(ctx, store, trigger)
}
