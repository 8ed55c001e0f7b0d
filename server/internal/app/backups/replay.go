package backups

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/verify"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// replay applies a log to a store that is not in use.
type replay struct {
	ctx   context.Context
	store *pebble.Store
}

// openReplay opens the store in a folder to apply a log.
func openReplay(ctx context.Context, folder string, sizes pebble.Options) (series.Replay, error) {
	s, err := pebble.Open(folder, small(sizes))
	return &replay{ctx, s}, err
}

// Apply implements series.Replay.
func (r *replay) Apply(record changelog.Record) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.store.ApplyUnsynced(&store.Batch{Ops: record.Ops})
}

// Close implements series.Replay. It waits until everything is on disk.
func (r *replay) Close() error { return errors.Join(r.store.Sync(), r.store.Close()) }

// RestoreAt creates the data folder data, which must be empty or absent, with the state at a time, from a backup and
// the log that continues it. Every block of the backup is verified, the data are compared with its inventory, and the
// records of the result with each other.
func RestoreAt(ctx context.Context, at *series.Series, b series.Backup, t time.Time, data string, sizes pebble.Options) (r *verify.Report, err error) {
	err = at.RestoreAt(ctx, b, t, data, series.RestoreAtOptions{
		Prepare: func(folder string, inventory json.RawMessage) error {
			if err := pebble.Verify(ctx, folder, small(sizes)); err != nil {
				return err
			}
			return CompareInventory(ctx, folder, sizes, inventory)
		},
		Replay: func(folder string) (series.Replay, error) { return openReplay(ctx, folder, sizes) },
		Verify: func(folder string) error {
			if r, err = verifyFolder(ctx, folder, sizes, nil); err != nil {
				return err
			}
			if r.Found > 0 {
				return fault.E(fault.DataLoss, "%d records are damaged at %s, such as %s", r.Found, t.UTC().Format(time.RFC3339Nano), r.Problems[0])
			}
			return nil
		},
	})
	return r, err
}
