package app

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
)

// offerBackups serves the socket by which `clave backup` copies the data of a running server. If the socket can't be
// created, for example because its path is too long, backups work only while the server is stopped.
func (a *App) offerBackups(store dataStore) {
	if a.config.Memory {
		return
	}
	listener, err := backup.Listen(store, a.config.DataDir)
	if err != nil {
		a.o.Log.Warn("clave backup works only while the server is stopped", "error", err)
		return
	}
	a.components.OnClose(listener.Close)
	a.components.Add("backups", listener)
}

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
	a := &App{config: c, o: o}
	store, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return backup.Make(ctx, store, c.DataDir, dir)
}

// Restore creates the data folder, which must be empty or absent, from the copy in dir. It verifies every block.
func Restore(ctx context.Context, c *config.Config, o Options, dir string) error {
	o.EnsureDefaults()
	a := &App{config: c, o: o}
	return backup.Restore(ctx, dir, c.DataDir, func(store string) error { return pebble.Verify(ctx, store, a.sizes()) })
}
