package app

import (
	"context"

	"clave/server/internal/app/config"
	"clave/server/internal/cluster/releases"
)

// openReleases puts the rules of the release in force before requests are served, and registers the service that
// releases further files.
func (a *App) openReleases(ctx context.Context, s *state) error {
	o := releases.Options{Project: a.data.Files(), Store: s.store, Engine: s.Engine, Rulesets: s.Rulesets, Clock: a.o.Clock, Log: a.o.Log}
	if a.consoleData != nil {
		o.Defined = a.consoleData.define
	}
	r, err := releases.Open(ctx, o, s.release)
	if err != nil {
		return err
	}
	a.releases.Store(r)
	if a.node == nil {
		return nil
	}
	if !a.config.Production() {
		a.watchRules(func(ctx context.Context, d config.Database) { a.node.ReleaseOwn(ctx, []config.Database{d}) })
	}
	a.node.OfferReleases(r)
	return nil
}
