package node

import (
	"context"
	"errors"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
)

// Await starts the parts of this node and waits until it leads. Meanwhile its ports forward to the leader and, once
// open has opened the store with this node's replica, serve reads. opened is called with that store.
func (n *Node) Await(ctx context.Context, open func(context.Context) (*postgres.Store, error), opened func(*postgres.Store)) (store *postgres.Store, err error) {
	n.start(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		err := n.failed(ctx)
		stop() // a node whose ports have ended must not lead
		failed <- err
	}()
	stopGoverning := n.govern(ctx)
	store, err = n.openWithSpace(ctx, open)
	if err == nil {
		n.replica.Store(store)
		n.opened.Store(true)
		opened(store)
		err = n.Reads.Follow(ctx, store)
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
	return store, nil
}

// govern adjusts the garbage collector until stop is called. The server's own governor does so once this node leads.
// After a burst of work, the replica rests.
func (n *Node) govern(ctx context.Context) (stop func()) {
	if n.o.Govern == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.o.Govern(ctx, func(ctx context.Context) {
			if store := n.replica.Load(); store != nil {
				store.Rest(ctx)
			}
		})
	}()
	return func() {
		cancel()
		<-ended
	}
}

// spacePause is the interval at which a node with a full disk checks for free space.
const spacePause = time.Second

// openWithSpace opens the store, but waits while the disk is full. Meanwhile the ports forward.
func (n *Node) openWithSpace(ctx context.Context, open func(context.Context) (*postgres.Store, error)) (*postgres.Store, error) {
	for logged := false; ; logged = true {
		st, err := open(ctx)
		if !errors.Is(err, store.ErrFull) {
			return st, err
		}
		if !logged {
			n.o.Log.Warn("the disk is full: this node forwards, and has no replica until there is space", "error", err)
		}
		if err := clock.Sleep(ctx, clock.System(), spacePause); err != nil {
			return nil, err
		}
	}
}
