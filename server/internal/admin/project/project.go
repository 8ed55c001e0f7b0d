// Package project answers what tools ask about a project before they deploy to it: which permissions the caller has,
// and which APIs are enabled.
package project

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
)

// hosting is the service of deployed sites.
const hosting = "firebasehosting.googleapis.com"

// services are the services of Google that every server has.
var services = []string{"firestore.googleapis.com", "firebaserules.googleapis.com", "identitytoolkit.googleapis.com", "securetoken.googleapis.com"}

// API has the methods.
type API struct {
	// Site is the id of the site to which versions can be deployed; empty for none.
	Site string
}

// Routes returns the routes.
func (a API) Routes() []route.Route {
	return []route.Route{
		{Name: "resourcemanager.TestIamPermissions", Permission: "resourcemanager.projects.get", Method: "POST", Pattern: "/v1/projects/{project}:testIamPermissions", Do: permissions},
		{Name: "resourcemanager.GetProject", Permission: "resourcemanager.projects.get", Method: "GET", Pattern: "/v1/projects/{project}", Do: getResource},
		{Name: "serviceusage.GetService", Permission: "serviceusage.services.get", Method: "GET", Pattern: "/v1/projects/{project}/services/{service}", Do: a.service},
		{Name: "serviceusage.EnableService", Permission: "serviceusage.services.get", Method: "POST", Pattern: "/v1/projects/{project}/services/{service}:enable", Do: a.enable},
		{Name: "firebase.GetProject", Permission: "firebase.projects.get", Method: "GET", Pattern: "/v1beta1/projects/{project}", Do: a.get},
	}
}

// permissions returns those of the named permissions that the caller's role has.
func permissions(_ context.Context, c *route.Call) (any, error) {
	var in struct {
		Permissions []string `json:"permissions"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return struct {
		Permissions []string `json:"permissions,omitempty"`
	}{slices.DeleteFunc(in.Permissions, func(p string) bool { return !c.Caller.Role.Permits(p) })}, nil
}

// hasService reports whether the server has a service. Tools that reach it by another name name it by its own host.
func (a API) hasService(c *route.Call) bool {
	name := c.Vars["service"]
	return slices.Contains(services, name) || name == hosting && a.Site != "" || name == c.Host
}

// service returns the state of a service.
func (a API) service(_ context.Context, c *route.Call) (any, error) {
	state := "DISABLED"
	if a.hasService(c) {
		state = "ENABLED"
	}
	return map[string]any{
		"name": "projects/" + Number(c.Project) + "/services/" + c.Vars["service"], "parent": "projects/" + Number(c.Project), "state": state,
		"config": map[string]any{"name": c.Vars["service"]},
	}, nil
}

// enable returns an operation that has ended if the server has a service, which cannot be switched off.
func (a API) enable(ctx context.Context, c *route.Call) (any, error) {
	if !a.hasService(c) {
		return nil, fault.E(fault.FailedPrecondition, "This server does not have the service %s.", c.Vars["service"])
	}
	s, err := a.service(ctx, c)
	return map[string]any{"name": "operations/noop.DONE_OPERATION", "done": true, "response": map[string]any{"service": s}}, err
}

// get describes the project.
func (a API) get(_ context.Context, c *route.Call) (any, error) {
	resources := map[string]string{}
	if a.Site != "" {
		resources["hostingSite"] = a.Site
	}
	return map[string]any{
		"name": "projects/" + c.Project, "projectId": c.Project, "projectNumber": Number(c.Project), "displayName": c.Project, "state": "ACTIVE", "resources": resources,
	}, nil
}

// getResource describes the project as the Resource Manager does.
func getResource(_ context.Context, c *route.Call) (any, error) {
	return map[string]any{"projectNumber": Number(c.Project), "projectId": c.Project, "lifecycleState": "ACTIVE", "name": c.Project}, nil
}

// Number returns the number of a project, which the server derives from its id: it has no registry of projects.
func Number(id string) string {
	sum := sha256.Sum256([]byte(id))
	return strconv.FormatUint(100_000_000_000+binary.BigEndian.Uint64(sum[:8])%900_000_000_000, 10)
}
