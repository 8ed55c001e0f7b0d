package app

import (
	"errors"
	"net"
	"strconv"
	"syscall"

	"clave/server/fault"
)

// ports are the listeners of the parts that run; the others are nil.
type ports struct {
	firestore, auth, hosting, websocket net.Listener
}

// listen takes all ports before anything else is done, so that a busy one leaves nothing half started.
func (a *App) listen() (ports, error) {
	var p ports
	c := a.config
	for _, want := range []struct {
		name string
		port int
		runs bool
		to   *net.Listener
		addr *string
	}{
		{"firestore", c.Ports.Firestore, c.Runs("firestore") && !c.Production(), &p.firestore, &a.addresses.Firestore},
		{"auth", c.Ports.Auth, c.Runs("auth") && !c.Production(), &p.auth, &a.addresses.Auth},
		{"hosting", c.Ports.Hosting, c.Production() || c.Runs("hosting") && len(c.Hosting) > 0, &p.hosting, &a.addresses.Hosting},
		{"websocketPort", c.Ports.Websocket, c.Runs("firestore") && !c.Production(), &p.websocket, &a.addresses.Websocket},
	} {
		if !want.runs {
			continue
		}
		ln, err := net.Listen("tcp", net.JoinHostPort(c.Host, strconv.Itoa(want.port)))
		if err != nil {
			return ports{}, portError(want.name, c.Host, want.port, err)
		}
		a.onClose(closer(ln))
		*want.to, *want.addr = ln, ln.Addr().String()
	}
	return p, nil
}

// closer returns what closes a listener, which may have been closed by whoever served it.
func closer(ln net.Listener) func() error {
	return func() error {
		if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// portError says what to do about a port that can't be had.
func portError(name, host string, port int, err error) error {
	where := net.JoinHostPort(host, strconv.Itoa(port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fault.Because(err, fault.Unavailable,
			"port %s for %s is taken by another program. Stop that program, or give another port in firebase.json under emulators.", where, name)
	}
	return fault.Because(err, fault.Unavailable, "cannot listen on %s for %s: %v. Choose another address with --host or another port in firebase.json.", where, name, err)
}
