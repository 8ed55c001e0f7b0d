package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/controlsocket"
)

// Folder is the folder of the console's files in a data folder. Only the server's user may enter it.
const Folder = "console"

// socketName is the socket on which a running server creates links.
var socketName = filepath.Join(Folder, "link.sock")

// ErrNoServer is the error if no server with a console runs on a data folder.
var ErrNoServer = controlsocket.ErrNoServer

// Address is the address of a console.
type Address struct {
	// URL opens the console; it holds a link's secret in production.
	URL string `json:"url"`
	// Until is the time at which the link expires; zero without a link.
	Until time.Time `json:"until,omitzero"`
}

// LinkRequest requests a link.
type LinkRequest struct {
	// Write is set if the link's session may write.
	Write bool `json:"write"`
}

// Listen opens the socket in a data folder, which no other process may use. address creates a link.
func Listen(data string, address func(ctx context.Context, in LinkRequest) (Address, error)) (*controlsocket.Listener, error) {
	folder := filepath.Join(data, Folder)
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		return nil, err
	}
	return controlsocket.Listen(data, socketName, address)
}

// Request requests a link from the server that runs on a data folder. It returns ErrNoServer if no server with a
// console runs.
func Request(ctx context.Context, data string, write bool) (out Address, err error) {
	err = controlsocket.Request(ctx, data, socketName, LinkRequest{write}, &out)
	if errors.Is(err, fs.ErrPermission) {
		err = fault.Wrap(err, fault.PermissionDenied, "%s belongs to another user: run clave console as the server's user", data)
	}
	return out, err
}
