package backups

import (
	"context"
	"encoding/json"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/verify"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
)

// openStore opens the store in a folder that no server uses.
func openStore(folder string) (series.Store, error) {
	s, err := pebble.Open(folder, small(pebble.Options{Scanned: derive.IsEntry, Region: keys.Region}))
	if err != nil {
		return nil, err
	}
	return s, nil
}

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
