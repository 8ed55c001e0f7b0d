package backup

import (
	"context"
	"fmt"
	"path/filepath"

	"clave/server/internal/httpx/controlsocket"
)

// socketName is the socket in the data folder of a running server.
const socketName = "backup.sock"

// ErrNoServer is the error when no server runs on a data folder.
var ErrNoServer = controlsocket.ErrNoServer

// request is the body of a request for a copy.
type request struct {
	// Dir is an absolute path.
	Dir string `json:"dir"`
}

// Listen opens the socket in a data folder. A running server makes copies of its data on request there.
func Listen(s Source, data string) (*controlsocket.Listener, error) {
	return controlsocket.Listen(data, socketName, func(ctx context.Context, in request) (any, error) {
		if !filepath.IsAbs(in.Dir) {
			return nil, fmt.Errorf("%q is not an absolute path", in.Dir)
		}
		return nil, Make(ctx, s, data, in.Dir)
	})
}

// Request requests a copy in dir, an absolute path, from the server that runs on a data folder. It returns ErrNoServer
// if no server runs.
func Request(ctx context.Context, data, dir string) error {
	return controlsocket.Request(ctx, data, socketName, request{Dir: dir}, nil)
}
