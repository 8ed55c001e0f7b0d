package commands

import (
	"context"
	"path/filepath"

	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/migrate"
	"clave/server/internal/suite/transfer"
)

// FromFirebase moves a project from exports of Firebase, in dir and UsersFile, into a data folder or a store on
// PostgreSQL, or continues a migration that was interrupted. The report is not nil once the source was read, also if
// there is an error. progress receives how many of how many documents are written.
func FromFirebase(ctx context.Context, c *config.Config, o Options, dir string, progress func(done, all int64)) (r *migrate.Report, err error) {
	o.EnsureDefaults()
	source := transfer.Source{Folder: dir, Database: c.Database, UsersFile: c.UsersFile, HashFile: c.HashFile}
	files := &migrate.Files{
		Root: c.Root, Config: c.File, Database: c.Database, Rules: c.Migration.RulesFile, Indexes: c.Migration.IndexesFile,
		Project: o.opener(c, new(process.Components)).Files(),
	}
	if files.Database == "" {
		files.Database = resource.DefaultDatabase
	}
	if err := files.Read(); err != nil {
		return nil, err
	}
	missing := []migrate.MissingIndex{}
	if c.Migration.Recording != "" {
		defs, err := files.Definitions()
		if err != nil {
			return nil, err
		}
		if missing, err = migrate.MissingIndexes(c.Migration.Recording, defs); err != nil {
			return nil, err
		}
	}
	mark, err := migrate.MarkOf(source)
	if err != nil {
		return nil, err
	}
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, err
	}
	err = transferring(ctx, c, o, []string{mark}, true, func(t *transfer.Transfer) error {
		r, err = migrate.FromFirebase(ctx, migrate.Options{
			Transfer: t, Source: source, Project: c.Project, Dir: data, Check: c.Migration.Check, SkipRefused: c.Migration.SkipRefused, MissingIndexes: missing,
			Place: files.Place, Remarks: files.Remarks(), Clock: clock.System(), Progress: progress,
		})
		return err
	})
	return r, err
}

// ToFirebase writes the project of a data folder, or of a store on PostgreSQL, to dir in the forms that Firebase
// imports. If a server runs on the folder, the export is made from a copy of one moment. The report is not nil once the
// export was written, also if there is an error.
func ToFirebase(ctx context.Context, c *config.Config, o Options, dir string) (r *migrate.Report, err error) {
	o.EnsureDefaults()
	err = exporting(ctx, c, o, dir, func(t *transfer.Transfer) error {
		r, err = migrate.ToFirebase(ctx, migrate.ToOptions{Transfer: t, Project: c.Project, Dir: dir, Clock: clock.System()})
		return err
	})
	return r, err
}
