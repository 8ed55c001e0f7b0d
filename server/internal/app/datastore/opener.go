// Package datastore opens the store of a configuration, and describes the stack on it.
package datastore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/limit/heap"
	"clave/server/internal/store"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// Store is a store that a server runs on.
type Store interface {
	store.Store
	// Err returns an error if the store has a problem.
	Err() error
	// Rest returns the memory that a burst of writes took. It returns when ctx ends.
	Rest(ctx context.Context)
	// Checkpoint creates in dir, which must not exist, a store with everything applied so far.
	Checkpoint(ctx context.Context, dir string) error
}

// Options are those of an Opener besides its configuration.
type Options struct {
	// Importing are the paths of this process's imports, which may complete an interrupted one.
	Importing []string
	// Memory limits the memory of the store and of the stack.
	Memory  heap.Plan
	Clock   clock.Clock
	Log     *slog.Logger
	Notices io.Writer
	// Closers receives what is to be done after the store is closed.
	Closers *process.Components
}

// Opener opens the store of a configuration.
type Opener struct {
	c *config.Config
	o Options
	// Folder is the data folder.
	Folder datafolder.Folder
	// Made are the databases that were made while a server ran.
	Made release.Live
	// Log collects what is written to the data folder of a server that ships its log; nil for others.
	Log *changelog.Log
}

// New returns an opener, which has opened nothing.
func New(c *config.Config, o Options) *Opener {
	d := &Opener{c: c, o: o}
	if !c.Memory {
		d.Folder.Dir = c.DataDir
	}
	if c.Ships() && c.Store == "" {
		d.Log = changelog.New(changelog.Options{Dir: c.DataDir, Clock: o.Clock, Logger: o.Log})
	}
	for _, p := range o.Importing {
		if absolute, err := filepath.Abs(p); err == nil && p != "" {
			d.Folder.Importing = append(d.Folder.Importing, absolute)
		}
	}
	return d
}

// Make creates the data folder with a folder in it. If it turns out to be unused, what was created is removed at the
// end.
func (d *Opener) Make(name string) (path string, err error) {
	d.o.Closers.OnClose(d.Folder.Remove)
	return d.Folder.Make(name)
}

// Open opens the data folder, which it creates, or memory.
func (d *Opener) Open() (Store, error) {
	if d.c.Memory {
		return pebble.OpenMemoryWith(d.Sizes())
	}
	path, err := d.Make(datafolder.Store)
	if err != nil {
		return nil, err
	}
	sizes := d.Sizes()
	if d.Log != nil {
		sizes.Recorder = d.Log
	}
	store, err := pebble.Open(path, sizes)
	if err != nil {
		return nil, d.Folder.OpenError(err)
	}
	return store, nil
}

// Sizes returns the options of a store on this machine.
func (d *Opener) Sizes() pebble.Options {
	return pebble.Options{
		CacheBytes: d.o.Memory.Cache, MemTableBytes: uint64(d.o.Memory.Table), Scanned: derive.IsEntry, Region: keys.Region, Log: d.o.Log,
	}
}

// Existing opens an existing data folder, or the store on PostgreSQL if no node serves it.
func (d *Opener) Existing(ctx context.Context) (Store, error) {
	if d.c.Store != "" {
		return d.alone(ctx)
	}
	if err := d.Folder.CheckExists(); err != nil {
		return nil, err
	}
	return d.Open()
}

// ForCommand opens the store for a command. It creates the data folder if create is set. The store is closed with the
// closers.
func (d *Opener) ForCommand(ctx context.Context, create bool) (store Store, err error) {
	if create && d.c.Store == "" {
		store, err = d.Open()
	} else {
		store, err = d.Existing(ctx)
	}
	if err != nil {
		return nil, err
	}
	d.o.Closers.OnClose(store.Close)
	return store, nil
}

// At is where a node is reached: Inner by other nodes, and Address by clients. Waiting is called with the name of the
// node that leads; nil for commands.
type At struct {
	Inner, Address string
	Waiting        func(leader string)
}

// Shared opens the store on PostgreSQL with this node's replica. It does not lead yet.
func (d *Opener) Shared(ctx context.Context, at At) (*postgres.Store, error) {
	path, err := d.Make(datafolder.Replica)
	if err != nil {
		return nil, err
	}
	name, err := d.Folder.Node()
	if err != nil {
		return nil, err
	}
	return postgres.Open(ctx, postgres.Options{
		URL: d.c.Store, Inner: at.Inner, Dir: path, Local: d.Sizes(), Node: name, Address: at.Address, Clock: d.o.Clock, Log: d.o.Log,
		Derived: derive.IsEntry, Derive: derive.Entries, Progress: d.Progress(), Waiting: at.Waiting,
	})
}

// alone opens the store on PostgreSQL for a command that serves no requests. It returns FailedPrecondition while a node
// serves the store.
func (d *Opener) alone(ctx context.Context) (*postgres.Store, error) {
	store, err := d.Shared(ctx, At{Waiting: func(leader string) { fmt.Fprintf(d.o.Notices, "Follower: %s leads\n", leader) }})
	if err != nil {
		return nil, err
	}
	if err := store.TryLead(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// Progress returns a function that reports the progress of a new replica about once a second.
func (d *Opener) Progress() func(done, about int64) {
	last := clock.System().Now()
	return func(done, about int64) {
		if now := clock.System().Now(); now.Sub(last) >= time.Second {
			last = now
			fmt.Fprintf(d.o.Notices, "Building the replica: %d%% (%d of about %d keys)\n", done*100/max(about, 1), done, about)
		}
	}
}
