package authz

import (
	"clave/server/internal/base/fault"
	"cmp"
	"context"
	"slices"

	"clave/server/internal/model/resource"
)

// The methods below are for the control routes of `clave start` and for commands on the data folder. No rules apply to
// them, and callers in production can't reach them.

// Clear deletes all documents of a database. Live queries receive the deletions.
func (az *Authorizer) Clear(ctx context.Context, db resource.Database) error {
	return az.engine.Clear(ctx, db)
}

// Forget removes everything of a project, for tests that have a project each: databases, rules, recorded decisions,
// usage and faults. Its open streams end.
func (az *Authorizer) Forget(ctx context.Context, project string) error {
	az.DropStreams(project, fault.E(fault.Unavailable, "The project was dropped."))
	if err := az.engine.Forget(ctx, project); err != nil {
		return err
	}
	az.rules.forget(project)
	az.usage.Forget(project)
	return az.faults.SetProject(project, nil)
}

// Keep retains the state of a project's databases for Restore and returns its token.
func (az *Authorizer) Keep(ctx context.Context, project string) (string, error) {
	return az.engine.Snapshot(ctx, project)
}

// Restore restores a project's databases to a retained state.
func (az *Authorizer) Restore(ctx context.Context, project, token string) error {
	return az.engine.Restore(ctx, project, token)
}

// Release drops a retained state.
func (az *Authorizer) Release(ctx context.Context, project, token string) {
	az.engine.Release(ctx, project, token)
}

// Projects returns the projects with a database that has been used, in the order of their ids.
func (az *Authorizer) Projects() []string {
	var all []string
	for _, db := range az.engine.Databases() {
		all = append(all, db.Project)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Databases returns the databases of a project that have been used, in the order of their ids.
func (az *Authorizer) Databases(project string) []resource.Database {
	all := slices.DeleteFunc(az.engine.Databases(), func(db resource.Database) bool { return db.Project != project })
	slices.SortFunc(all, func(a, b resource.Database) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
