package app

import (
	"context"
	"errors"

	"clave/server/backup"
	"clave/server/config"
	"clave/server/storage/pebblestore"
)

// offerBackups makes copies of the data for `clave backup` while the server runs. Where a socket can't be made, as on a path
// that is too long for one, backups wait until the server is stopped.
func (a *App) offerBackups(store dataStore) {
	if a.config.Memory {
		return
	}
	listener, err := backup.Listen(store, a.config.DataDir)
	if err != nil {
		a.o.Log.Warn("clave backup works only while the server is stopped", "error", err)
		return
	}
	a.onClose(listener.Close)
	a.add("backups", listener)
}

// Backup writes a copy of the data folder to dir, by the server that runs on it, if one does, and notes that there is one. dir is an
// absolute path.
func Backup(ctx context.Context, c *config.Config, o Options, dir string) error {
	if err := makeBackup(ctx, c, o, dir); err != nil {
		return err
	}
	return backup.Note(c.DataDir)
}

// makeBackup writes a copy of the data folder to dir.
func makeBackup(ctx context.Context, c *config.Config, o Options, dir string) (err error) {
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
	return backup.Make(store, c.DataDir, dir)
}

// Restore makes the data folder, which must be empty or absent, from the copy in dir, of which every block is verified.
func Restore(ctx context.Context, c *config.Config, o Options, dir string) error {
	o.EnsureDefaults()
	return backup.Restore(dir, c.DataDir, func(store string) error {
		return pebblestore.Verify(ctx, store, pebblestore.Options{Log: o.Log})
	})
}
