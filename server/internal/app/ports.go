package app

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"syscall"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// ports holds the listeners of the parts that run; the others are nil.
type ports struct {
	firestore, auth, hosting, websocket, hub, console, storage, metrics net.Listener
	// plain redirects browsers to https.
	plain net.Listener
}

// listen opens all ports first, so that nothing has been started if a port is in use.
func (a *App) listen() (ports, error) {
	var p ports
	c := a.config
	consoleHost, consolePort := a.consoleAt()
	metricsHost, metricsPort := hostPort(c.Metrics)
	wants := []struct {
		name string
		host string
		port int
		runs bool
		to   *net.Listener
		addr *string
	}{
		{"firestore", c.HostFor(c.Hosts.Firestore), c.Ports.Firestore, c.Runs("firestore") && !c.Production(), &p.firestore, &a.addresses.Firestore},
		{"auth", c.HostFor(c.Hosts.Auth), c.Ports.Auth, c.Runs("auth") && !c.Production(), &p.auth, &a.addresses.Auth},
		{"hosting", c.HostFor(c.Hosts.Hosting), c.Ports.Hosting, c.Production() || c.ServesSite(), &p.hosting, &a.addresses.Hosting},
		{"websocketPort", c.HostFor(c.Hosts.Firestore), c.Ports.Websocket, c.Runs("firestore") && !c.Production(), &p.websocket, &a.addresses.Websocket},
		{"hub", c.HostFor(c.Hosts.Hub), c.Ports.Hub, !c.Production() && !c.NoHub, &p.hub, &a.addresses.Hub},
		{"storage", c.HostFor(""), 0, c.Mode == config.ModeExec, &p.storage, &a.addresses.Storage},
		{"metrics", metricsHost, metricsPort, c.Metrics != "", &p.metrics, &a.addresses.Metrics},
		{"console", consoleHost, consolePort, a.hasConsole(), &p.console, &a.addresses.Console},
		{"http", c.HostFor(""), c.HTTPPort, c.HTTPPort != 0, &p.plain, new(string)},
	}
	for _, loose := range []bool{false, true} { // required ports first
		for _, want := range wants {
			if !want.runs || slices.Contains(c.Loose, want.name) != loose {
				continue
			}
			ln, err := a.take(want.name, want.host, want.port)
			if err != nil {
				return ports{}, err
			}
			a.components.OnClose(closer(ln))
			*want.to, *want.addr = ln, ln.Addr().String()
		}
	}
	return p, nil
}

// closer returns a function that closes a listener and ignores that its server has closed it already.
func closer(ln net.Listener) func() error {
	return func() error {
		if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// maxPortTries is the number of ports that are tried after one in use.
const maxPortTries = 20

// take opens a port. A default port that is in use is replaced by one near it, or by any free one.
func (a *App) take(name, host string, port int) (net.Listener, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) && slices.Contains(a.config.Loose, name) {
		for i := 1; err != nil && i <= maxPortTries+1; i++ {
			other := port + i
			if i > maxPortTries {
				other = 0 // the system's choice
			}
			ln, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(other)))
		}
		if err == nil {
			fmt.Fprintf(a.o.Notices, "Port %d for %s is taken; using %d\n", port, name, ln.Addr().(*net.TCPAddr).Port)
		}
	}
	if err != nil {
		return nil, a.portError(name, host, port, err)
	}
	return ln, nil
}

// portError returns the error for a port that can't be opened, with a remedy.
func (a *App) portError(name, host string, port int, err error) error {
	where, remedy := net.JoinHostPort(host, strconv.Itoa(port)), "another port in firebase.json under emulators"
	if name == "metrics" {
		remedy = "another one with --metrics"
	} else if a.config.Production() {
		flag := "--port"
		switch {
		case name == "console":
			flag = "--console"
		case port == a.config.HTTPPort:
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
