package commands

import (
	"context"
	"net/http"
	"path/filepath"

	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/accountkey"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup"
	"clave/server/internal/suite/download"
	"clave/server/internal/suite/migrate"
	"clave/server/internal/suite/transfer"
)

// downloadFolder is the name of the folder in a data folder into which a live project is downloaded, unless the command
// line names one. It is removed when the migration is finished.
const downloadFolder = "firebase-download"

// fromLive moves a live project into a data folder or a store. dir is the folder of the download; empty for one that
// is removed at the end.
func fromLive(ctx context.Context, c *config.Config, o Options, dir string, p MigrationProgress) (r *migrate.Report, err error) {
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, err
	}
	own := dir == ""
	if own {
		dir = filepath.Join(data, downloadFolder)
	} else if err := backup.Outside(data, dir); err != nil {
		return nil, err
	}
	r, err = migrate.Before(data, c.Project)
	if err != nil {
		return nil, err
	}
	if r != nil && own {
		return r, unmarked(ctx, c, o, dir)
	}
	options, err := downloadOptions(c, o, dir)
	if err != nil {
		return nil, err
	}
	mark, err := migrate.MarkOf(transfer.Source{Folder: dir})
	if err != nil {
		return nil, err
	}
	if !c.Migration.Check {
		// Each document of the project that is read costs. A target that does not exist is ready.
		err := transferring(ctx, c, o, []string{mark}, false, func(t *transfer.Transfer) error { return migrate.Ready(ctx, t, data, c.Project) })
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	options.Progress = func(documents int64) { p.Downloaded(documents, 0) }
	got, err := download.Run(ctx, options)
	if err != nil {
		return nil, err
	}
	m := &migration{source: transfer.Source{Folder: dir, UsersFile: c.UsersFile, HashFile: c.HashFile}, given: givenFiles(c, got.Databases)}
	m.options = migrate.Options{Remarks: got.Remarks, ReadTime: got.ReadTime, Unread: got.Refused, UnreadNumber: got.RefusedNumber, Progress: p.Written}
	r, err = m.run(ctx, c, o, data)
	if err == nil && own && r.State != migrate.Checked {
		err = download.Remove(dir)
	}
	return r, err
}

// unmarked removes the marker that a migration, which was finished, may have left when it was killed.
func unmarked(ctx context.Context, c *config.Config, o Options, dir string) error {
	mark, err := migrate.MarkOf(transfer.Source{Folder: dir})
	if err != nil {
		return err
	}
	if err := transferring(ctx, c, o, []string{mark}, true, func(t *transfer.Transfer) error { return t.Unmark() }); err != nil {
		return err
	}
	return download.Remove(dir)
}

// downloadOptions returns the options of the download of a live project to dir.
func downloadOptions(c *config.Config, o Options, dir string) (out download.Options, err error) {
	endpoints, err := download.ParseEndpoints(c.Migration.Endpoints)
	if err != nil {
		return out, err
	}
	out = download.Options{
		Project: c.Project, Database: c.Database, Dir: dir, Endpoints: endpoints, ReadTime: c.Migration.ReadTime, Log: o.Log,
		NoAccounts: c.UsersFile != "", NoRules: c.Migration.RulesFile != "", NoIndexes: c.Migration.IndexesFile != "",
	}
	if out.Hash, err = transfer.ReadHash(c.HashFile); err != nil {
		return out, err
	}
	if c.Key == "" {
		if !endpoints.Plain() {
			return out, fault.E(fault.InvalidArgument, "name the key of a service account with --key. Only emulators on this machine, without TLS, need none")
		}
		return out, nil
	}
	key, err := accountkey.Read(c.Key)
	if err != nil {
		return out, err
	}
	if err := key.CheckTokens(); err != nil {
		return out, err
	}
	out.Token = accountkey.NewTokens(key, &http.Client{Transport: http.DefaultTransport}, clock.System()).Get
	return out, nil
}

// givenFiles returns the files of a migration: those of the command line, for the first database, and the downloaded
// ones.
func givenFiles(c *config.Config, databases []download.Database) (all []migrate.Given) {
	for i, d := range databases {
		g := migrate.Given{
			Database: d.ID, Rules: migrate.GivenFile{Path: d.Rules, Downloaded: true}, Indexes: migrate.GivenFile{Path: d.Indexes, Downloaded: true},
		}
		if i == 0 && c.Migration.RulesFile != "" {
			g.Rules = migrate.GivenFile{Path: c.Migration.RulesFile}
		}
		if i == 0 && c.Migration.IndexesFile != "" {
			g.Indexes = migrate.GivenFile{Path: c.Migration.IndexesFile}
		}
		all = append(all, g)
	}
	if len(all) == 0 { // a project with accounts alone
		all = []migrate.Given{{Database: resource.DefaultDatabase, Rules: migrate.GivenFile{Path: c.Migration.RulesFile}, Indexes: migrate.GivenFile{Path: c.Migration.IndexesFile}}}
	}
	return all
}
