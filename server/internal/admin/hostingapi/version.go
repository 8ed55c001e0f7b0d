package hostingapi

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting/versions"
)

// user names who has made something.
type user struct {
	Email string `json:"email"`
}

// by returns the user of an address.
func by(email string) *user {
	if email == "" {
		return nil
	}
	return &user{email}
}

// version is a version of the API.
type version struct {
	Name         string            `json:"name"`
	Status       string            `json:"status"`
	Config       *versions.Config  `json:"config,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	CreateTime   time.Time         `json:"createTime"`
	CreateUser   *user             `json:"createUser,omitempty"`
	FinalizeTime time.Time         `json:"finalizeTime,omitzero"`
	FinalizeUser *user             `json:"finalizeUser,omitempty"`
	FileCount    string            `json:"fileCount,omitempty"`
	VersionBytes string            `json:"versionBytes,omitempty"`
}

// shownVersion returns a version as the API shows it.
func (a *API) shownVersion(c *route.Call, v *versions.Version) *version {
	out := &version{
		Name: a.name(c, "versions", v.ID), Status: v.Status, Config: v.Config, Labels: v.Labels, CreateTime: v.Created, CreateUser: by(v.CreatedBy),
		FinalizeTime: v.Finalized, FinalizeUser: by(v.FinalizedBy),
	}
	if v.Status == versions.Finalized {
		out.FileCount, out.VersionBytes = strconv.Itoa(v.FileCount), strconv.FormatInt(v.Bytes, 10)
	}
	return out
}

// versionFields are the fields of a version in a request. Those that the server sets are ignored.
type versionFields struct {
	Status string            `json:"status"`
	Config *versions.Config  `json:"config"`
	Labels map[string]string `json:"labels"`
	versionOutput
}

// versionOutput are the fields of a version that the server sets.
type versionOutput struct {
	Name         any `json:"name"`
	CreateTime   any `json:"createTime"`
	CreateUser   any `json:"createUser"`
	FinalizeTime any `json:"finalizeTime"`
	FinalizeUser any `json:"finalizeUser"`
	DeleteTime   any `json:"deleteTime"`
	DeleteUser   any `json:"deleteUser"`
	FileCount    any `json:"fileCount"`
	VersionBytes any `json:"versionBytes"`
}

// createVersion creates a version without files.
func (a *API) createVersion(_ context.Context, c *route.Call) (any, error) {
	var in versionFields
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Status != "" && in.Status != versions.Created {
		return nil, fault.E(fault.InvalidArgument, "A new version has the status CREATED, not %.100q.", in.Status)
	}
	v, err := a.o.Site.Create(c.By(), in.Config, in.Labels)
	if err != nil {
		return nil, err
	}
	return a.shownVersion(c, &v), nil
}

// versionOf returns the id of the version of the site with a name.
func (a *API) versionOf(c *route.Call, name string) (string, error) {
	id, ok := strings.CutPrefix(strings.TrimPrefix(name, "projects/"+c.Project+"/"), "sites/"+a.o.ID+"/versions/")
	if !ok {
		return "", fault.E(fault.InvalidArgument, "The version %.200q is not of the site %s.", name, a.o.ID)
	}
	return id, nil
}

// cloneVersion creates a version with the content of another one. The operation has ended when it returns, and has the
// id of the version.
func (a *API) cloneVersion(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		Source   string `json:"sourceVersion"`
		Finalize bool   `json:"finalize"`
		Include  any    `json:"include"`
		Exclude  any    `json:"exclude"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Include != nil || in.Exclude != nil {
		return nil, fault.E(fault.Unimplemented, "This server clones all files of a version: it has no include and exclude.")
	}
	source, err := a.versionOf(c, in.Source)
	if err != nil {
		return nil, err
	}
	v, err := a.o.Site.Clone(ctx, source, c.By(), in.Finalize)
	if err != nil {
		return nil, err
	}
	return a.cloned(c, &v), nil
}

// getOperation returns the operation that has cloned a version.
func (a *API) getOperation(_ context.Context, c *route.Call) (any, error) {
	v, err := a.o.Site.Get(c.Vars["operation"])
	if err != nil {
		return nil, fault.E(fault.NotFound, "Requested entity was not found: the operation %q", c.Vars["operation"])
	}
	return a.cloned(c, &v), nil
}

// cloned returns the operation that has ended with a version.
func (a *API) cloned(c *route.Call, v *versions.Version) any {
	return map[string]any{
		"name": "projects/" + c.Project + "/operations/" + v.ID, "done": true,
		"response": struct {
			Type string `json:"@type"`
			*version
		}{"type.googleapis.com/google.firebase.hosting.v1beta1.Version", a.shownVersion(c, v)},
	}
}

// listVersions returns the versions, the newest first.
func (a *API) listVersions(_ context.Context, c *route.Call) (any, error) {
	if c.Query.Get("filter") != "" {
		return nil, fault.E(fault.Unimplemented, "This server does not filter versions.")
	}
	page, next, err := route.Page(c, a.o.Site.Versions(), 25)
	out := struct {
		Versions []*version `json:"versions,omitempty"`
		Next     string     `json:"nextPageToken,omitempty"`
	}{Next: next}
	for i := range page {
		out.Versions = append(out.Versions, a.shownVersion(c, &page[i]))
	}
	return out, err
}

// getVersion returns a version.
func (a *API) getVersion(_ context.Context, c *route.Call) (any, error) {
	v, err := a.o.Site.Get(c.Vars["version"])
	if err != nil {
		return nil, err
	}
	return a.shownVersion(c, &v), nil
}

// mask returns the fields that a request changes: those of updateMask, or without one all. It refuses others than
// known.
func mask(c *route.Call, known ...string) (func(field string) bool, error) {
	text := c.Query.Get("updateMask")
	if text == "" {
		text = c.Query.Get("update_mask")
	}
	if text == "" || text == "*" {
		return func(string) bool { return true }, nil
	}
	fields := strings.Split(text, ",")
	for _, f := range fields {
		if !slices.Contains(known, f) {
			return nil, fault.E(fault.InvalidArgument, "Invalid value at 'update_mask': %.100q can't be changed.", f)
		}
	}
	return func(field string) bool { return slices.Contains(fields, field) }, nil
}

// updateVersion changes the configuration and the labels of a version that is not finalized, and finalizes or deletes
// it if the request says so.
func (a *API) updateVersion(ctx context.Context, c *route.Call) (any, error) {
	var in versionFields
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	changes, err := mask(c, "status", "config", "labels")
	if err != nil {
		return nil, err
	}
	if !changes("config") {
		in.Config = nil
	}
	if !changes("labels") {
		in.Labels = nil
	}
	if !changes("status") {
		in.Status = ""
	}
	var v versions.Version
	switch id := c.Vars["version"]; in.Status {
	case "", versions.Created:
		v, err = a.o.Site.Update(id, in.Config, in.Labels)
	case versions.Finalized:
		v, err = a.o.Site.Finalize(ctx, id, c.By(), in.Config, in.Labels)
	case "DELETED":
		if v, err = a.o.Site.Get(id); err == nil {
			v.Status = "DELETED"
			err = a.o.Site.Delete(id)
		}
	default:
		err = fault.E(fault.InvalidArgument, "The status of a version becomes FINALIZED or DELETED, not %.100q.", in.Status)
	}
	if err != nil {
		return nil, err
	}
	return a.shownVersion(c, &v), nil
}

// deleteVersion deletes a version that is not served.
func (a *API) deleteVersion(_ context.Context, c *route.Call) (any, error) {
	return nil, a.o.Site.Delete(c.Vars["version"])
}

// populate adds files to a version.
func (a *API) populate(_ context.Context, c *route.Call) (any, error) {
	var in struct {
		Files map[string]string `json:"files"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	id := c.Vars["version"]
	missing, err := a.o.Site.Populate(id, in.Files)
	if err != nil {
		return nil, err
	}
	return struct {
		Required []string `json:"uploadRequiredHashes,omitempty"`
		URL      string   `json:"uploadUrl"`
	}{missing, c.Origin + "/upload/v1beta1/" + a.name(c, "versions", id, "files")}, nil
}

// upload receives a content.
func (a *API) upload(_ context.Context, c *route.Call) (any, error) {
	return nil, a.o.Site.Upload(c.Vars["version"], c.Vars["hash"], c.Stream)
}

// versionFile is a file of a version of the API.
type versionFile struct {
	Path   string `json:"path"`
	Hash   string `json:"hash"`
	Status string `json:"status"`
}

// listFiles returns the files of a version.
func (a *API) listFiles(_ context.Context, c *route.Call) (any, error) {
	all, err := a.o.Site.Files(c.Vars["version"])
	if err != nil {
		return nil, err
	}
	status := c.Query.Get("status")
	if status != "" && status != "STATUS_UNSPECIFIED" {
		if status != "ACTIVE" && status != "EXPECTED" {
			return nil, fault.E(fault.InvalidArgument, "Invalid value at 'status': %.100q", status)
		}
		all = slices.DeleteFunc(all, func(f versions.File) bool { return f.Uploaded != (status == "ACTIVE") })
	}
	page, next, err := route.Page(c, all, 1000)
	out := struct {
		Files []versionFile `json:"files,omitempty"`
		Next  string        `json:"nextPageToken,omitempty"`
	}{Next: next}
	for _, f := range page {
		state := "EXPECTED"
		if f.Uploaded {
			state = "ACTIVE"
		}
		out.Files = append(out.Files, versionFile{f.Path, f.Hash, state})
	}
	return out, err
}
