// Package datasocket connects commands to the server that runs on a data folder: HTTP over a socket in the folder, which only the
// folder's owner can open.
package datasocket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"clave/server/fault"
	"clave/server/httpjson"
	"clave/server/process"
)

// ErrNoServer is the error when no server runs on a data folder.
var ErrNoServer = errors.New("no server listens in the data folder")

// The limits of requests.
const (
	maxRequest = 1 << 16
	// stopTime is the time for which a request in progress may delay the server's end.
	stopTime = 30 * time.Second
)

// Listener serves requests at a socket.
type Listener struct {
	answer func(ctx context.Context, body []byte) (any, error)
	socket net.Listener
}

// Listen opens a socket in a data folder. Run decodes the body of each request from JSON, calls answer with it and
// sends the result as JSON. The caller must be the only process that uses the folder; an existing socket is then the
// remains of a killed process.
func Listen[In, Out any](data, name string, answer func(ctx context.Context, in In) (Out, error)) (*Listener, error) {
	path := filepath.Join(data, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	socket, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	decoded := func(ctx context.Context, body []byte) (any, error) {
		var in In
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "the request is not valid JSON: %v", err)
		}
		return answer(ctx, in)
	}
	return &Listener{answer: decoded, socket: socket}, nil
}

// Close closes the socket if Run has not closed it.
func (l *Listener) Close() error {
	if err := l.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Run serves requests until ctx is done.
func (l *Listener) Run(ctx context.Context) error {
	server := &http.Server{Handler: http.HandlerFunc(l.serve), ReadTimeout: 10 * time.Second}
	return process.Serve(ctx, server, l.socket, stopTime)
}

// serve answers a request.
func (l *Listener) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	var answer any
	if err == nil {
		answer, err = l.answer(r.Context(), body)
	}
	if err == nil {
		httpjson.Write(w, http.StatusOK, answer)
		return
	}
	message := err.Error()
	var named *fault.Error
	if errors.As(err, &named) {
		message = named.Message
	}
	http.Error(w, message, http.StatusConflict)
}

// Running returns ErrNoServer unless a server listens at a socket of a data folder.
func Running(ctx context.Context, data, name string) error {
	c, err := dial(ctx, data, name)
	if err != nil {
		return absent(err)
	}
	return c.Close()
}

// dial connects to a socket of a data folder.
func dial(ctx context.Context, data, name string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(data, name))
}

// absent returns ErrNoServer for the errors of connecting to a socket that does not exist or that a killed server has left, and other
// errors as they are.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNoServer
	}
	return err
}

// Request sends in as JSON to the server that runs on a data folder and decodes the response into out if out is not nil. It
// returns ErrNoServer if no server runs.
func Request(ctx context.Context, data, name string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, data, name)
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://clave/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return absent(err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fault.E(fault.FailedPrecondition, "%s", bytes.TrimSpace(text))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}
