package app

import (
	"context"
	"errors"
	"os"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/events"
	"clave/server/internal/httpx/controlsocket"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/triggers"
)

// logSource supplies events with the commits in the engine's log.
type logSource struct{ engine *engine.Engine }

// Latest returns the latest version of a database.
func (s logSource) Latest(db resource.Database) clock.Version { return s.engine.Latest(db) }

// Oldest returns a version after which the log has all commits.
func (s logSource) Oldest(db resource.Database) clock.Version { return s.engine.Oldest(db) }

// Follow subscribes to the commits after a version.
func (s logSource) Follow(db resource.Database, after clock.Version) events.Subscription {
	return logSubscription{eventSubscription{s.engine.Follow(db, after)}}
}

// logSubscription adapts the engine's subscription to package events.
type logSubscription struct{ eventSubscription }

// Next waits for commits.
func (s logSubscription) Next(ctx context.Context) ([]triggers.Commit, error) {
	commits, err := s.eventSubscription.Next(ctx)
	if errors.Is(err, engine.ErrLagged) {
		return nil, events.ErrLost
	}
	return commits, err
}

// deliverEvents creates the delivery of events to services, and the socket for its commands.
func (a *App) deliverEvents(ctx context.Context, s *state) error {
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
			return s.tokens.MintDelivery(a.config.Project, audience)
		},
	})
	if err != nil {
		return err
	}
	a.add("events", service)
	// Without a data folder the commands can't find the socket.
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

// EventsStatus returns the state of the delivery of events. If a server runs on the data folder, the server returns it.
func EventsStatus(ctx context.Context, c *config.Config, o Options) (all []events.Status, err error) {
	if all, err = events.RequestStatus(ctx, c.DataDir); !errors.Is(err, controlsocket.ErrNoServer) {
		return all, err
	}
	store, err := openEvents(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return events.Stored(ctx, store)
}

// EventsRetry makes the dead letters of a trigger due again, or those of all triggers if the name is empty. If a server
// runs on the data folder, the server does it. EventsRetry returns the number of events.
func EventsRetry(ctx context.Context, c *config.Config, o Options, trigger string) (n int, err error) {
	if n, err = events.RequestRetry(ctx, c.DataDir, trigger); !errors.Is(err, controlsocket.ErrNoServer) {
		return n, err
	}
	store, err := openEvents(ctx, c, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return events.RetryStored(ctx, store, trigger)
}

// openEvents opens the store of a stopped server for the commands of events. A running server without --events has no
// socket for them, and its store can't be opened.
func openEvents(ctx context.Context, c *config.Config, o Options) (dataStore, error) {
	if controlsocket.Running(ctx, c.DataDir, keyservice.Socket) == nil {
		return nil, fault.E(fault.FailedPrecondition,
			"%s: the server on this data folder was started without --events, so it delivers none. Stop it to show or retry stored events.", c.DataDir)
	}
	o.EnsureDefaults()
	return (&App{config: c, o: o}).openExisting(ctx)
}
