package commands

import (
	"context"

	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

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
