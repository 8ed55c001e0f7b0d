package app

import (
	"context"
	"net"
	"net/http"
	"slices"
	"time"

	"clave/server/internal/admin"
	"clave/server/internal/admin/deployapi"
	"clave/server/internal/admin/firestoreadmin"
	"clave/server/internal/admin/project"
	"clave/server/internal/admin/rulesapi"
	"clave/server/internal/app/backups"
	"clave/server/internal/app/exports"
	"clave/server/internal/app/ports"
	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/node"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/transfer"
	"clave/server/internal/transport/port"
)

// makeAdmin creates the administration APIs of a listener, or returns nil if there is none. moves exports and imports.
func (a *App) makeAdmin(ctx context.Context, ln net.Listener, s *state, moves *transfer.Transfer) (http.Handler, error) {
	if ln == nil {
		return nil, nil
	}
	log, err := a.openAudit()
	if err != nil {
		return nil, err
	}
	databases := make([]string, len(a.config.Databases))
	for i, d := range a.config.Databases {
		databases[i] = d.ID
	}
	service := a.releases.Load()
	all := func() []string {
		return slices.Concat(databases, slices.DeleteFunc(a.data.Made.IDs(false), func(id string) bool { return slices.Contains(databases, id) }))
	}
	named := func(id string) resource.Database { return resource.Database{Project: a.config.Project, ID: id} }
	rules := rulesapi.New(rulesapi.Options{Databases: all, Releases: service, Store: s.store, Clock: a.o.Clock})
	o := firestoreadmin.Options{
		Project: a.config.Project, Databases: databases, Enterprise: a.data.IsEnterprise, Documents: s.Authorizer, Releases: service, Store: s.store, Clock: a.o.Clock, Log: a.o.Log,
		Made: &a.data.Made,
		Drop: func(ctx context.Context, id string) error { return s.Engine.Drop(ctx, named(id)) },
		Clone: func(ctx context.Context, from, to string, at time.Time) error {
			_, err := s.Engine.Clone(ctx, named(from), named(to), clock.VersionOf(at))
			return err
		},
		Restore: func(ctx context.Context, r firestoreadmin.Restoration) error {
			return s.backups.Restore(ctx, s.Engine, backups.Restoration{
				Backup: r.Backup, From: named(r.From), To: named(r.To), Enterprise: a.data.IsEnterprise(r.From), Edition: r.Edition, Report: r.Report,
			})
		},
		Copied: func(id string) (index.Definitions, error) { return s.Engine.Definitions(named(id)) },
		Stored: func(id string) bool { return slices.Contains(s.Engine.Databases(), named(id)) },
		Window: s.Engine.HistoryState().Window, Earliest: func(id string) time.Time {
			return s.Engine.Earliest(named(id)).Time()
		},
	}
	if o.Exports, o.Transfers, err = exports.Place(a.config, moves, a.o.Clock); err != nil {
		return nil, err
	}
	if s.backups != nil {
		o.Backups, o.Schedules = s.backups, s.backups.Plan
		o.Plan = firestoreadmin.Plan{Every: a.config.Backups.Every, Keep: a.config.Backups.Keep}
	}
	indexes, err := firestoreadmin.New(ctx, o)
	if err != nil {
		return nil, err
	}
	a.components.Add("administration", indexes)
	return admin.New(admin.Options{
		Project: a.config.Project, Number: project.Number(a.config.Project), Accounts: s.Tokens, Parsing: a.parsing, Audit: log, Log: a.o.Log,
		Routes: admin.Join(project.API{Site: a.deployed.ID}.Routes(), rules.Routes(), indexes.Routes(), a.deployed.API().Routes(), deployapi.API{Releases: service}.Routes()),
	}), nil
}

// adminOptions returns the options of the port of the administration APIs.
func (a *App) adminOptions(ln net.Listener, handler http.Handler) port.Options {
	return port.Options{
		Name: ports.Admin, Listener: ln, TLS: tlsAt(a, a.addresses.Admin), Handlers: port.Handlers{Site: handler}, Budget: a.budget, Connections: ownSlots(),
		Verbose: a.config.Verbose, Log: a.o.Log,
	}
}

// openAdmin opens the port of the administration APIs of a node that does not lead, which forwards to the leader. A
// leader without the APIs says so.
func openAdmin(a *App, n *node.Node, at net.Listener) {
	if at == nil {
		text := "The node that leads, " + n.Name() + ", runs without the administration APIs. Start it with --admin-api."
		n.Services[ports.Admin] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { admin.WriteUnavailable(w, text) })
		return
	}
	n.Open(a.adminOptions(at, admin.Forwarded(n.Forwarder.Forward(ports.Admin))))
	n.Services[ports.Admin] = n.Handler(ports.Admin)
}
