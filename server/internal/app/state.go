package app

import (
	"context"
	"errors"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/datastore"
	"clave/server/internal/app/recovery"
	"clave/server/internal/app/status"
	"clave/server/internal/auth/service"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/index"
	"clave/server/internal/events"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/release"
)

// state is a store that this server writes, and the stack on it.
type state struct {
	*stack.Stack
	store datastore.Store
	// release is the release in force at the start; nil if the files of firebase.json count.
	release *release.Release
	// backups makes backups; nil without --backup-to.
	backups *backups.Service
	// deliveries delivers events to services; nil without --events.
	deliveries *events.Service
	// testMail sends an e-mail without a code; nil without a mail server.
	testMail func(ctx context.Context, to, locale string) error
}

// health returns an error for a failed or full disk, or damaged data files.
func (s *state) health() error { return errors.Join(s.Engine.Err(), s.store.Err()) }

// stackOptions returns what the stacks of this server have in common.
func (a *App) stackOptions() stack.Options {
	o := a.data.Stack()
	o.ProxyHops, o.Meter, o.Usage, o.Faults, o.Turns = a.proxyHops(), a.counts, a.usage, a.faults, a.turns
	o.Calls, o.Streams, o.Budget, o.Parsing = a.calls, a.streams, a.budget, a.parsing
	return o
}

// openState opens the store and the stack on it.
func (a *App) openState(ctx context.Context, p listeners, rulesets *authz.Rulesets) (*state, error) {
	if a.data.Log != nil {
		a.components.OnClose(a.data.Log.Close) // after the store
	}
	store, err := a.openServed(ctx, p)
	if err != nil {
		return nil, err
	}
	a.components.OnClose(store.Close)
	a.afterBurst = append(a.afterBurst, store.Rest)
	if !a.config.Memory {
		socket, err := backup.Listen(store, a.config.DataDir)
		a.serve("backups", "clave backup works only while the server is stopped", socket, err)
	}
	changes, err := a.data.Changes(ctx, store)
	if err != nil {
		return nil, err
	}
	scheduled, err := backups.New(ctx, a.config, store, backups.Options{Sizes: a.data.Sizes(), Changes: changes, Clock: a.o.Clock, Log: a.o.Log})
	if err != nil {
		return nil, err
	}
	if scheduled != nil {
		a.components.Add("scheduled backups", scheduled.Schedule)
		if scheduled.Shipper != nil {
			a.components.Add("the rest of the log", changes)
			a.components.Add("the log of the data", scheduled.Shipper)
		}
	}
	name := ""
	if a.node != nil {
		name = a.node.Name()
	}
	var needed func(resource.Database, index.Definition)
	if a.consoleData != nil {
		needed = func(db resource.Database, d index.Definition) { a.consoleData.missing.Add(db, d, a.o.Clock.Now()) }
	}
	w, err := a.data.Writer(store, rulesets, name, needed)
	if err != nil {
		return nil, err
	}
	if a.consoleData != nil {
		a.consoleData.begin(w)
	}
	s := &state{store: store, release: w.Release, backups: scheduled}
	w.Role.Accounts = func(o *service.Options) error { return a.accountOptions(s, o) }
	if a.node != nil {
		w.Role.Moves = a.node.Sessions.Moves
	}
	s.Stack = stack.New(a.stackOptions(), w.Role, &a.components)
	if err := s.Open(ctx); err != nil {
		return s, err
	}
	if !a.config.Memory {
		past, err := (&recovery.Recovery{Engine: s.Engine, Project: a.config.Project}).Listen(a.config.DataDir)
		a.serve("history", "clave history, clave clone and clave restore --at do not work", past, err)
		described, err := status.Listen(a.config.DataDir, func() status.Status { return describe(a.config, &a.o, s) })
		a.serve("status", "clave status does not work", described, err)
	}
	if !a.config.Production() {
		return s, nil
	}
	return s, s.Service.SealSecrets(ctx)
}

// rest lets the parts return the memory that a burst of work took.
func (a *App) rest(ctx context.Context) {
	for _, rest := range a.afterBurst {
		rest(ctx)
	}
}

// openServed opens the store of a server: the data folder's, memory, or the one on PostgreSQL once this node leads.
func (a *App) openServed(ctx context.Context, p listeners) (store datastore.Store, err error) {
	if a.config.Store == "" {
		store, err = a.data.Open()
	} else {
		store, err = a.openLeading(ctx, p)
		a.hasLed = err == nil
	}
	if err == nil && !a.config.Memory {
		a.addresses.Data = a.config.DataDir
	}
	return store, err
}

// socket is a listener for commands in the data folder.
type socket interface {
	process.Runner
	Close() error
}

// serve serves a socket for commands. If it can't be opened, for example because its path is too long, text is logged.
func (a *App) serve(name, text string, s socket, err error) {
	if err != nil {
		a.o.Log.Warn(text, "error", err)
		return
	}
	a.components.OnClose(s.Close)
	a.components.Add(name, s)
}
