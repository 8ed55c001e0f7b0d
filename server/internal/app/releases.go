package app

import (
	"context"
	"os"

	"clave/server/internal/app/config"
	"clave/server/internal/cluster/releases"
)

// openReleases puts the rules of the release in force before requests are served, and registers the service that
// releases further files.
func (a *App) openReleases(ctx context.Context, s *state) error {
	o := releases.Options{Project: a.files(), Store: s.store, Engine: s.Engine, Rulesets: s.Rulesets, Clock: a.o.Clock, Log: a.o.Log}
	if a.consoleData != nil {
		o.Defined = a.consoleData.define
	}
	r, err := releases.Open(ctx, o, s.release)
	if err != nil {
		return err
	}
	if !a.config.Production() {
		a.watchRules(func(ctx context.Context, d config.Database) { a.node.ReleaseOwn(ctx, []config.Database{d}) })
	}
	a.node.OfferReleases(r)
	return nil
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
	if a.node != nil {
		return a.node.Name()
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
