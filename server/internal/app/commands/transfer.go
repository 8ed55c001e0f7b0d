package commands

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/stack"
	"clave/server/internal/database/authz"
	"clave/server/internal/store/backup"
	"clave/server/internal/suite/transfer"
)

// Export writes an export of the data folder to dir. If a server runs on the folder, the export is made from a copy of
// one moment, which the server creates.
func Export(ctx context.Context, c *config.Config, o Options, dir string) error {
	o.EnsureDefaults()
	return exporting(ctx, c, o, dir, func(t *transfer.Transfer) error {
		sum, err := t.Export(ctx, dir)
		if err == nil {
			transfer.Report(o.Notices, "Exported to "+dir, sum)
		}
		return err
	})
}

// exporting opens the data folder, or a copy of it that its server creates, for an export to dir.
func exporting(ctx context.Context, c *config.Config, o Options, dir string, do func(*transfer.Transfer) error) (err error) {
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
	return transferring(ctx, c, o, nil, false, do)
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
	return transferring(ctx, c, o, []string{dir, c.UsersFile}, true, func(t *transfer.Transfer) (err error) {
		var sum transfer.Summary
		if dir != "" {
			sum, err = t.Import(ctx, dir)
		}
		if c.UsersFile != "" && err == nil {
			err = t.ImportUsers(ctx, c.UsersFile, c.HashFile, &sum)
		}
		if err == nil {
			transfer.Report(o.Notices, "Imported into "+c.DataDir, sum)
		}
		return err
	})
}

// transferring opens the data folder, which it creates if create is set, for imports or exports. A folder that it has
// created is removed again if nothing was imported. importing are the paths of imports.
func transferring(ctx context.Context, c *config.Config, o Options, importing []string, create bool, do func(*transfer.Transfer) error) (err error) {
	var components process.Components
	defer func() { err = errors.Join(err, components.Close()) }()
	d := o.opener(c, &components, importing...)
	store, err := d.ForCommand(ctx, create)
	if err != nil {
		return err
	}
	t, err := openTransfer(ctx, d, store, c.Project, &components)
	if err != nil {
		return err
	}
	err = do(t)
	if err != nil || create {
		d.Folder.Unused = !t.Changed()
	}
	return err
}

// openTransfer opens data for a command that serves no requests.
func openTransfer(ctx context.Context, d *datastore.Opener, store datastore.Store, project string, components *process.Components) (*transfer.Transfer, error) {
	w, err := d.Writer(store, authz.NewRulesets(authz.RulesetsOptions{}), "", nil)
	if err != nil {
		return nil, err
	}
	o := d.Stack()
	s := stack.New(o, w.Role, components)
	if err := s.OpenEngine(ctx); err != nil {
		return nil, err
	}
	if err := s.OpenAuthorizer(ctx); err != nil {
		return nil, err
	}
	// Emulator accepts the passwords of the Emulator Suite's exports, which are in plain text.
	svc := service.New(service.Options{
		Accounts: account.New(store), Tokens: token.New(token.Options{Clock: o.Clock}), Clock: o.Clock, Project: project, Emulator: true, Log: o.Log,
	})
	return transfer.New(transfer.Options{Authorizer: s.Authorizer, Identity: svc, Project: project, Clock: o.Clock, Marker: d.Folder.Marker()}), nil
}
