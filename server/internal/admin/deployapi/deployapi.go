// Package deployapi has the method by which clave deploy releases rules and indexes of several databases as one change.
// Google has no such method: its clients release the rules and the indexes of each database by calls of their own.
package deployapi

import (
	"context"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/limit/parse"
	"clave/server/internal/store/release"
)

// Path returns the path of the method for a project.
func Path(project string) string { return "/v1/projects/" + project + ":deploy" }

// maxName is the maximum length of the name of a file, in bytes, and maxValues the maximum number of values that its
// text can have.
const (
	maxName   = 4096
	maxValues = 200_000
)

// File is a file of a request.
type File struct {
	// Name is the path from which it was read, for people.
	Name string `json:"name"`
	Text string `json:"text"`
}

// Database are the files of a database; nil for what stays as it is.
type Database struct {
	Rules   *File `json:"rules,omitempty"`
	Indexes *File `json:"indexes,omitempty"`
}

// Request is a request. Files are those of databases by their ids.
type Request struct {
	Files map[string]Database `json:"files"`
}

// API has the method.
type API struct {
	// Releases puts files in force.
	Releases *releases.Service
}

// Routes returns the route. Every role has its permission; the files that a request may have depend on the role.
func (a API) Routes() []route.Route {
	return []route.Route{{Name: "clave.Deploy", Permission: "firebase.projects.get", Method: "POST", Pattern: Path("{project}"), Do: a.deploy}}
}

// permissions are those that a role needs for rules and for indexes, by their names at Google.
var (
	forRules   = []string{"firebaserules.rulesets.create", "firebaserules.releases.create", "firebaserules.releases.update"}
	forIndexes = []string{"datastore.indexes.create", "datastore.indexes.update", "datastore.indexes.delete"}
)

// file returns a file as it is released. It returns PermissionDenied if the caller lacks one of the permissions for it.
func (f *File) file(c *route.Call, permissions []string) (*release.File, error) {
	if f == nil {
		return nil, nil
	}
	for _, p := range permissions {
		if !c.Caller.Role.Permits(p) {
			return nil, fault.E(fault.PermissionDenied, "The caller does not have permission %s, which a release of %.200s needs.", p, f.Name)
		}
	}
	if len(f.Name) > maxName {
		return nil, fault.E(fault.InvalidArgument, "The name of a file has %d bytes, more than %d.", len(f.Name), maxName)
	}
	if n := parse.Values(f.Text); n > maxValues {
		return nil, fault.E(fault.InvalidArgument, "%.200s has %d values, more than %d.", f.Name, n, maxValues)
	}
	return &release.File{Name: f.Name, Text: f.Text}, nil
}

// deploy releases the files of a request. When it returns, they are in force at all nodes. Files with errors change
// nothing.
func (a API) deploy(ctx context.Context, c *route.Call) (any, error) {
	var in Request
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	files := make(release.Files, len(in.Files))
	for id, d := range in.Files {
		rules, err := d.Rules.file(c, forRules)
		if err != nil {
			return nil, err
		}
		indexes, err := d.Indexes.file(c, forIndexes)
		if err != nil {
			return nil, err
		}
		if rules == nil && indexes == nil {
			return nil, fault.E(fault.InvalidArgument, "The request has no file of the database %.200q.", id)
		}
		files[id] = release.Database{Rules: rules, Indexes: indexes}
	}
	if len(files) == 0 {
		return nil, fault.E(fault.InvalidArgument, "The request has no files.")
	}
	return a.Releases.Release(ctx, releases.Request{By: c.By(), Files: files})
}
