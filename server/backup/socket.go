package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"clave/server/fault"
	"clave/server/process"
)

// socketName is the socket in the data folder of a running server.
const socketName = "backup.sock"

// ErrNoServer is the error when no server runs on a data folder.
var ErrNoServer = errors.New("no server listens in the data folder")

// stopTime is how long a copy that is being made may delay the server's end.
const stopTime = 30 * time.Second

// Listener makes copies of a running server's data on requests at its socket.
type Listener struct {
	source Source
	data   string
	socket net.Listener
}

// Listen opens the socket in a data folder. The caller has the store for itself, so a socket that is there is left
// from a process that was killed.
func Listen(s Source, data string) (*Listener, error) {
	path := filepath.Join(data, socketName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	socket, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, fileMode); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return &Listener{source: s, data: data, socket: socket}, nil
}

// Close closes the socket, if Run has not.
func (l *Listener) Close() error {
	if err := l.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Run makes copies until ctx is done.
func (l *Listener) Run(ctx context.Context) error {
	server := &http.Server{Handler: http.HandlerFunc(l.answer), ReadTimeout: 10 * time.Second}
	return process.Serve(ctx, server, l.socket, stopTime)
}

// request is the body of a request for a copy.
type request struct {
	// Dir is an absolute path.
	Dir string `json:"dir"`
}

// answer makes a copy.
func (l *Listener) answer(w http.ResponseWriter, r *http.Request) {
	var in request
	err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&in)
	if err == nil && !filepath.IsAbs(in.Dir) {
		err = fmt.Errorf("%q is no absolute path", in.Dir)
	}
	if err == nil {
		err = Make(l.source, l.data, in.Dir)
	}
	if err == nil {
		return
	}
	text := err.Error()
	var named *fault.Error
	if errors.As(err, &named) {
		text = named.Message
	}
	http.Error(w, text, http.StatusConflict)
}

// Request has the server that runs on a data folder make a copy in dir, an absolute path. It returns ErrNoServer when none runs.
func Request(ctx context.Context, data, dir string) error {
	body, err := json.Marshal(request{Dir: dir})
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(data, socketName))
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://clave/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := (&http.Client{Transport: transport}).Do(r)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNoServer
	}
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fault.E(fault.FailedPrecondition, "%s", bytes.TrimSpace(text))
	}
	return nil
}
