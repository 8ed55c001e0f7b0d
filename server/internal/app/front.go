package app

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"path/filepath"

	"clave/server/internal/app/site"
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/base/fault"
	"clave/server/internal/console"
	"clave/server/internal/limit/slots"
	"clave/server/internal/transport/port"
)

// openPorts opens the ports with their handlers.
func (a *App) openPorts(p listeners, calls *calls) error {
	static, err := a.site()
	if err != nil {
		return err
	}
	a.addresses.Scheme = "http"
	if a.encryption != nil {
		a.addresses.Scheme = "https"
	}
	// The firestore and hosting ports each need a gRPC server of their own, because a server ends with its listener.
	open := func(name string, ln net.Listener, handlers port.Handlers) {
		if ln != nil {
			o := a.portOptions(name, ln, handlers)
			o.TLS = a.encryption
			a.openPort(o)
		}
	}
	if p.firestore != nil {
		firestore, err := calls.firestoreHandlers()
		if err != nil {
			return err
		}
		open("firestore", p.firestore, firestore)
	}
	if p.auth != nil {
		open("auth", p.auth, port.Handlers{Identity: calls.identity, Control: calls.accounts, Site: port.WithCORS(calls.accounts), Health: calls.health})
	}
	if p.hosting != nil {
		whole, err := calls.firestoreHandlers()
		if err != nil {
			return err
		}
		whole.Control = nil // the emulator's control routes must not be on the origin of pages
		whole.Identity, whole.Site, whole.IdentityHost = calls.identity, static, rpcidentity.IsHost
		whole.Reserved = site.Reserved(a.config, a.addresses.Auth, a.addresses.Firestore, calls.signIn)
		open("hosting", p.hosting, whole)
	}
	open("hub", p.hub, port.Handlers{Hub: a.makeHub(calls.transfer), Health: calls.health})
	open("storage", p.storage, port.Handlers{Hub: noStorage(a.o.Log)})
	if p.console != nil {
		a.openPort(a.consoleOptions(p.console, calls.console))
	}
	if p.admin != nil {
		a.openPort(a.adminOptions(p.admin, calls.admin))
	}
	if p.metrics != nil {
		handlers, err := a.metricsHandlers(a.observed.serverState)
		if err != nil {
			return err
		}
		a.openPort(a.metricsOptions(p.metrics, handlers))
	}
	if p.plain != nil {
		a.openPort(a.plainOptions(p.plain, calls.health))
	}
	if p.websocket != nil {
		a.openPort(a.requestsOptions(p.websocket, port.Handlers{Site: calls.monitor, Health: calls.health}))
	}
	if a.node != nil {
		a.node.ServeAsLeader(&a.components)
	}
	return nil
}

// portOptions returns the options of a port for clients.
func (a *App) portOptions(name string, ln net.Listener, handlers port.Handlers) port.Options {
	return port.Options{
		Name: name, Listener: ln, Handlers: handlers, Budget: a.budget, Connections: a.connections, Calls: a.calls, Responses: a.responses, ProxyHops: a.proxyHops(),
		PrivateNetwork: !a.config.Production(), Verbose: a.config.Verbose, Log: a.o.Log,
	}
}

// openPort opens a port. One that answers already, at a node that shares its store, serves the handlers once the node
// leads.
func (a *App) openPort(o port.Options) {
	if a.node != nil && a.node.Lead(o.Name, o.Handlers) {
		return
	}
	a.components.Add(o.Name+" port", port.New(o))
}

// maxOwn is the maximum number of connections of each port that is not for clients. Without it, the clients of such a
// port could take the descriptors and the memory of the others.
const maxOwn = 512

// ownSlots returns the slots of the connections of a port that is not for clients.
func ownSlots() *slots.Slots { return slots.New(slots.Options{All: maxOwn}) }

// consoleOptions returns the options of the console's port.
func (a *App) consoleOptions(ln net.Listener, pages http.Handler) port.Options {
	return port.Options{
		Name: "console", Listener: ln, TLS: a.consoleTLS(), Handlers: port.Handlers{Site: pages}, Budget: a.budget, Connections: ownSlots(), Verbose: a.config.Verbose, ShownPath: console.ShownPath, Log: a.o.Log,
	}
}

// metricsOptions returns the options of the port of the metrics.
func (a *App) metricsOptions(ln net.Listener, handlers port.Handlers) port.Options {
	return port.Options{
		Name: "metrics", Listener: ln, Handlers: handlers, Budget: a.budget, Connections: ownSlots(), Verbose: a.config.Verbose, Log: a.o.Log,
	}
}

// plainOptions returns the options of the port that redirects to https.
func (a *App) plainOptions(ln net.Listener, health func() error) port.Options {
	return port.Options{Name: "http", Listener: ln, Handlers: port.Handlers{Site: port.ToHTTPS(a.config.Ports.Hosting), Health: health}, Budget: a.budget, Connections: a.connections, Log: a.o.Log}
}

// requestsOptions returns the options of the port of the monitor of requests.
func (a *App) requestsOptions(ln net.Listener, handlers port.Handlers) port.Options {
	return port.Options{Name: "requests", Listener: ln, Handlers: handlers, Budget: a.budget, Connections: ownSlots(), Log: a.o.Log}
}

// site returns the static site, which it opens once: a node that shares its store serves the site before it leads.
func (a *App) site() (http.Handler, error) {
	if a.opened == nil {
		s, err := a.deployed.Open(a.config, a.o.Notices, a.o.Log)
		if err != nil {
			return nil, err
		}
		if s.Close != nil {
			a.components.OnClose(s.Close)
		}
		if s.Unavailable { // No address is shown for a missing site.
			a.addresses.Hosting = ""
		}
		a.opened = &s
	}
	return a.opened.Handler, nil
}

// openDeployed opens the versions of the site that were deployed to this server, or to the nodes that share its store.
func openDeployed(ctx context.Context, a *App, s *state) (err error) {
	if a.deployed, err = site.OpenDeployed(ctx, a.config, a.addresses.Hosting, s.store, a.o.Clock, a.o.Log); err == nil && a.deployed.Versions != nil {
		a.components.Add("deployed site", a.deployed.Versions)
		a.components.OnClose(a.deployed.Replace(a.opened))
	}
	return err
}

// tls returns the certificates of a port that terminates TLS itself, or nil.
func (a *App) tls() (*tls.Config, error) {
	c := a.config
	if c.TLSCert == "" && len(c.ACMEDomains) == 0 {
		return nil, nil
	}
	settings, err := port.TLS(port.CertificateOptions{
		CertFile: c.TLSCert, KeyFile: c.TLSKey, Domains: c.ACMEDomains, Directory: c.ACMEDirectory, Email: c.ACMEEmail,
		Cache: filepath.Join(c.DataDir, "certificates"), Clock: a.o.Clock, Log: a.o.Log,
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot use the certificate: %v. Correct --tls-cert and --tls-key.", err)
	}
	return settings, nil
}
