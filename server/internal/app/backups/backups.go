// Package backups wires the backups that a server makes, and the verification of data folders and backups.
package backups

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/database/verify"
	"clave/server/internal/observe/prometheus"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
)

// rate is the maximum number of bytes that a backup on the schedule reads in a second: at half of it, the rest of a
// slow disk is left for requests.
const rate = 64 << 20

// identityKey is the key of the identity of a store's data, which keeps two servers from writing to one folder of
// backups.
const identityKey = "backup/identity"

// Source is the store of a server.
type Source interface {
	store.Store
	backup.Source
}

// Options configure New.
type Options struct {
	// Sizes are the options of the server's store.
	Sizes pebble.Options
	Clock clock.Clock
	Log   *slog.Logger
}

// New returns the schedule of the backups of a store, or nil if the configuration has no folder for them. Among nodes,
// only the one that leads may run it.
func New(ctx context.Context, c *config.Config, s Source, o Options) (*schedule.Schedule, error) {
	b := c.Backups
	if b.To == "" {
		return nil, nil
	}
	for _, dir := range []string{b.To, filepath.Join(b.To, "a backup")} {
		// A folder that can't be reached now does not keep the server from serving: the backups fail until it can.
		if err := backup.Outside(c.DataDir, dir); fault.Is(err, fault.InvalidArgument) {
			return nil, fault.E(fault.InvalidArgument, "--backup-to %s is in the data folder; name a folder on another disk", b.To)
		}
	}
	id, err := identity(ctx, s)
	if err != nil {
		return nil, err
	}
	prove := func(ctx context.Context, dir, to string) (string, error) { return prove(ctx, dir, to, o.Sizes) }
	return schedule.New(schedule.Options{
		Series: series.Series{Dir: b.To}, Every: b.Every, Keep: b.Keep, ProveEvery: b.Verify, Prove: prove, Clock: o.Clock, Log: o.Log,
		Request: series.Request{Source: s, Data: c.DataDir, ID: id, Rate: rate, Clock: o.Clock},
	}), nil
}

// identity returns the identity of a store's data. It creates one if there is none.
func identity(ctx context.Context, s store.Store) (string, error) {
	stored, ok, err := s.Get([]byte(identityKey))
	if err != nil || ok {
		return string(stored), err
	}
	id := randid.New(20)
	var b store.Batch
	b.Set([]byte(identityKey), []byte(id))
	return id, s.Apply(ctx, &b)
}

// prove restores a copy to a folder, reads everything there, compares the records with each other, and returns what it
// has counted.
func prove(ctx context.Context, dir, to string, sizes pebble.Options) (counted string, err error) {
	err = backup.Restore(ctx, dir, to, func(folder string) error {
		if err := pebble.Verify(ctx, folder, small(sizes)); err != nil {
			return err
		}
		r, err := verifyFolder(ctx, folder, sizes)
		if err != nil {
			return err
		}
		if r.Found > 0 {
			return fault.E(fault.DataLoss, "%d records are damaged, such as %s", r.Found, r.Problems[0])
		}
		counted = r.String()
		return nil
	})
	return counted, err
}

// small returns the options of a store that is opened beside the served one, or by a command.
func small(o pebble.Options) pebble.Options {
	o.CacheBytes, o.MemTableBytes = 8<<20, 4<<20
	return o
}

// verifyFolder compares the records of a store that is not in use with each other.
func verifyFolder(ctx context.Context, folder string, sizes pebble.Options) (r *verify.Report, err error) {
	s, err := pebble.Open(folder, small(sizes))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return verify.Store(ctx, s)
}

// Verify compares the records of a data folder that no server uses, or of a backup, with each other. A backup is
// compared with its list, and restored to a temporary folder.
func Verify(ctx context.Context, dir string, sizes pebble.Options) (r *verify.Report, err error) {
	folder := filepath.Join(dir, datafolder.Store)
	if _, err := os.Stat(folder); err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "%s is neither a data folder nor a backup: %v", dir, err)
	}
	if _, err := backup.Size(dir); fault.Is(err, fault.NotFound) {
		return verifyFolder(ctx, folder, sizes)
	}
	scratch, done, err := backup.ScratchCopy(filepath.Join(os.TempDir(), "clave-verify"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	err = backup.Restore(ctx, dir, filepath.Join(scratch, "data"), func(folder string) error {
		r, err = verifyFolder(ctx, folder, sizes)
		return err
	})
	return r, err
}

// State returns the state of a schedule for the metrics; nil if there is none.
func State(s *schedule.Schedule) *prometheus.Backups {
	if s == nil {
		return nil
	}
	st := s.Status()
	return &prometheus.Backups{Count: st.Count, Bytes: st.Bytes, Last: st.Last, Proved: st.Proved, Failures: st.Failures, Unproved: st.Unproved}
}
