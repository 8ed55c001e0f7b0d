package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// Moved reports whether an app has ended because another node leads now. The app may be built again, and is a follower
// then.
func Moved(err error) bool { return errors.Is(err, store.ErrMoved) }

// address returns the address at which clients reach this node, for the status of the cluster.
func (a *App) address() string {
	if a.addresses.Hosting != "" {
		return a.addresses.Hosting
	}
	return a.addresses.Firestore
}

// openAlone opens the store on PostgreSQL for a command that serves no requests. It returns FailedPrecondition while a
// node serves the store.
func (a *App) openAlone(ctx context.Context) (*postgres.Store, error) {
	store, err := a.openShared(ctx)
	if err != nil {
		return nil, err
	}
	if err := store.TryLead(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// progress returns a function that reports the progress of a new replica about once a second.
func (a *App) progress() func(done, about int64) {
	last := clock.System().Now()
	return func(done, about int64) {
		if now := clock.System().Now(); now.Sub(last) >= time.Second {
			last = now
			fmt.Fprintf(a.o.Notices, "Building the replica: %d%% (%d of about %d keys)\n", done*100/max(about, 1), done, about)
		}
	}
}

// versionClock returns the clock of versions: the store's clock if nodes share the store.
func (a *App) versionClock(store dataStore) clock.Clock {
	if shared, ok := store.(*postgres.Store); ok {
		return shared.Clock()
	}
	return a.o.Clock
}

// ClusterStatus returns the status of the nodes on the PostgreSQL at a URL, and the release in force.
func ClusterStatus(ctx context.Context, url string) (*postgres.Status, *release.Release, error) {
	st, err := postgres.ReadStatus(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	value, _, err := postgres.Peek(ctx, url, release.Key())
	if err != nil {
		return nil, nil, err
	}
	r, err := release.Decode(value)
	return st, r, err
}
