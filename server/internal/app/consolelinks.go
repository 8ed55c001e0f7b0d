package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/console"
	"clave/server/internal/console/session"
)

// Links open sessions of the console. `clave console` requests them at a socket in the data folder. Sessions exist at
// the leader only, so a node that shares its store requests links from the leader, and its console's port forwards to
// the leader's. A link leads to the console of the node at which it was requested.

// consolePort is the name of the console's port, and linkService that of the leader's service for links.
const (
	consolePort = "console"
	linkService = "console links"
)

// maxLinkRequest is the maximum size of a request for a link, in bytes.
const maxLinkRequest = 1 << 10

// linkResponse is the leader's response: a link, or an empty secret if sessions need none.
type linkResponse struct {
	Secret string    `json:"secret,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

// makeLink creates a link.
func makeLink(sessions *session.Sessions, write bool) linkResponse {
	if !sessions.NeedsLink() {
		return linkResponse{}
	}
	secret, until := sessions.Link(write)
	return linkResponse{secret, until}
}

// linkAddress returns the address of a link at this node's console.
func (a *App) linkAddress(link linkResponse) session.Address {
	if link.Secret == "" {
		return session.Address{URL: a.consoleOrigin() + "/"}
	}
	return session.Address{URL: a.consoleOrigin() + "/?link=" + link.Secret, Until: link.Until.Truncate(time.Second)}
}

// offerLinks serves links for the table at the start and for `clave console`.
func (a *App) offerLinks(sessions *session.Sessions) {
	a.addresses.ConsoleURL = func() string { return a.linkAddress(makeLink(sessions, false)).URL }
	if a.nodes != nil {
		a.nodes.services[linkService] = leaderservice.Handler(maxLinkRequest, func(_ context.Context, in session.LinkRequest) (linkResponse, error) {
			return makeLink(sessions, in.Write), nil
		})
		return
	}
	if a.config.Memory {
		return
	}
	listener, err := session.Listen(a.config.DataDir, func(_ context.Context, in session.LinkRequest) (session.Address, error) {
		return a.linkAddress(makeLink(sessions, in.Write)), nil
	})
	if err != nil {
		a.o.Log.Warn(textNoLinks, "error", err)
		return
	}
	a.components.OnClose(listener.Close)
	a.components.Add(linkService, listener)
}

// textNoLinks is the message in the log if the socket for links cannot be opened.
const textNoLinks = "clave console cannot create links"

// openConsole opens the console's port of a node that does not lead, and the socket for links. Both stay open once it
// leads.
func (a *App) openConsole(n *nodes, p ports) {
	relay := console.Relay(a.consoleHosts(), n.node.Forward(consolePort))
	n.open(a.consoleOptions(p.console, relay))
	listener, err := session.Listen(a.config.DataDir, func(ctx context.Context, in session.LinkRequest) (session.Address, error) {
		link, err := n.requestLink(ctx, in)
		return a.linkAddress(link), err
	})
	if err != nil {
		a.o.Log.Warn(textNoLinks, "error", err)
		return
	}
	a.components.OnClose(listener.Close)
	n.early.Add(linkService, listener)
}

// requestLink requests a link from the leader, which may be this node. It waits for a leader.
func (n *nodes) requestLink(ctx context.Context, in session.LinkRequest) (link linkResponse, err error) {
	_, err = leaderservice.Retry(ctx, leaderservice.Of(n.members), linkTimeout, func(leader forward.Leader) error {
		return leaderservice.Call(ctx, n.node.Client(), leader, linkService, in, &link)
	})
	return link, err
}

// linkTimeout is the time for which a request for a link waits for a leader. A change of leaders takes less.
const linkTimeout = changeTime

// serveConsole adds the leader's console to the handlers for other nodes, or what reports that the leader has none.
func (n *nodes) serveConsole(handlers map[string]http.Handler) {
	if port := n.ports[consolePort]; port != nil {
		handlers[consolePort] = console.FromNodes(port.Handler())
		return
	}
	text := "The node that leads, " + n.name + ", runs without a console. Start it with --console."
	handlers[consolePort] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, text, http.StatusServiceUnavailable)
	})
	handlers[linkService] = leaderservice.Handler(maxLinkRequest, func(context.Context, session.LinkRequest) (linkResponse, error) {
		return linkResponse{}, fault.E(fault.FailedPrecondition, "%s", text)
	})
}

// ConsoleLink requests a link to the console from the server that runs on the data folder.
func ConsoleLink(ctx context.Context, c *config.Config) (session.Address, error) {
	link, err := session.Request(ctx, c.DataDir, c.Write)
	if errors.Is(err, session.ErrNoServer) {
		return link, fault.Wrap(err, fault.FailedPrecondition,
			"%s: no server with a console runs on this data folder. Name another with --data, or start it with clave start or clave serve --console 127.0.0.1:4000.", c.DataDir)
	}
	return link, err
}
