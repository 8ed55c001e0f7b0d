package backups

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
)

// prove restores a backup to a folder, reads everything there, compares the records with each other, and returns what
// it has counted. If the log is shipped, it does so with the state at a random second of it too.
func prove(ctx context.Context, at *series.Series, b series.Backup, to string, sizes pebble.Options) (counted string, second time.Time, err error) {
	if counted, err = proveBackup(ctx, at, b, to, sizes); err != nil {
		return "", second, err
	}
	if err := os.RemoveAll(to); err != nil {
		return "", second, err
	}
	second, err = randomSecond(ctx, at)
	if err != nil || second.IsZero() {
		return counted, second, err
	}
	from, err := at.Before(ctx, second)
	if err != nil {
		return "", second, err
	}
	r, err := RestoreAt(ctx, at, from, second, filepath.Join(filepath.Dir(to), "second"), sizes)
	if err != nil {
		return "", second, fault.Wrap(err, fault.CodeOf(err), "the state at %s, chosen at random: %s", second.Format(time.RFC3339), fault.Reason(err))
	}
	return fmt.Sprintf("%s; and at %s, a second of the log, by %s: %s", counted, second.Format(time.RFC3339), from.Name, r), second, nil
}

// proveBackup restores a backup to a folder and verifies it.
func proveBackup(ctx context.Context, at *series.Series, b series.Backup, to string, sizes pebble.Options) (counted string, err error) {
	err = at.Restore(ctx, b, to, func(folder string, inventory json.RawMessage) error {
		if err := pebble.Verify(ctx, folder, small(sizes)); err != nil {
			return err
		}
		r, err := verifyFolder(ctx, folder, sizes, nil)
		if err != nil {
			return err
		}
		if r.Found > 0 {
			return fault.E(fault.DataLoss, "%d records are damaged, such as %s", r.Found, r.Problems[0])
		}
		if counted = r.String(); inventory != nil {
			counted += ", as the inventory of the backup says"
		}
		return CompareInventory(ctx, folder, sizes, inventory)
	})
	return counted, err
}

// randomSecond returns a random time of those that backups and the log can restore; zero if there is none.
func randomSecond(ctx context.Context, at *series.Series) (time.Time, error) {
	all, err := at.List(ctx)
	if err != nil {
		return time.Time{}, err
	}
	reaches, err := at.Reaches(ctx, all)
	if err != nil || len(reaches) == 0 {
		return time.Time{}, err
	}
	total := time.Duration(0)
	for _, r := range reaches {
		total += r.Until.Sub(r.From)
	}
	offset := rand.N(total + 1)
	for _, r := range reaches {
		if length := r.Until.Sub(r.From); offset > length {
			offset -= length
			continue
		}
		return r.From.Add(offset), nil
	}
	return reaches[0].From, nil
}
