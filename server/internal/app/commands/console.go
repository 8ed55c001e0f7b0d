package commands

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/session"
)

// ConsoleLink requests a link to the console from the server that runs on the data folder.
func ConsoleLink(ctx context.Context, c *config.Config) (session.Address, error) {
	link, err := session.Request(ctx, c.DataDir, c.Write)
	if errors.Is(err, session.ErrNoServer) {
		return link, fault.Wrap(err, fault.FailedPrecondition,
			"%s: no server with a console runs on this data folder. Name another with --data, or start it with clave start or clave serve --console 127.0.0.1:4000.", c.DataDir)
	}
	return link, err
}
