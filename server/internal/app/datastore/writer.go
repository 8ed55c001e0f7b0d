package datastore

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/auth/token/storevault"
	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// indexModes maps values of --indexes to the engine's modes.
var indexModes = map[string]engine.IndexMode{"off": engine.IndexesOff, "record": engine.IndexesRecord, "auto": engine.IndexesAuto, "enforce": engine.IndexesEnforce}

// memoryHashCost is the memory cost of password hashes that exist only in memory. It is low because test suites create
// thousands of accounts.
const memoryHashCost = 4

// Stack returns what the configuration decides of the options of the stacks of a server.
func (d *Opener) Stack() stack.Options {
	c := d.c
	accounts := service.Options{RateLimits: c.RateLimits, NoSignUp: c.Auth.NoSignUp, NoAnonymous: c.Auth.NoAnonymous, NoPasswords: c.Auth.NoPasswords, AsEmulator: c.Auth.AsEmulator, EmulatorSettings: !c.Production() && !c.Auth.ProductionSettings}
	if c.Memory && !c.Production() {
		accounts.HashMemCost = memoryHashCost
	}
	var checks *stack.AppCheck
	if c.Auth.AppCheck != nil {
		checks = &stack.AppCheck{Modes: *c.Auth.AppCheck, KeysURL: c.Auth.AppCheckKeys}
	}
	return stack.Options{
		Production: c.Production(), Project: c.Project, PublicURL: c.PublicURL, Exists: d.exists(), Gone: d.gone, Served: d.served(), IndexMode: indexModes[c.Indexes], SignTokens: c.SignTokens, Events: c.Events != "", AppCheck: checks,
		Accounts: accounts, AnonymousWrites: c.AnonymousWrites, Memory: d.o.Memory, Clock: d.o.Clock, Log: d.o.Log,
		History: c.History.Window, HistoryBytes: c.History.Bytes,
		Enterprise: func(db resource.Database) bool { return d.IsEnterprise(db.ID) },
	}
}

// Files returns the project with the files of its databases.
func (d *Opener) Files() *projectfiles.Project {
	c := d.c
	return &projectfiles.Project{ID: c.Project, Databases: c.Databases, Production: c.Production(), Enforce: c.Indexes == "enforce", Notices: d.o.Notices, Made: &d.Made}
}

// IsEnterprise reports whether a database has the Enterprise edition.
func (d *Opener) IsEnterprise(id string) bool {
	if made, found := d.Made.Of(id); found {
		return made.Enterprise
	}
	return d.c.IsEnterprise(id)
}

// Writer is what a server that writes a store begins with.
type Writer struct {
	// Definitions are the index definitions at the start: those of the release if nodes share the store, and otherwise
	// those of the files.
	Definitions map[resource.Database]index.Definitions
	// Release is the release in force at the start if nodes share the store; nil otherwise.
	Release *release.Release
	// Recorder writes the indexes that queries lacked into their files.
	Recorder *missingindex.Recorder
	// Role is the role of the server's stack.
	Role stack.Role
}

// Writer returns what a server begins with that writes a store. node is its name among the nodes that share the store;
// empty for one that is not among them. needed, which may be nil, records the indexes that queries lack.
func (d *Opener) Writer(st Store, rulesets *authz.Rulesets, node string, needed func(resource.Database, index.Definition)) (*Writer, error) {
	w := &Writer{Recorder: missingindex.NewRecorder(d.c.Databases, d.o.Log)}
	if err := w.begin(d, st, node); err != nil {
		return nil, err
	}
	w.Role = stack.Role{
		Store: st, Versions: d.versions(st), Rulesets: rulesets,
		Engine: func(o *engine.Options) { o.Missing, o.Needed = w.Recorder.Missing(d.c.Indexes, d.o.Notices), needed },
		Define: func(ctx context.Context, e *engine.Engine) error {
			// If definitions have changed since the last start, entries are rebuilt, and commits would wait for that. So it
			// happens before requests are served.
			for name, defs := range w.Definitions {
				if err := e.SetIndexes(ctx, name, defs); err != nil {
					return err
				}
			}
			return e.FinishIndexes(ctx)
		},
		Vault: func(ctx context.Context) (token.Vault, error) { return d.vault(ctx, st) },
	}
	return w, nil
}

// versions returns the clock of versions: the store's clock if nodes share the store.
func (d *Opener) versions(st Store) clock.Clock {
	if shared, ok := st.(*postgres.Store); ok {
		return shared.Clock()
	}
	return d.o.Clock
}

// vault returns the store of the signing keys: the data folder, PostgreSQL, so that all nodes have the same keys, or
// nil for memory.
func (d *Opener) vault(ctx context.Context, st Store) (token.Vault, error) {
	ctx = context.WithoutCancel(ctx)
	inStore := storevault.New(st, func(b *store.Batch) error { return st.Apply(ctx, b) })
	switch {
	case d.c.Store != "":
		return inStore, nil
	case d.c.Memory:
		return nil, nil
	}
	dir := token.InData(d.c.DataDir)
	return dir, storevault.Copy(inStore, dir) // a copy of a replica has its keys in the store
}

// begin sets the index definitions and the release at the start.
func (w *Writer) begin(d *Opener, st store.Reader, node string) (err error) {
	files := d.Files()
	if released, err := d.isReleased(st); err != nil || !released {
		if err == nil {
			w.Definitions, err = files.Indexes()
		}
		return err
	}
	by := node
	if by == "" {
		by = "clave on " + HostName()
	}
	if w.Release, err = releases.Begin(st, files, by, node != "" || d.c.Production(), d.o.Clock.Now()); err != nil {
		return err
	}
	d.Made.Use(w.Release)
	w.Definitions, err = files.Definitions(w.Release.Files)
	exists := d.exists()
	maps.DeleteFunc(w.Definitions, func(db resource.Database, _ index.Definitions) bool {
		kept := db == (resource.Database{}) || exists(db)
		if !kept { // The database was released before firebase.json named it, or firebase.json no longer names it.
			fmt.Fprintf(d.o.Notices, "Release %d has indexes of the database %s, which this node does not serve: firebase.json does not name it\n", w.Release.Version, db.ID)
		}
		return !kept
	})
	return err
}

// isReleased reports whether the release of the store counts, not the files of firebase.json: nodes share the store,
// or rules and indexes are deployed to a server in production.
func (d *Opener) isReleased(st store.Reader) (bool, error) {
	if d.c.Store != "" || d.c.AdminAPI != "" {
		return true, nil
	}
	if d.c.Mode == config.ModeStart || d.c.Mode == config.ModeExec {
		return false, nil
	}
	r, err := release.Load(st)
	return err == nil && r.Version > 0, err
}

// exists returns a function that reports whether a database exists. In production only those of firebase.json and those
// that were made exist, since any client may name others. Elsewhere all exist, and the first one of another project is
// logged: a forgotten --project usually explains missing data.
func (d *Opener) exists() func(resource.Database) bool {
	c := d.c
	if !c.Production() {
		var once sync.Once
		return func(db resource.Database) bool {
			if c.SingleProject && db.Project != c.Project {
				once.Do(func() {
					d.o.Log.Warn("a client uses a project other than the server's; imports, exports and tools use only the server's", "client", db.Project, "server", c.Project,
						"remedy", "--project "+db.Project+", or emulators.singleProjectMode false in firebase.json")
				})
			}
			return true
		}
	}
	return func(db resource.Database) bool { return d.named(db) || db.Project == c.Project && d.Made.Has(db.ID) }
}

// served returns a function that reports whether the rules of the default database apply to one without rules. One that
// was made is closed until it has rules of its own.
func (d *Opener) served() func(resource.Database) bool {
	if !d.c.Production() {
		return d.exists()
	}
	return d.named
}

// named reports whether firebase.json names a database.
func (d *Opener) named(db resource.Database) bool {
	return db.Project == d.c.Project && slices.ContainsFunc(d.c.Databases, func(one config.Database) bool { return one.ID == db.ID })
}

// gone reports whether a database was deleted.
func (d *Opener) gone(db resource.Database) bool {
	made, found := d.Made.Of(db.ID)
	return found && made.Deleted && db.Project == d.c.Project && !d.named(db)
}

// HostName returns the machine's name.
func HostName() string {
	if host, err := os.Hostname(); err == nil {
		return host
	}
	return "a machine without a name"
}
