package token

import (
	"strings"

	"clave/server/internal/base/fault"
)

// Role says what a service account may do. A role that is not one of Roles permits nothing.
type Role string

// The roles.
const (
	// Owner permits everything.
	Owner Role = "owner"
	// DatastoreOwner permits everything in Firestore: documents, databases, indexes, operations. It permits nothing about
	// accounts and rules.
	DatastoreOwner Role = "datastore-owner"
	// IndexAdmin permits changes of indexes and fields, and no access to documents.
	IndexAdmin Role = "index-admin"
	// RulesAdmin permits changes of rules, and no access to documents.
	RulesAdmin Role = "rules-admin"
	// HostingAdmin permits deployments of the site, and no access to documents.
	HostingAdmin Role = "hosting-admin"
	// Viewer permits reads of documents and by the administration APIs.
	Viewer Role = "viewer"
)

// Roles are the roles, the strongest first.
var Roles = []Role{Owner, DatastoreOwner, IndexAdmin, RulesAdmin, HostingAdmin, Viewer}

// permissions are the permissions of the roles except Owner, by their names at Google. One that ends with a star stands
// for all that begin so.
var permissions = map[Role][]string{
	DatastoreOwner: {"datastore.*"},
	IndexAdmin:     {"datastore.indexes.*", "datastore.operations.get", "datastore.operations.list", "datastore.databases.get", "datastore.databases.getMetadata", "datastore.databases.list"},
	RulesAdmin:     {"firebaserules.*", "datastore.databases.get", "datastore.databases.list"},
	HostingAdmin:   {"firebasehosting.*"},
	Viewer: {
		"datastore.entities.get", "datastore.entities.list", "datastore.indexes.get", "datastore.indexes.list", "datastore.operations.get", "datastore.operations.list",
		"datastore.databases.get", "datastore.databases.getMetadata", "datastore.databases.list", "datastore.locations.get", "datastore.locations.list",
		"datastore.backups.get", "datastore.backups.list", "datastore.backupSchedules.get", "datastore.backupSchedules.list",
		"firebaserules.releases.get", "firebaserules.releases.list", "firebaserules.rulesets.get", "firebaserules.rulesets.list", "firebaserules.rulesets.test",
		"firebasehosting.sites.get", "firebasehosting.sites.list",
	},
}

// common are permissions of every role, which tools need before they begin.
var common = []string{"firebase.projects.get", "resourcemanager.projects.get", "serviceusage.services.get"}

// Permits reports whether the role has a permission.
func (r Role) Permits(permission string) bool {
	if r == Owner {
		return true
	}
	own, known := permissions[r]
	if !known {
		return false
	}
	for _, p := range append(common[:len(common):len(common)], own...) {
		if start, all := strings.CutSuffix(p, "*"); p == permission || all && strings.HasPrefix(permission, start) {
			return true
		}
	}
	return false
}

// forDocuments returns a caller for methods on documents, with the rights of its role. err, if any, is returned as it
// is.
func forDocuments(c Caller, err error) (Caller, error) {
	switch {
	case err != nil:
		return Caller{}, err
	case !c.Role.Permits("datastore.entities.get"):
		return Caller{}, fault.Denied()
	}
	c.Privileged, c.ReadOnly = true, !c.Role.Permits("datastore.entities.update")
	return c, nil
}

// forOwners returns a caller for methods that only owners may call.
func forOwners(c Caller, err error) (Caller, error) {
	switch {
	case err != nil:
		return Caller{}, err
	case c.Role != Owner:
		return Caller{}, fault.Denied()
	}
	c.Privileged = true
	return c, nil
}
