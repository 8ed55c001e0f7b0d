// Package links creates links that open sessions of the console.
//
// `clave console` requests them at a socket in the data folder. Sessions exist at the leader only, so a node that
// shares its store requests links from the leader, and its console's port forwards to the leader's. A link leads to the
// console of the node at which it was requested.
package links

import (
	"context"
	"net/http"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/console/session"
	"clave/server/internal/httpx/controlsocket"
)

// ServiceName is the name of the leader's service for links.
const ServiceName = "console links"

// maxRequest is the maximum size of a request for a link, in bytes.
const maxRequest = 1 << 10

// Link is the leader's response: a link, or an empty secret if sessions need none.
type Link struct {
	Secret string    `json:"secret,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

// address returns the address of a link at the console of an origin.
func (l Link) address(origin string) session.Address {
	if l.Secret == "" {
		return session.Address{URL: origin + "/"}
	}
	return session.Address{URL: origin + "/?link=" + l.Secret, Until: l.Until.Truncate(time.Second)}
}

// Maker makes links.
type Maker func(ctx context.Context, in session.LinkRequest) (Link, error)

// Of returns the maker of links to sessions of this server.
func Of(sessions *session.Sessions) Maker {
	return func(_ context.Context, in session.LinkRequest) (Link, error) { return create(sessions, in.Write), nil }
}

// create creates a link.
func create(sessions *session.Sessions, write bool) Link {
	if !sessions.NeedsLink() {
		return Link{}
	}
	secret, until := sessions.Link(write)
	return Link{secret, until}
}

// URL returns the URL of a new link, whose session may not write, to the console of an origin.
func URL(sessions *session.Sessions, origin string) string {
	return create(sessions, false).address(origin).URL
}

// leaderTimeout is the time for which a request for a link waits for a leader. A change of leaders takes less.
const leaderTimeout = 10 * time.Second

// AtLeader returns the maker that requests links from the leader, which may be this node. It waits for a leader.
func AtLeader(client *forward.Client, leader func() (forward.Leader, <-chan struct{})) Maker {
	return func(ctx context.Context, in session.LinkRequest) (link Link, err error) {
		_, err = leaderservice.Retry(ctx, leader, leaderTimeout, func(leader forward.Leader) error {
			return leaderservice.Call(ctx, client, leader, ServiceName, in, &link)
		})
		return link, err
	}
}

// Handler returns the leader's service for links.
func (m Maker) Handler() http.Handler { return leaderservice.Handler(maxRequest, m) }

// Listen opens the socket for links in a data folder. origin returns the origin of this server's console.
func (m Maker) Listen(data string, origin func() string) (*controlsocket.Listener, error) {
	return session.Listen(data, func(ctx context.Context, in session.LinkRequest) (session.Address, error) {
		link, err := m(ctx, in)
		return link.address(origin()), err
	})
}

// Without returns the handlers of a leader without a console for other nodes: instead of its pages, and of its service
// for links.
func Without(node string) (pages, service http.Handler) {
	text := "The node that leads, " + node + ", runs without a console. Start it with --console."
	pages = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, text, http.StatusServiceUnavailable)
	})
	refuse := Maker(func(context.Context, session.LinkRequest) (Link, error) {
		return Link{}, fault.E(fault.FailedPrecondition, "%s", text)
	})
	return pages, refuse.Handler()
}
