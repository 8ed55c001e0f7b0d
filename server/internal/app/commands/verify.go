package commands

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/verify"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/series"
)

// Verify compares the records of a data folder that no server uses, or of a backup, with each other. progress, if not
// nil, receives how many of how many documents are verified.
func Verify(ctx context.Context, o Options, dir string, progress func(done, all int64)) (*verify.Report, error) {
	o.EnsureDefaults()
	return backups.Verify(ctx, dir, o.opener(&config.Config{DataDir: dir}, new(process.Components)).Sizes(), progress)
}

// VerifyStore compares the records of a store on PostgreSQL with each other, while no node serves it. It builds a
// replica in a temporary folder, with index entries of its own.
func VerifyStore(ctx context.Context, o Options, url string, progress func(done, all int64)) (r *verify.Report, err error) {
	o.EnsureDefaults()
	scratch, done, err := backup.ScratchCopy(filepath.Join(os.TempDir(), "clave-verify"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	c := &config.Config{DataDir: filepath.Join(scratch, "data"), Store: url}
	s, err := o.opener(c, new(process.Components)).Existing(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return verify.Store(ctx, s, progress)
}

// RebuildIndexes writes the index entries of a data folder that no server uses again, from its documents. progress, if
// not nil, receives how many of how many documents are done.
func RebuildIndexes(ctx context.Context, o Options, dir string, progress func(done, all int64)) (err error) {
	o.EnsureDefaults()
	if _, err := backup.Size(dir); !fault.Is(err, fault.NotFound) {
		return fault.E(fault.FailedPrecondition, "%s is a copy, whose list has checksums of its files: restore it, and rebuild the indexes of the restored folder", dir)
	}
	s, err := o.opener(&config.Config{DataDir: dir}, new(process.Components)).Existing(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return derive.Rebuild(ctx, s, progress)
}

// VerifyBackup compares the records of a backup of a series with each other and with the backup's inventory.
func VerifyBackup(ctx context.Context, o Options, at *series.Series, b series.Backup) (*verify.Report, error) {
	o.EnsureDefaults()
	return backups.VerifyBackup(ctx, at, b, o.opener(new(config.Config), new(process.Components)).Sizes())
}
