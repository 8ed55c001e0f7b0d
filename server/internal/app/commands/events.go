package commands

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/events"
	"clave/server/internal/httpx/controlsocket"
)

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

// EventsRetry lets the dead letters of a trigger be delivered again, or those of all triggers if the name is empty. If
// a server runs on the data folder, the server does it. EventsRetry returns the number of events.
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
func openEvents(ctx context.Context, c *config.Config, o Options) (datastore.Store, error) {
	if controlsocket.Running(ctx, c.DataDir, keyservice.Socket) == nil {
		return nil, fault.E(fault.FailedPrecondition,
			"%s: the server on this data folder was started without --events, so it delivers none. Stop it to show or retry stored events.", c.DataDir)
	}
	o.EnsureDefaults()
	return o.opener(c, new(process.Components)).Existing(ctx)
}
