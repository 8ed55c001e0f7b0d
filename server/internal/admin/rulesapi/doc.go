// Package rulesapi has the methods of the Firebase Rules API: rulesets, and releases of them.
//
// A ruleset is a text, and its id is derived from the text: a text that was uploaded twice is one ruleset, and the
// rules that are in force have a ruleset however they came to be. A release puts the ruleset of a database in force by
// package releases, so it is in force at all nodes when the call returns.
package rulesapi

import (
	"clave/server/internal/admin/route"
	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/store"
)

// Options configure an API.
type Options struct {
	// Databases returns the ids of the databases.
	Databases func() []string
	// Releases puts rules in force.
	Releases *releases.Service
	// Store keeps the rulesets.
	Store store.Store
	Clock clock.Clock
}

// API has the methods. It is safe for concurrent use.
type API struct{ o Options }

// New returns the API.
func New(o Options) *API { return &API{o} }

// Routes returns the routes.
func (a *API) Routes() []route.Route {
	const rulesets, releases = "/v1/projects/{project}/rulesets", "/v1/projects/{project}/releases"
	return []route.Route{
		{Name: "rules.TestRuleset", Permission: "firebaserules.rulesets.test", Method: "POST", Pattern: "/v1/projects/{project}:test", Do: a.test},
		{Name: "rules.CreateRuleset", Permission: "firebaserules.rulesets.create", Method: "POST", Pattern: rulesets, Do: a.createRuleset},
		{Name: "rules.ListRulesets", Permission: "firebaserules.rulesets.list", Method: "GET", Pattern: rulesets, Do: a.listRulesets},
		{Name: "rules.GetRuleset", Permission: "firebaserules.rulesets.get", Method: "GET", Pattern: rulesets + "/{ruleset}", Do: a.getRuleset},
		{Name: "rules.DeleteRuleset", Permission: "firebaserules.rulesets.delete", Method: "DELETE", Pattern: rulesets + "/{ruleset}", Do: a.deleteRuleset},
		{Name: "rules.ListReleases", Permission: "firebaserules.releases.list", Method: "GET", Pattern: releases, Do: a.listReleases},
		{Name: "rules.CreateRelease", Permission: "firebaserules.releases.create", Method: "POST", Pattern: releases, Do: a.createRelease},
		{Name: "rules.GetRelease", Permission: "firebaserules.releases.get", Method: "GET", Pattern: releases + "/{release...}", Do: a.getRelease},
		{Name: "rules.UpdateRelease", Permission: "firebaserules.releases.update", Method: "PATCH", Pattern: releases + "/{release...}", Do: a.updateRelease},
	}
}
