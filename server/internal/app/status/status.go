// Package status describes a running server to clave status, which requests it at a socket in the data folder.
package status

import (
	"context"
	"errors"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/controlsocket"
	"clave/server/internal/store/backup/schedule"
)

// socketName is the socket in the data folder of a running server.
const socketName = "status.sock"

// request is the body of a request.
type request struct{}

// Status is the state of a server.
type Status struct {
	Version string `json:"version"`
	Project string `json:"project"`
	// Now is the time of the server's clock.
	Now time.Time `json:"now"`
	// Problem is the reason why the server is not healthy; empty if it is.
	Problem string `json:"problem,omitempty"`
	// Used and Free are the bytes on this machine's disk; zero if the data are elsewhere.
	Used uint64 `json:"used"`
	Free uint64 `json:"free"`
	// History is the past that the server keeps.
	History History `json:"history"`
	// Backups is the state of the scheduled backups; nil if the server makes none.
	Backups *schedule.Status `json:"backups,omitempty"`
}

// History is the past that a server keeps of its default database.
type History struct {
	// Since is the time from which on the database can be read, and Window the configured time.
	Since  time.Time     `json:"since"`
	Window time.Duration `json:"window"`
	// Bytes is the size of the versions that are older than an hour, and MaxBytes its maximum. Shrunk counts how often the
	// history was made shorter than the window.
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"maxBytes"`
	Shrunk   int64 `json:"shrunk"`
}

// Failed reports whether the server has a problem that an operator must see: with its data, a backup, a trial restore,
// or commits that are not shipped for long.
func (s *Status) Failed() bool {
	b := s.Backups
	return s.Problem != "" || b != nil && (b.Failure != "" || b.Log != nil && b.Log.Late(s.Now))
}

// Listen opens the socket in a data folder. of returns the state of the server.
func Listen(data string, of func() Status) (*controlsocket.Listener, error) {
	return controlsocket.Listen(data, socketName, func(context.Context, request) (Status, error) { return of(), nil })
}

// Request requests the state of the server that runs on a data folder.
func Request(ctx context.Context, data string) (out Status, err error) {
	err = controlsocket.Request(ctx, data, socketName, request{}, &out)
	if errors.Is(err, controlsocket.ErrNoServer) {
		return out, fault.Wrap(err, fault.Unavailable, "%s: no server runs on this data folder, or it does not lead. Name another folder with --data, or start the server.", data)
	}
	return out, err
}
