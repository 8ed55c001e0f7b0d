package rulesapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// service is the service whose rules the server has. It is the name of the default database's release; those of other
// databases have the database's id after a slash.
const service = "cloud.firestore"

// released is a release of the API.
type released struct {
	Name        string `json:"name"`
	RulesetName string `json:"rulesetName"`
	// CreateTime and UpdateTime are set by the server, and ignored in requests.
	CreateTime time.Time `json:"createTime,omitzero"`
	UpdateTime time.Time `json:"updateTime,omitzero"`
}

// releaseName returns the name of a database's release.
func releaseName(project, database string) string {
	name := "projects/" + project + "/releases/" + service
	if database == resource.DefaultDatabase {
		return name
	}
	return name + "/" + database
}

// database returns the database of a release, by its name without the project.
func (a *API) database(name string) (string, error) {
	of, id, named := strings.Cut(name, "/")
	if of != service {
		return "", fault.E(fault.Unimplemented, "This server has the rules of %s only, not those of %s.", service, of)
	}
	if !named {
		id = resource.DefaultDatabase
	}
	if !slices.Contains(a.o.Databases(), id) {
		return "", fault.E(fault.NotFound, "The database %s does not exist: firebase.json of the server does not name it, and it was not created.", id)
	}
	return id, nil
}

// shownRelease returns the release of a database. found is false if it has none.
func (a *API) shownRelease(project, database string) (out *released, found bool) {
	f := a.o.Releases.Current().Files[database].Rules
	if f == nil {
		return nil, false
	}
	return &released{releaseName(project, database), nameOf(project, idOf(f.Text)), f.Created.UTC(), f.Time.UTC()}, true
}

// listReleases returns the releases of the databases.
func (a *API) listReleases(_ context.Context, c *route.Call) (any, error) {
	filter := strings.TrimPrefix(c.Query.Get("filter"), "name=")
	var all []*released
	for _, id := range a.o.Databases() {
		if r, found := a.shownRelease(c.Project, id); found && matches(r.Name, filter) {
			all = append(all, r)
		}
	}
	page, next, err := route.Page(c, all, 10)
	return struct {
		Releases []*released `json:"releases,omitempty"`
		Next     string      `json:"nextPageToken,omitempty"`
	}{page, next}, err
}

// matches reports whether a filter, with or without a star at its end, accepts a name. An empty one accepts all.
func matches(name, filter string) bool {
	if start, open := strings.CutSuffix(filter, "*"); open {
		return strings.HasPrefix(name, start)
	}
	return filter == "" || filter == name
}

// getRelease returns a release.
func (a *API) getRelease(_ context.Context, c *route.Call) (any, error) {
	name := c.Vars["release"]
	if strings.HasSuffix(name, ":getExecutable") {
		return nil, fault.E(fault.Unimplemented, "This server does not have executables of rules.")
	}
	id, err := a.database(name)
	if err != nil {
		return nil, err
	}
	r, found := a.shownRelease(c.Project, id)
	if !found {
		return nil, fault.E(fault.NotFound, "Requested entity was not found: %s", releaseName(c.Project, id))
	}
	return r, nil
}

// createRelease releases a ruleset for a database without rules.
func (a *API) createRelease(ctx context.Context, c *route.Call) (any, error) {
	var in released
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	id, err := a.named(c, in.Name)
	if err != nil {
		return nil, err
	}
	// The Admin SDK creates a release if an update has not found something: that its ruleset is missing is said first.
	if _, err := a.ruleset(c, in.RulesetName); err != nil {
		return nil, err
	}
	if _, found := a.shownRelease(c.Project, id); found {
		return nil, fault.E(fault.AlreadyExists, "Requested entity already exists: %s", in.Name)
	}
	return a.put(ctx, c, id, in.RulesetName)
}

// updateRelease replaces the ruleset of a release.
func (a *API) updateRelease(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		Release    released `json:"release"`
		UpdateMask string   `json:"updateMask"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	id, err := a.database(c.Vars["release"])
	if err != nil {
		return nil, err
	}
	if named, err := a.named(c, in.Release.Name); err != nil || named != id {
		return nil, fault.Wrap(err, fault.InvalidArgument, "The release %q is not the one of the request's path.", in.Release.Name)
	}
	if _, found := a.shownRelease(c.Project, id); !found {
		return nil, fault.E(fault.NotFound, "Requested entity was not found: %s", in.Release.Name)
	}
	return a.put(ctx, c, id, in.Release.RulesetName)
}

// named returns the database of a release, by its name in the body of a request.
func (a *API) named(c *route.Call, name string) (string, error) {
	short, ok := strings.CutPrefix(name, "projects/"+c.Project+"/releases/")
	if !ok {
		return "", fault.E(fault.InvalidArgument, "The release %q is not of the project %s.", name, c.Project)
	}
	return a.database(short)
}

// ruleset returns the ruleset of a release, by its name in the body of a request.
func (a *API) ruleset(c *route.Call, name string) (record, error) {
	id, ok := strings.CutPrefix(name, "projects/"+c.Project+"/rulesets/")
	if !ok {
		return record{}, fault.E(fault.InvalidArgument, "The ruleset %q is not of the project %s.", name, c.Project)
	}
	return a.known(c.Project, id)
}

// put releases a ruleset. When it returns, the rules are in force at all nodes.
func (a *API) put(ctx context.Context, c *route.Call, database, name string) (any, error) {
	r, err := a.ruleset(c, name)
	if err != nil {
		return nil, err
	}
	if err := a.keep(ctx, a.o.Releases.Current().Files[database].Rules); err != nil {
		return nil, err
	}
	files := release.Files{database: {Rules: &release.File{Name: r.File, Text: r.Text}}}
	if _, err := a.o.Releases.Release(ctx, releases.Request{By: c.By(), Files: files}); err != nil {
		return nil, err
	}
	out, _ := a.shownRelease(c.Project, database)
	return out, nil
}
