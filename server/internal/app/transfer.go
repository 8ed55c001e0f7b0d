package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/authz"
	"clave/server/internal/store/backup"
	"clave/server/internal/suite/transfer"
)

// transfers registers the import of the initial data, and the export at the end.
func (a *App) transfers(ctx context.Context, t *transfer.Transfer) error {
	if dir := a.config.ExportDir; dir != "" {
		// An error at the end would lose the data.
		if err := transfer.CanExport(dir); err != nil {
			return fault.Wrap(err, fault.CodeOf(err), "--export-on-exit: %s", fault.FromError(err).Message)
		}
		a.beforeEnd = append(a.beforeEnd, func(ctx context.Context) error { return a.leave(ctx, t) })
	}
	return a.begin(ctx, t)
}

// begin imports the initial data, before requests are served.
func (a *App) begin(ctx context.Context, t *transfer.Transfer) error {
	dir := a.config.ImportDir
	if dir == "" {
		return nil
	}
	// With --export-on-exit to the folder of --import there is no export yet at the first run.
	if blank, err := transfer.Blank(dir); err == nil && blank && dir == a.config.ExportDir {
		fmt.Fprintf(a.o.Notices, "%s holds no export yet: starting without data\n", dir)
		return nil
	}
	empty, err := t.Empty(ctx)
	if err != nil {
		return err
	}
	interrupted, err := transfer.Unfinished(a.data().Marker())
	if err != nil {
		return err
	}
	// After an interrupted import the data are a part of the same import (unfinished), which is repeated.
	if !empty && interrupted == "" {
		return fault.E(fault.FailedPrecondition,
			"%s: there are data of project %s already. --import begins with those of its folder alone: leave --data out, name an empty folder, or add to the data with clave import.",
			a.config.DataDir, a.config.Project)
	}
	sum, err := t.Import(ctx, dir)
	if err != nil {
		a.data().Unused = !t.Changed()
		return err
	}
	a.report("Imported "+dir, sum)
	return nil
}

// report prints what was imported or exported.
func (a *App) report(done string, sum transfer.Summary) {
	fmt.Fprintf(a.o.Notices, "%s: %s\n", done, sum)
	for _, note := range sum.Notes {
		fmt.Fprintf(a.o.Notices, "  not imported: %s\n", note)
	}
}

// leave writes the export at the end, after serving has stopped.
func (a *App) leave(ctx context.Context, t *transfer.Transfer) error {
	dir := a.config.ExportDir
	sum, err := t.Export(ctx, dir)
	if err != nil {
		return err
	}
	a.report("Exported to "+dir, sum)
	return nil
}

// openTransfer opens a data folder's data for a command that serves no requests.
func (a *App) openTransfer(ctx context.Context, store dataStore) (*transfer.Transfer, error) {
	r, _, err := a.writerRole(store, authz.NewRulesets(authz.RulesetsOptions{}))
	if err != nil {
		return nil, err
	}
	s := stack.New(a.stackOptions(), r, &a.components)
	if err := s.OpenEngine(ctx); err != nil {
		return nil, err
	}
	if err := s.OpenAuthorizer(ctx); err != nil {
		return nil, err
	}
	// Emulator accepts the passwords of the Emulator Suite's exports, which are in plain text.
	svc := service.New(service.Options{
		Accounts: account.New(store), Tokens: token.New(token.Options{Clock: a.o.Clock}), Clock: a.o.Clock, Project: a.config.Project, Emulator: true, Log: a.o.Log,
	})
	return transfer.New(transfer.Options{Authorizer: s.Authorizer, Identity: svc, Project: a.config.Project, Clock: a.o.Clock, Marker: a.data().Marker()}), nil
}

// Export writes an export of the data folder to dir. If a server runs on the folder, the export is made from a copy of
// one moment, which the server creates.
func Export(ctx context.Context, c *config.Config, o Options, dir string) (err error) {
	o.EnsureDefaults()
	if _, err := os.Stat(c.DataDir); err == nil && c.Store == "" {
		if err := backup.Outside(c.DataDir, dir); err != nil {
			return err
		}
	}
	backup.RemoveUnfinished(c.DataDir)
	forget, err := noteExport(c.DataDir, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget()) }()
	part, done, err := transfer.Scratch(dir)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write the export: %v", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	switch err := backup.Request(ctx, c.DataDir, filepath.Join(part, "data")); {
	case err == nil:
		of := *c
		of.DataDir = filepath.Join(part, "data")
		c = &of
	case !errors.Is(err, backup.ErrNoServer):
		return err
	}
	return (&App{config: c, o: o}).transfer(ctx, false, func(t *transfer.Transfer) (transfer.Summary, string, error) {
		sum, err := t.Export(ctx, dir)
		return sum, "Exported to " + dir, err
	})
}

// noteExport records in a data folder, if it exists, that an export is being written to dir, with temporary folders
// beside dir or in it. done removes the record.
func noteExport(data, dir string) (done func() error, err error) {
	var notes []func() error
	done = func() error {
		var all []error
		for _, forget := range notes {
			all = append(all, forget())
		}
		return errors.Join(all...)
	}
	if _, err := os.Stat(data); err != nil {
		return done, nil // The export fails, or needs no data folder.
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, parent := range []string{filepath.Dir(dir), dir} {
		forget, err := backup.Note(data, parent)
		if err != nil {
			return nil, errors.Join(fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err), done())
		}
		notes = append(notes, forget)
	}
	return done, nil
}

// Import reads an export in dir, if it is not empty, and the accounts of UsersFile, if there is one, into the data
// folder.
func Import(ctx context.Context, c *config.Config, o Options, dir string) error {
	o.EnsureDefaults()
	a := &App{config: c, o: o}
	a.folder.Importing = sources(dir, c.UsersFile)
	return a.transfer(ctx, true, func(t *transfer.Transfer) (sum transfer.Summary, done string, err error) {
		if dir != "" {
			sum, err = t.Import(ctx, dir)
		}
		if c.UsersFile != "" && err == nil {
			err = t.ImportUsers(ctx, c.UsersFile, c.HashFile, &sum)
		}
		return sum, "Imported into " + c.DataDir, err
	})
}

// sources returns the absolute paths of imports, without empty ones.
func sources(paths ...string) []string {
	var all []string
	for _, p := range paths {
		if absolute, err := filepath.Abs(p); err == nil && p != "" {
			all = append(all, absolute)
		}
	}
	return all
}

// transfer opens the data folder, which it creates if create is set, and imports or exports data.
func (a *App) transfer(ctx context.Context, create bool, do func(*transfer.Transfer) (transfer.Summary, string, error)) (err error) {
	defer func() { err = errors.Join(err, a.components.Close()) }()
	store, err := a.openFolder(ctx, create)
	if err != nil {
		return err
	}
	t, err := a.openTransfer(ctx, store)
	if err != nil {
		return err
	}
	sum, done, err := do(t)
	if err != nil {
		a.data().Unused = !t.Changed()
		return err
	}
	a.report(done, sum)
	return nil
}
