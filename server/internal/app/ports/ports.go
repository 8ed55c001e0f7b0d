// Package ports opens the ports of a server's parts.
package ports

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"syscall"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// Admin is the name of the port of the administration APIs.
const Admin = "admin"

// Closer returns a function that closes a listener and ignores that its server has closed it already.
func Closer(ln net.Listener) func() error {
	return func() error {
		if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// maxPortTries is the number of ports that are tried after one in use.
const maxPortTries = 20

// Open opens the port of a part. A default port that is in use is replaced by one near it, or by any free one, which is
// noted. Errors name a remedy.
func Open(c *config.Config, name, host string, port int, notices io.Writer) (net.Listener, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) && slices.Contains(c.Loose, name) {
		for i := 1; err != nil && i <= maxPortTries+1; i++ {
			other := port + i
			if i > maxPortTries {
				other = 0 // the system's choice
			}
			ln, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(other)))
		}
		if err == nil {
			fmt.Fprintf(notices, "Port %d for %s is taken; using %d\n", port, name, ln.Addr().(*net.TCPAddr).Port)
		}
	}
	if err != nil {
		return nil, openError(c, name, host, port, err)
	}
	return ln, nil
}

// openError returns the error for a port that can't be opened, with a remedy.
func openError(c *config.Config, name, host string, port int, err error) error {
	where, remedy := net.JoinHostPort(host, strconv.Itoa(port)), "another port in firebase.json under emulators"
	if name == "metrics" {
		remedy = "another one with --metrics"
	} else if c.Production() {
		flag := "--port"
		switch {
		case name == "console":
			flag = "--console"
		case name == Admin:
			flag = "--admin-api"
		case port == c.HTTPPort:
			flag = "--http-port"
		}
		name, remedy = "clave serve", "another one with "+flag
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fault.Wrap(err, fault.Unavailable, "port %s for %s is taken by another program. Stop that program, or give %s.", where, name, remedy)
	case errors.Is(err, syscall.EACCES):
		return fault.Wrap(err, fault.Unavailable,
			"port %s for %s is for the system's own programs. Give the program the right (CAP_NET_BIND_SERVICE; systemd: AmbientCapabilities), or give %s.", where, name, remedy)
	}
	return fault.Wrap(err, fault.Unavailable, "cannot listen on %s for %s: %v. Choose another address with --host, or give %s.", where, name, err, remedy)
}
