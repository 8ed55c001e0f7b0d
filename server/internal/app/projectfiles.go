package app

import (
	"context"
	"fmt"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
)

// loadRules compiles the rules files. In start mode the files are watched, databases without rules are open, and
// denials name the denying rule. In production they are reloaded only at SIGHUP, so that half-written rules do not come
// into force.
func (a *App) loadRules() (*authz.Rulesets, error) {
	development := !a.config.Production()
	if a.config.File == "" && !a.config.NoHub {
		fmt.Fprintln(a.o.Notices, "No firebase.json in this folder or above: rules are open to all, and there is no site")
	}
	o := authz.RulesetsOptions{Open: development, Detail: development, Cover: development, Explain: development && a.config.ExplainDenials}
	if development {
		o.Debug = func(db resource.Database, line int, value string) {
			a.o.Log.Warn("debug() in the security rules", "database", db.String(), "line", line, "value", value)
		}
	}
	if !development {
		o.Served = a.data.Stack().Served
	}
	rulesets := authz.NewRulesets(o)
	if a.config.Store != "" {
		return rulesets, nil // the release of the store counts (openReleases)
	}
	files := a.data.Files()
	if a.config.AdminAPI == "" { // with it, the release of the data folder counts (openReleases)
		if err := files.LoadRules(rulesets); err != nil {
			return nil, err
		}
	}
	reload := func(ctx context.Context, d config.Database) {
		if a.releases.Load() != nil {
			s := &releases.Sender{Here: a.releases.Load, Leader: releases.NoLeader}
			s.SendOwn(ctx, "clave on "+datastore.HostName(), files, []config.Database{d}, a.o.Log)
			return
		}
		files.ReloadRules(rulesets, d, a.o.Log)
	}
	if development {
		a.watchRules(reload)
		return rulesets, nil
	}
	a.components.Start("reload", func(ctx context.Context) error {
		return process.Hangups(ctx, func() {
			for _, d := range a.config.Databases {
				reload(ctx, d)
			}
		})
	})
	return rulesets, nil
}

// watchRules calls reload when a rules file changes.
func (a *App) watchRules(reload func(context.Context, config.Database)) {
	if w := projectfiles.Watch(a.config.Databases, reload, a.o.Clock, a.o.Log); w != nil {
		a.components.OnClose(w.Close)
		a.components.Add("rules watch", w)
	}
}
