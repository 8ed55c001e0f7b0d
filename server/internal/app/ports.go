package app

import (
	"net"
	"slices"

	"clave/server/internal/app/config"
	"clave/server/internal/app/ports"
)

// listeners holds the listeners of the parts that run; the others are nil.
type listeners struct {
	firestore, auth, hosting, websocket, hub, console, storage, metrics, admin net.Listener
	// plain redirects browsers to https.
	plain net.Listener
}

// listen opens all ports first, so that nothing has been started if a port is in use.
func (a *App) listen() (listeners, error) {
	var p listeners
	c := a.config
	consoleHost, consolePort := consoleAt(c)
	metricsHost, metricsPort := hostPort(c.Metrics)
	adminHost, adminPort := hostPort(c.AdminAPI)
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
		{"console", consoleHost, consolePort, hasConsole(c), &p.console, &a.addresses.Console},
		{ports.Admin, adminHost, adminPort, c.AdminAPI != "", &p.admin, &a.addresses.Admin},
		{"http", c.HostFor(""), c.HTTPPort, c.HTTPPort != 0, &p.plain, new(string)},
	}
	for _, loose := range []bool{false, true} { // required ports first
		for _, want := range wants {
			if !want.runs || slices.Contains(c.Loose, want.name) != loose {
				continue
			}
			ln, err := ports.Open(c, want.name, want.host, want.port, a.o.Notices)
			if err != nil {
				return listeners{}, err
			}
			a.components.OnClose(ports.Closer(ln))
			*want.to, *want.addr = ln, ln.Addr().String()
		}
	}
	return p, nil
}
