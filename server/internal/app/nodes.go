package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"clave/server/internal/app/datafolder"
	"clave/server/internal/app/datastore"
	"clave/server/internal/app/site"
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/node"
	"clave/server/internal/console"
	"clave/server/internal/console/checkcounts"
	"clave/server/internal/console/links"
	"clave/server/internal/limit/heap"
	"clave/server/internal/observe/prometheus"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/transport/port"
)

// consolePort is the name of the console's port.
const consolePort = "console"

// join adds this node to the nodes on PostgreSQL and opens its ports, which forward until the node leads. Its parts are
// not started.
func (a *App) join(ctx context.Context, p listeners) (err error) {
	if _, err := a.data.Make(datafolder.Replica); err != nil { // the node's name is a file beside it
		return err
	}
	o := node.Options{URL: a.config.Store, Listen: a.config.ClusterListen, Project: a.data.Files(), Stack: a.stackOptions(), Clock: a.o.Clock, Log: a.o.Log}
	if o.Name, err = a.data.Folder.Node(); err != nil {
		return err
	}
	if a.o.GovernMemory {
		o.Govern = func(ctx context.Context, rest func(context.Context)) {
			_ = heap.NewGovernor(a.o.Clock, a.o.Memory.Limit, rest).Run(ctx) // always nil
		}
	}
	if a.encryption, err = a.tls(); err != nil {
		return err
	}
	n, err := node.Join(ctx, o)
	if err != nil {
		return err
	}
	a.node = n
	a.components.OnClose(n.Close)
	static, err := a.site()
	if err != nil {
		return err
	}
	static = site.Follow(a.config, static, n.Forwarder.Forward("hosting"), n.Has)
	for _, at := range []struct {
		name     string
		listener net.Listener
		handlers port.Handlers
	}{
		{"firestore", p.firestore, port.Handlers{}},
		{"auth", p.auth, port.Handlers{}},
		{"hosting", p.hosting, port.Handlers{Site: static, Reserved: site.Reserved(a.config, a.addresses.Auth, a.addresses.Firestore, nil), IdentityHost: rpcidentity.IsHost}},
	} {
		if at.listener != nil {
			o := a.portOptions(at.name, at.listener, at.handlers)
			o.TLS = a.encryption
			n.OpenForwarding(ctx, o, at.name != "auth")
		}
	}
	if err := a.openOtherPorts(ctx, n, p); err != nil {
		return err
	}
	n.Everywhere[checkcounts.ServiceName] = checkcounts.Handler(o.Name, a.counts, a.config.Auth.AppCheck != nil)
	n.Opened()
	return nil
}

// openOtherPorts opens the other ports of a node that does not lead: those of its metrics and of the redirection to
// https, which every node has, the console's, and those of the parts that run at the leader only, which respond with
// the leader's address.
func (a *App) openOtherPorts(ctx context.Context, n *node.Node, p listeners) error {
	if p.metrics != nil {
		handlers, err := a.metricsHandlers(func(context.Context) prometheus.State { return a.observed.followerState(n) })
		if err != nil {
			return err
		}
		n.Open(a.metricsOptions(p.metrics, handlers))
	}
	if p.plain != nil {
		n.Open(a.plainOptions(p.plain, func() error { return n.LeaderHealth(ctx, "hosting") }))
	}
	a.openConsole(n, p.console)
	openAdmin(a, n, p.admin)
	if p.hub != nil {
		n.Open(a.portOptions("hub", p.hub, port.Handlers{Hub: n.OnlyAtLeader("The emulator hub")}))
	}
	if p.websocket != nil {
		n.Open(a.requestsOptions(p.websocket, port.Handlers{Site: n.OnlyAtLeader("The monitor of requests")}))
	}
	return nil
}

// openConsole opens the console's port of a node that does not lead, and the socket for links. Both stay open once it
// leads. Without a console the services say so.
func (a *App) openConsole(n *node.Node, at net.Listener) {
	if at == nil {
		n.Services[consolePort], n.Services[links.ServiceName] = links.Without(n.Name())
		return
	}
	n.Open(a.consoleOptions(at, console.Relay(a.consoleHosts(), n.Forwarder.Forward(consolePort))))
	n.Services[consolePort] = console.FromNodes(n.Handler(consolePort))
	if listener := a.listenLinks(links.AtLeader(n.Forwarder.Client(), n.Leader)); listener != nil {
		n.Early.Add(links.ServiceName, listener)
	}
}

// offer registers the services of a leader for other nodes and commands.
func (a *App) offer(s *state) error {
	if store, shared := s.store.(*postgres.Store); shared {
		if err := a.node.OfferIndexes(store, s.Engine, s.Rulesets); err != nil {
			return err
		}
	}
	a.node.OfferMissing(s.Engine)
	a.node.OfferProject()
	return nil
}

// openLeading opens the store on PostgreSQL and waits until this node leads. Meanwhile the ports forward to the leader.
func (a *App) openLeading(ctx context.Context, p listeners) (*postgres.Store, error) {
	if err := a.join(ctx, p); err != nil {
		return nil, err
	}
	if a.config.Production() {
		a.node.Early.Start("reload", func(ctx context.Context) error {
			return process.Hangups(ctx, func() { a.node.ReleaseOwn(ctx, a.config.Databases) })
		})
	}
	st, err := a.node.Await(ctx, a.openShared, func(store *postgres.Store) {
		a.components.Add("store", store) // whose own work begins once it leads
	})
	if err == nil && a.followed.Load() {
		a.ledSince = clock.System().Now()
	}
	return st, err
}

// openShared opens the store on PostgreSQL with this node's replica. It does not lead yet.
func (a *App) openShared(ctx context.Context) (*postgres.Store, error) {
	at := datastore.At{Inner: a.node.Inner, Address: cmp.Or(a.addresses.Hosting, a.addresses.Firestore)}
	at.Waiting = func(leader string) {
		a.followed.Store(true)
		fmt.Fprintf(a.o.Notices, "Follower: %s leads\n", leader)
	}
	return a.data.Shared(ctx, at)
}

// Moved reports whether an app has ended because another node leads now. The app may be built again, and is a follower
// then.
func Moved(err error) bool { return errors.Is(err, store.ErrMoved) }
