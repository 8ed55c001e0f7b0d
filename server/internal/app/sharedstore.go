package app

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/limit/heap"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// Moved reports whether an app has ended because another node leads now. The app may be built again, and is a follower
// then.
func Moved(err error) bool { return errors.Is(err, store.ErrMoved) }

// openShared opens the store on PostgreSQL with this node's replica. It does not lead yet.
func (a *App) openShared(ctx context.Context) (*postgres.Store, error) {
	path, err := a.makeFolder(datafolder.Replica)
	if err != nil {
		return nil, err
	}
	node, err := a.data().Node()
	if err != nil {
		return nil, err
	}
	inner := ""
	if a.nodes != nil {
		inner = a.nodes.inner
	}
	store, err := postgres.Open(ctx, postgres.Options{
		URL: a.config.Store, Inner: inner, Dir: path, Local: a.sizes(), Node: node, Address: a.address(), Clock: a.o.Clock, Log: a.o.Log,
		Derived: derive.IsEntry, Derive: derive.Entries, Progress: a.progress(),
		Waiting: func(leader string) {
			a.followed.Store(true)
			fmt.Fprintf(a.o.Notices, "Follower: %s leads\n", leader)
		},
	})
	if err != nil {
		return nil, err
	}
	a.addresses.Data = a.config.DataDir
	return store, nil
}

// address returns the address at which clients reach this node, for the status of the cluster.
func (a *App) address() string {
	if a.addresses.Hosting != "" {
		return a.addresses.Hosting
	}
	return a.addresses.Firestore
}

// openLeading opens the store on PostgreSQL and waits until this node leads. Meanwhile the ports forward to the leader.
func (a *App) openLeading(ctx context.Context, p ports) (store *postgres.Store, err error) {
	if a.nodes, err = a.join(ctx, p); err != nil {
		return nil, err
	}
	if a.config.Production() {
		a.nodes.early.Start("reload", func(ctx context.Context) error {
			return process.Hangups(ctx, func() { a.releaseOwn(ctx, a.config.Databases) })
		})
	}
	a.nodes.start(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		err := a.nodes.failed(ctx)
		stop() // a node whose ports have ended must not lead
		failed <- err
	}()
	replica, stopGoverning := a.governFollowing(ctx)
	store, err = a.openWithSpace(ctx)
	if err == nil {
		replica.Store(store)
		a.nodes.opened.Store(true)
		a.components.Add("store", store) // whose own work begins once it leads
		err = a.nodes.reads.Follow(ctx, store)
	}
	stopGoverning()
	stop()
	if ended := <-failed; ended != nil {
		err = ended
	}
	if err != nil && store != nil {
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		return nil, err
	}
	if a.followed.Load() {
		a.ledSince = clock.System().Now()
	}
	return store, nil
}

// governFollowing adjusts the garbage collector until stop is called. The app's own governor does so once the app runs,
// which is when this node leads. After a burst of work, the store that the caller puts into replica rests.
func (a *App) governFollowing(ctx context.Context) (replica *atomic.Pointer[postgres.Store], stop func()) {
	replica = new(atomic.Pointer[postgres.Store])
	if !a.o.GovernMemory {
		return replica, func() {}
	}
	governor := heap.NewGovernor(a.o.Clock, a.o.Memory.Limit, func(ctx context.Context) {
		if store := replica.Load(); store != nil {
			store.Rest(ctx)
		}
	})
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = governor.Run(ctx) // always nil
	}()
	return replica, func() {
		cancel()
		<-ended
	}
}

// spacePause is the interval at which a node with a full disk checks for free space.
const spacePause = time.Second

// openWithSpace is openShared, but waits while the disk is full. Meanwhile the ports forward.
func (a *App) openWithSpace(ctx context.Context) (*postgres.Store, error) {
	for logged := false; ; logged = true {
		st, err := a.openShared(ctx)
		if !errors.Is(err, store.ErrFull) {
			return st, err
		}
		if !logged {
			a.o.Log.Warn("the disk is full: this node forwards, and has no replica until there is space", "error", err)
		}
		if err := clock.Sleep(ctx, clock.System(), spacePause); err != nil {
			return nil, err
		}
	}
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
