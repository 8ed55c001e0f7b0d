package commands

import (
	"context"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/database/move"
)

// MoveData copies everything from a data folder to an empty PostgreSQL, or back to an empty or absent folder. The
// source does not change.
func MoveData(ctx context.Context, from, to string, o Options) (*move.Report, error) {
	o.EnsureDefaults()
	at := func(dir string) *datastore.Opener {
		return o.opener(&config.Config{DataDir: dir}, new(process.Components))
	}
	own := at("")
	return move.Data(ctx, from, to, move.Options{
		Open:  func(ctx context.Context, dir string) (move.Store, error) { return at(dir).Existing(ctx) },
		Local: own.Sizes(), Node: "clave move on " + datastore.HostName(), Progress: own.Progress(), Clock: clock.System(), Log: o.Log, Notices: o.Notices,
	})
}
