package app

import (
	"context"
	"os"

	"clave/server/internal/app/config"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/database/authz"
)

// openReleases puts the rules of the release in force before requests are served, and registers the service that
// releases further files.
func (a *App) openReleases(ctx context.Context, s *state, rulesets *authz.Rulesets) error {
	o := releases.Options{Project: a.files(), Store: s.store, Engine: s.Engine, Rulesets: rulesets, Clock: a.o.Clock, Log: a.o.Log}
	if a.consoleData != nil {
		o.Defined = a.consoleData.define
	}
	r, err := releases.Open(ctx, o, s.release)
	if err != nil {
		return err
	}
	if !a.config.Production() {
		a.watchRules(func(ctx context.Context, d config.Database) { a.releaseOwn(ctx, []config.Database{d}) })
	}
	a.nodes.releases.Store(r)
	a.nodes.services[releases.ServiceName] = r.Handler()
	return nil
}

// releaseOwn releases the files of this node that firebase.json names, at SIGHUP.
func (a *App) releaseOwn(ctx context.Context, databases []config.Database) {
	s := &releases.Sender{Leader: leaderservice.Of(a.nodes.members), Client: a.nodes.node.Client(), Here: a.nodes.releases.Load}
	s.SendOwn(ctx, a.nodes.name, a.files(), databases, a.o.Log)
}

// Deploy releases files to the nodes that share a store: the files that the command line names, or those that
// firebase.json names.
func Deploy(ctx context.Context, c *config.Config, o Options) (*releases.Released, error) {
	o.EnsureDefaults()
	command := &releases.Command{
		Store: c.Store, By: "clave deploy on " + hostName(), Project: (&App{config: c, o: o}).files(), Files: c.Command, Database: c.Database, Clock: o.Clock, Log: o.Log,
	}
	return command.Deploy(ctx)
}

// nodeOrHost returns the name of the releasing node or machine.
func (a *App) nodeOrHost() string {
	if a.nodes != nil {
		return a.nodes.name
	}
	return "clave on " + hostName()
}

// hostName returns the machine's name.
func hostName() string {
	if host, err := os.Hostname(); err == nil {
		return host
	}
	return "a machine without a name"
}
