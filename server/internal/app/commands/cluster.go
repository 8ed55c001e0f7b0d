package commands

import (
	"context"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// Deploy releases files to the nodes that share a store: the files that the command line names, or those that
// firebase.json names.
func Deploy(ctx context.Context, c *config.Config, o Options) (*releases.Released, error) {
	o.EnsureDefaults()
	command := &releases.Command{
		Store: c.Store, By: "clave deploy on " + datastore.HostName(), Project: o.opener(c, new(process.Components)).Files(), Files: c.Command, Database: c.Database, Clock: clock.System(), Log: o.Log,
	}
	return command.Deploy(ctx)
}

// ClusterStatus returns the status of the nodes on the PostgreSQL at a URL, and the release in force.
func ClusterStatus(ctx context.Context, url string) (*postgres.Status, *release.Release, error) {
	st, err := postgres.ReadStatus(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	value, _, err := postgres.Peek(ctx, url, release.Key())
	if err != nil {
		return nil, nil, err
	}
	r, err := release.Decode(value)
	return st, r, err
}
