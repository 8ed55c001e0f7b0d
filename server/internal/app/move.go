package app

import (
	"context"

	"clave/server/internal/app/config"
	"clave/server/internal/database/move"
)

// MoveData copies everything from a data folder to an empty PostgreSQL, or back to an empty or absent folder. The
// source does not change.
func MoveData(ctx context.Context, from, to string, o Options) (*move.Report, error) {
	o.EnsureDefaults()
	a := &App{o: o}
	return move.Data(ctx, from, to, move.Options{
		Open: func(ctx context.Context, dir string) (move.Store, error) {
			return (&App{config: &config.Config{DataDir: dir}, o: o}).openExisting(ctx)
		},
		Local: a.sizes(), Node: "clave move on " + hostName(), Progress: a.progress(), Clock: o.Clock, Log: o.Log, Notices: o.Notices,
	})
}
