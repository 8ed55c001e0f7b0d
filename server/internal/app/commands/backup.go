package commands

import (
	"context"
	"encoding/json"
	"errors"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/database/verify"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
)

// Backup writes a copy of the data folder to dir, an absolute path, and records the time. If a server runs on the
// folder, the server writes the copy.
func Backup(ctx context.Context, c *config.Config, o Options, dir string) error {
	if err := makeBackup(ctx, c, o, dir); err != nil {
		return err
	}
	if err := backup.RecordBackup(c.DataDir); err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "%s is complete, but its time was not recorded in the data folder, so the console shows an older one: %v", dir, err)
	}
	return nil
}

// makeBackup writes a copy of the data folder to dir.
func makeBackup(ctx context.Context, c *config.Config, o Options, dir string) (err error) {
	backup.RemoveUnfinished(c.DataDir)
	if err := backup.Request(ctx, c.DataDir, dir); !errors.Is(err, backup.ErrNoServer) {
		return err
	}
	o.EnsureDefaults()
	store, err := o.opener(c, new(process.Components)).Existing(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return backup.Make(ctx, store, c.DataDir, dir)
}

// Restore creates the data folder, which must be empty or absent, from the copy in dir. It verifies every block.
func Restore(ctx context.Context, c *config.Config, o Options, dir string) error {
	o.EnsureDefaults()
	sizes := o.opener(c, new(process.Components)).Sizes()
	return backup.Restore(ctx, dir, c.DataDir, func(store string) error { return pebble.Verify(ctx, store, sizes) })
}

// RestoreFrom creates the data folder, which must be empty or absent, from a backup of a series. It verifies every
// block, and compares the data with the backup's inventory.
func RestoreFrom(ctx context.Context, c *config.Config, o Options, at *series.Series, b series.Backup) error {
	o.EnsureDefaults()
	sizes := o.opener(c, new(process.Components)).Sizes()
	return at.Restore(ctx, b, c.DataDir, func(store string, inventory json.RawMessage) error {
		if err := pebble.Verify(ctx, store, sizes); err != nil {
			return err
		}
		return backups.CompareInventory(ctx, store, sizes, inventory)
	})
}

// RestoreAt creates the data folder, which must be empty or absent, with the state at the configured time, from a
// backup of a series and the log that continues it. name is the name of the backup; empty for the newest one from
// before.
func RestoreAt(ctx context.Context, c *config.Config, o Options, at *series.Series, name string) (b series.Backup, r *verify.Report, err error) {
	o.EnsureDefaults()
	if name == "" {
		b, err = at.Before(ctx, c.History.At)
	} else {
		b, err = at.Find(ctx, name)
	}
	if err == nil {
		r, err = backups.RestoreAt(ctx, at, b, c.History.At, c.DataDir, o.opener(c, new(process.Components)).Sizes())
	}
	return b, r, err
}
