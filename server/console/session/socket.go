package session

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
	"clave/server/process"
)

// Folder is the folder of the console's files in a data folder. Nobody but the server's user may enter it.
const Folder = "console"

// socketName is the socket in Folder at which a running server makes links.
const socketName = "link.sock"

// ErrNoServer is the error when no server with a console runs on a data folder.
var ErrNoServer = errors.New("no server with a console runs on the data folder")

// Address is where a console is.
type Address struct {
	// URL opens the console; it holds a link's secret in production.
	URL string `json:"url"`
	// Until is when the link ends; zero where there is none.
	Until time.Time `json:"until,omitzero"`
}

// Listener makes links on requests at its socket.
type Listener struct {
	address func(write bool) Address
	socket  net.Listener
}

// Listen opens the socket in a data folder, which the caller has for itself. address makes a link.
func Listen(data string, address func(write bool) Address) (*Listener, error) {
	folder := filepath.Join(data, Folder)
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, socketName)
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
	return &Listener{address: address, socket: socket}, nil
}

// Close closes the socket, if Run has not.
func (l *Listener) Close() error {
	if err := l.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Run makes links until ctx is done.
func (l *Listener) Run(ctx context.Context) error {
	server := &http.Server{Handler: http.HandlerFunc(l.answer), ReadTimeout: 10 * time.Second}
	return process.Serve(ctx, server, l.socket, time.Second)
}

// linkRequest asks for a link.
type linkRequest struct {
	Write bool `json:"write"`
}

// maxRequest is the greatest request for a link.
const maxRequest = 4 << 10

// answer makes a link.
func (l *Listener) answer(w http.ResponseWriter, r *http.Request) {
	var in linkRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text, err := json.Marshal(l.address(in.Write))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text) // who asked has gone if this fails
}

// Request has the server that runs on a data folder make a link. It returns ErrNoServer when none with a console runs.
func Request(ctx context.Context, data string, write bool) (Address, error) {
	body, err := json.Marshal(linkRequest{Write: write})
	if err != nil {
		return Address{}, err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(data, Folder, socketName))
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://clave/", bytes.NewReader(body))
	if err != nil {
		return Address{}, err
	}
	res, err := (&http.Client{Transport: transport}).Do(r)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED):
		return Address{}, ErrNoServer
	case errors.Is(err, fs.ErrPermission):
		return Address{}, fault.Because(err, fault.PermissionDenied, "%s belongs to another user: run clave console as the server's", data)
	case err != nil:
		return Address{}, err
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxRequest))
	if err != nil {
		return Address{}, err
	}
	if res.StatusCode != http.StatusOK {
		return Address{}, fault.E(fault.FailedPrecondition, "%s", bytes.TrimSpace(text))
	}
	var out Address
	return out, json.Unmarshal(text, &out)
}
