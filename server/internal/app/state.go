package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datafolder"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/release"
)

// dataStore is a store that a server runs on.
type dataStore interface {
	store.Store
	// Err returns an error if the store has a problem.
	Err() error
	// Rest returns the memory that a burst of writes took. It returns when ctx ends.
	Rest(ctx context.Context)
	// Checkpoint creates in dir, which must not exist, a store with everything applied so far.
	Checkpoint(ctx context.Context, dir string) error
}

// state is a store that this server writes, and the stack on it.
type state struct {
	*stack.Stack
	store dataStore
	// release is the release in force at the start if nodes share the store; nil otherwise.
	release *release.Release
	// testMail sends an e-mail without a code; nil without a mail server.
	testMail func(ctx context.Context, to, locale string) error
}

// health returns an error for a failed or full disk, or damaged data files.
func (s *state) health() error { return errors.Join(s.Engine.Err(), s.store.Err()) }

// indexModes maps values of --indexes to the engine's modes.
var indexModes = map[string]engine.IndexMode{"off": engine.IndexesOff, "record": engine.IndexesRecord, "auto": engine.IndexesAuto, "enforce": engine.IndexesEnforce}

// stackOptions returns what the stacks of this server have in common.
func (a *App) stackOptions() stack.Options {
	c := a.config
	accounts := service.Options{RateLimits: c.RateLimits, NoSignUp: c.Auth.NoSignUp, AsEmulator: c.Auth.AsEmulator, EmulatorSettings: !c.Production() && !c.Auth.ProductionSettings}
	if c.Memory && !c.Production() {
		accounts.HashMemCost = memoryHashCost
	}
	return stack.Options{
		Production: c.Production(), Project: c.Project, PublicURL: c.PublicURL, Exists: a.exists(), IndexMode: indexModes[c.Indexes], SignTokens: c.SignTokens, Events: c.Events != "",
		Accounts: accounts, AnonymousWrites: c.AnonymousWrites, ProxyHops: a.proxyHops(), Memory: a.o.Memory, Meter: a.counts, Faults: a.faults, Turns: a.turns,
		Calls: a.calls, Streams: a.streams, Budget: a.budget, Parsing: a.parsing, Clock: a.o.Clock, Log: a.o.Log,
	}
}

// openState opens the store and the stack on it.
func (a *App) openState(ctx context.Context, p ports, rulesets *authz.Rulesets) (*state, error) {
	store, err := a.openServed(ctx, p)
	if err != nil {
		return nil, err
	}
	a.components.OnClose(store.Close)
	a.afterBurst = append(a.afterBurst, store.Rest)
	a.offerBackups(store)
	r, begun, err := a.writerRole(store, rulesets)
	if err != nil {
		return nil, err
	}
	s := &state{store: store, release: begun}
	r.Vault = func(ctx context.Context) (token.Vault, error) { return a.vault(ctx, store) }
	r.Accounts = func(o *service.Options) error { return a.accountOptions(s, o) }
	if a.node != nil {
		r.Moves = a.node.Sessions.Moves
	}
	s.Stack = stack.New(a.stackOptions(), r, &a.components)
	return s, s.Open(ctx)
}

// rest lets the parts return the memory that a burst of work took.
func (a *App) rest(ctx context.Context) {
	for _, rest := range a.afterBurst {
		rest(ctx)
	}
}

// openServed opens the store of a server: the data folder's, memory, or the one on PostgreSQL once this node leads.
func (a *App) openServed(ctx context.Context, p ports) (dataStore, error) {
	if a.config.Store == "" {
		return a.openStore()
	}
	store, err := a.openLeading(ctx, p)
	if err != nil {
		return nil, err
	}
	a.hasLed = true
	return store, nil
}

// writerRole returns the role of a server that writes a store, and the release in force if nodes share it.
func (a *App) writerRole(store dataStore, rulesets *authz.Rulesets) (stack.Role, *release.Release, error) {
	definitions, begun, err := a.beginIndexes(store)
	if err != nil {
		return stack.Role{}, nil, err
	}
	recorder := missingindex.NewRecorder(a.config.Databases, a.o.Log)
	if a.consoleData != nil {
		a.consoleData.recorder = recorder
	}
	return stack.Role{
		Store: store, Versions: a.versionClock(store), Rulesets: rulesets,
		Engine: func(o *engine.Options) {
			o.Missing, o.Needed = recorder.Missing(a.config.Indexes, a.o.Notices), a.neededIndex(definitions)
		},
		Define: func(ctx context.Context, e *engine.Engine) error {
			// If definitions have changed since the last start, entries are rebuilt, and commits would wait for that. So it
			// happens before requests are served.
			for name, defs := range definitions {
				if err := e.SetIndexes(ctx, name, defs); err != nil {
					return err
				}
			}
			return e.FinishIndexes(ctx)
		},
	}, begun, nil
}

// openStore opens the data folder, or memory.
func (a *App) openStore() (dataStore, error) {
	if a.config.Memory {
		return pebble.OpenMemoryWith(a.sizes())
	}
	dir := a.config.DataDir
	path, err := a.makeFolder(datafolder.Store)
	if err != nil {
		return nil, err
	}
	store, err := pebble.Open(path, a.sizes())
	if err != nil {
		return nil, a.data().OpenError(err)
	}
	a.addresses.Data = dir
	return store, nil
}

// sizes returns the options of a store.
func (a *App) sizes() pebble.Options {
	return pebble.Options{
		CacheBytes: a.o.Memory.Cache, MemTableBytes: uint64(a.o.Memory.Table), Scanned: derive.IsEntry, Region: keys.Region, Log: a.o.Log,
	}
}

// data returns the data folder.
func (a *App) data() *datafolder.Folder {
	if !a.config.Memory {
		a.folder.Dir = a.config.DataDir
	}
	return &a.folder
}

// makeFolder creates the data folder with a folder in it. If it turns out to be unused, what was created is removed at
// the end.
func (a *App) makeFolder(name string) (path string, err error) {
	a.components.OnClose(a.data().Remove)
	return a.data().Make(name)
}

// openExisting opens an existing data folder, or the store on PostgreSQL if no node serves it.
func (a *App) openExisting(ctx context.Context) (dataStore, error) {
	if a.config.Store != "" {
		return a.openAlone(ctx)
	}
	if err := a.data().CheckExists(); err != nil {
		return nil, err
	}
	return a.openStore()
}

// openFolder opens the data folder until the app is closed. It creates the folder if create is set.
func (a *App) openFolder(ctx context.Context, create bool) (store dataStore, err error) {
	if create && a.config.Store == "" {
		store, err = a.openStore()
	} else {
		store, err = a.openExisting(ctx)
	}
	if err != nil {
		return nil, err
	}
	a.components.OnClose(store.Close)
	return store, nil
}

// beginIndexes returns the index definitions at the start: those of the release, which it returns too, if nodes share
// the store, and otherwise those of the files.
func (a *App) beginIndexes(store store.Reader) (map[resource.Database]index.Definitions, *release.Release, error) {
	if a.config.Store == "" {
		defs, err := a.files().Indexes()
		return defs, nil, err
	}
	r, err := releases.Begin(store, a.files(), a.nodeOrHost(), a.node != nil, a.o.Clock.Now())
	if err != nil {
		return nil, nil, err
	}
	defs, err := a.files().Definitions(r.Files)
	exists := a.exists()
	maps.DeleteFunc(defs, func(db resource.Database, _ index.Definitions) bool {
		kept := db == (resource.Database{}) || exists(db)
		if !kept { // The database was released before firebase.json named it, or firebase.json no longer names it.
			fmt.Fprintf(a.o.Notices, "Release %d has indexes of the database %s, which this node does not serve: firebase.json does not name it\n", r.Version, db.ID)
		}
		return !kept
	})
	return defs, r, err
}

// exists returns a function that reports whether a database exists. In production only those of firebase.json exist,
// since any client may name others. Elsewhere all exist, and the first one of another project is logged: a forgotten
// --project usually explains missing data.
func (a *App) exists() func(resource.Database) bool {
	if !a.config.Production() {
		var once sync.Once
		return func(db resource.Database) bool {
			if a.config.SingleProject && db.Project != a.config.Project {
				once.Do(func() {
					a.o.Log.Warn("a client uses a project other than the server's; imports, exports and tools use only the server's", "client", db.Project, "server", a.config.Project,
						"remedy", "--project "+db.Project+", or emulators.singleProjectMode false in firebase.json")
				})
			}
			return true
		}
	}
	return func(db resource.Database) bool {
		return db.Project == a.config.Project &&
			slices.ContainsFunc(a.config.Databases, func(d config.Database) bool { return d.ID == db.ID })
	}
}
