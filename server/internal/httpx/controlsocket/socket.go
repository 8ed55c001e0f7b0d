// Package controlsocket connects commands to the server that runs on a data folder: HTTP over a socket in the folder,
// which only the folder's owner can open.
package controlsocket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/httpx/framing"
	"clave/server/internal/httpx/httpjson"
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
	socket, err := bind(path)
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

// bind creates a socket and listens at it.
func bind(path string) (socket net.Listener, err error) {
	err = shortened(path, func(short string) (err error) {
		socket, err = net.Listen("unix", short)
		return err
	})
	if err != nil {
		return nil, err
	}
	unix := socket.(*net.UnixListener)
	unix.SetUnlinkOnClose(false) // It would remove the socket by its short name.
	return &removedAtClose{unix, path}, nil
}

// removedAtClose is a socket whose file is removed before it is closed.
type removedAtClose struct {
	*net.UnixListener
	path string
}

// Close implements net.Listener.
func (l *removedAtClose) Close() error {
	if l.SetDeadline(time.Time{}) != nil { // It is closed, and the file may be another server's.
		return net.ErrClosed
	}
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.UnixListener.Close())
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
	server := &http.Server{Handler: framing.Handler(http.HandlerFunc(l.serve)), ReadTimeout: 10 * time.Second}
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
		return err
	}
	return c.Close()
}

// dial connects to a socket of a data folder. It returns ErrNoServer for a socket that does not exist or that a killed
// server has left.
func dial(ctx context.Context, data, name string) (c net.Conn, err error) {
	err = shortened(filepath.Join(data, name), func(short string) (err error) {
		c, err = (&net.Dialer{}).DialContext(ctx, "unix", short)
		return err
	})
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTDIR):
		return nil, ErrNoServer
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s: permission denied. Run the command as the owner of the data folder.", data)
	}
	return nil, err
}

// Request sends in as JSON to the server that runs on a data folder and decodes the response into out if out is not
// nil. It returns ErrNoServer if no server runs.
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
		return cutOff(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return cutOff(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		return fault.E(fault.FailedPrecondition, "%s", bytes.TrimSpace(text))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// cutOff returns the error of a request without a response: Unavailable if the server has ended, and otherwise the
// cause.
func cutOff(ctx context.Context, err error) error {
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fault.Wrap(err, fault.Unavailable, "the server ended before it responded. Run the command again once it runs.")
	}
	return err
}
