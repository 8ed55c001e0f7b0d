package app

import (
	"context"
	"errors"
	"os"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/base/fault"
	"clave/server/internal/events"
	"clave/server/internal/httpx/controlsocket"
)

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
		Specs: specs, Source: events.EngineSource{Engine: s.Engine}, Store: s.store, Clock: a.o.Clock, Log: a.o.Log,
		Mint: func(audience string) (string, time.Time, error) {
			return s.Tokens.MintDelivery(a.config.Project, audience)
		},
	})
	if err != nil {
		return err
	}
	a.components.Add("events", service)
	// Without a data folder the commands can't find the socket.
	if a.config.Memory {
		return nil
	}
	listener, err := service.Listen(a.config.DataDir)
	if err != nil {
		a.o.Log.Warn("clave events works only while the server is stopped", "error", err)
		return nil
	}
	a.components.OnClose(listener.Close)
	a.components.Add("event commands", listener)
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
