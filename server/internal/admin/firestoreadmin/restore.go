package firestoreadmin

import (
	"context"
	"strings"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
)

// restoring is an operation that makes a database as one is in a backup.
type restoring struct {
	// Backup is the name of the backup among those of the server, and From the id of the database in it. Name is the name
	// by which the request called both.
	Backup string `json:"backup"`
	From   string `json:"from"`
	Name   string `json:"name"`
	// Enterprise is set once it is known that the database is of the Enterprise edition.
	Enterprise bool `json:"enterprise,omitempty"`
	// Percent is the progress. It is not stored: a restart begins again.
	Percent int64 `json:"-"`
}

// Restoration describes a database that is made from a backup.
type Restoration struct {
	// Backup is the name of the backup, From the id of the database in it, and To that of the new one.
	Backup, From, To string
	// Edition is called with the edition of the database before the new one is there, and an error ends the restoration.
	Edition func(enterprise bool) error
	// Report is called with the progress.
	Report func(percent int64)
}

// advanceRestore records the progress of an operation that restores a database.
func (a *API) advanceRestore(ctx context.Context, id string, keep bool, change func(*restoring)) error {
	return a.advance(ctx, id, keep, func(next *operation) {
		of := *next.Restore
		change(&of)
		next.Restore = &of
	})
}

// restoreDatabase begins to make a database as one is in a backup. It can be used when the operation has ended.
func (a *API) restoreDatabase(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		Backup string `json:"backup"`
		copyRequest
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	rest, ok := strings.CutPrefix(in.Backup, "projects/"+a.o.Project+"/locations/")
	place, id, found := strings.Cut(rest, "/backups/")
	if !ok || !found || place == "" || id == "" || strings.Contains(place+id, "/") {
		return nil, fault.E(fault.InvalidArgument, "backup must name a backup of this project: projects/%s/locations/%s/backups/BACKUP.", a.o.Project, location)
	}
	of, err := a.backup(ctx, place, id)
	if err != nil {
		return nil, err
	}
	if of.State != stateReady {
		return nil, fault.E(fault.FailedPrecondition, "The backup %s is damaged.", in.Backup)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.freeLocked(in.ID); err != nil {
		return nil, err
	}
	o := &operation{Database: in.ID, By: c.By(), Restore: &restoring{Backup: of.of, From: of.id, Name: of.Name}}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	shown := a.shownLocked(a.namedDatabase(in.ID), o)
	// The Firebase CLI wants the database in the first answer, where it is at Google.
	shown.Response = endedWith("", o.Begun, a.shownDatabase(in.ID, settings{Created: o.Begun, Updated: o.Begun, Unprotected: true})).Response
	return shown, nil
}

// showRestore adds what is known of an operation that restores a database.
func (out *operationJSON) showRestore(database string, o *operation) {
	m := out.Metadata
	m["@type"], m["operationState"] = typePrefix+"RestoreDatabaseMetadata", m["state"]
	delete(m, "state")
	m["database"], m["backup"] = database, o.Restore.Name
	m["progressPercentage"] = progressOf(out.percent(o.Restore.Percent), 100)
}
