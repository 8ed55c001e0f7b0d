package commands

import (
	"cmp"
	"context"
	"path/filepath"

	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/migrate"
	"clave/server/internal/suite/transfer"
)

// MigrationProgress receives the progress of a migration: how many documents are downloaded from a live project, and
// how many of how many are written.
type MigrationProgress struct {
	Downloaded, Written func(done, all int64)
}

// FromFirebase moves a project into a data folder or a store on PostgreSQL, or continues a migration that was
// interrupted. It reads exports of Firebase, in dir and UsersFile, or a live project, which it downloads to dir. The
// report is not nil once the source was read, also if there is an error.
func FromFirebase(ctx context.Context, c *config.Config, o Options, dir string, p MigrationProgress) (r *migrate.Report, err error) {
	o.EnsureDefaults()
	if c.Live() {
		return fromLive(ctx, c, o, dir, p)
	}
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, err
	}
	m := &migration{source: transfer.Source{Folder: dir, Database: c.Database, UsersFile: c.UsersFile, HashFile: c.HashFile}}
	m.given = []migrate.Given{{
		Database: cmp.Or(c.Database, resource.DefaultDatabase), Rules: migrate.GivenFile{Path: c.Migration.RulesFile}, Indexes: migrate.GivenFile{Path: c.Migration.IndexesFile},
	}}
	m.options.Progress = p.Written
	return m.run(ctx, c, o, data)
}

// migration is a source with the files of the server.
type migration struct {
	source  transfer.Source
	given   []migrate.Given
	options migrate.Options
}

// run moves the source into the data folder of a configuration, or into its store.
func (m *migration) run(ctx context.Context, c *config.Config, o Options, data string) (r *migrate.Report, err error) {
	files := &migrate.Files{Root: c.Root, Config: c.File, Given: m.given, Project: o.opener(c, new(process.Components)).Files()}
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
	mark, err := migrate.MarkOf(m.source)
	if err != nil {
		return nil, err
	}
	err = transferring(ctx, c, o, []string{mark}, true, func(t *transfer.Transfer) error {
		options := m.options
		options.Transfer, options.Source, options.Project, options.Dir, options.Clock = t, m.source, c.Project, data, clock.System()
		options.Check, options.SkipRefused, options.MissingIndexes = c.Migration.Check, c.Migration.SkipRefused, missing
		options.Place, options.Remarks = files.Place, append(m.options.Remarks, files.Remarks()...)
		r, err = migrate.FromFirebase(ctx, options)
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
