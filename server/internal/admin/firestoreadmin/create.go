package firestoreadmin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/release"
)

// maxDatabases is the maximum number of databases of the project, as at Google.
const maxDatabases = 100

// databaseID is the form of the ids of databases, and uuid that of those that Google reserves.
var (
	databaseID = pattern.New(`^[a-z][a-z0-9-]{2,61}[a-z0-9]$`)
	uuid       = pattern.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// locationLabel is the form of a location: a name without a meaning here.
var locationLabel = pattern.New(`^[a-z0-9-]{1,63}$`)

// errNamed returns the error for a change of the databases that firebase.json decides.
func errNamed(id string) error {
	return fault.E(fault.Unimplemented, "The firebase.json of this server names %q. Delete its documents by bulkDeleteDocuments, remove it there, and start the server again.", id)
}

// neutral are the values of a new database that have no effect, because the server has these properties always, or
// never.
var neutral = map[string][]any{
	"type": {"FIRESTORE_NATIVE"}, "concurrencyMode": {"PESSIMISTIC", "CONCURRENCY_MODE_UNSPECIFIED"},
	"appEngineIntegrationMode":        {"DISABLED", "APP_ENGINE_INTEGRATION_MODE_UNSPECIFIED"},
	"realtimeUpdatesMode":             {"REALTIME_UPDATES_MODE_ENABLED", "REALTIME_UPDATES_MODE_UNSPECIFIED"},
	"firestoreDataAccessMode":         {"DATA_ACCESS_MODE_ENABLED", "DATA_ACCESS_MODE_UNSPECIFIED"},
	"mongodbCompatibleDataAccessMode": {"DATA_ACCESS_MODE_DISABLED", "DATA_ACCESS_MODE_UNSPECIFIED"},
	"pointInTimeRecoveryEnablement":   {"POINT_IN_TIME_RECOVERY_DISABLED", "POINT_IN_TIME_RECOVERY_ENABLEMENT_UNSPECIFIED"},
}

// created returns the properties and the settings of a new database.
func (a *API) created(in map[string]any) (made release.Made, of settings, err error) {
	of.Unprotected = true
	for name, v := range in {
		switch text, _ := v.(string); {
		case v == nil || name == "name" || name == "etag" && text == "" || slices.Contains(neutral[name], v):
		case name == "pointInTimeRecoveryEnablement" && text == a.recovery():
		case name == "pointInTimeRecoveryEnablement":
			return made, of, fault.E(fault.Unimplemented, "This server keeps past versions for as long as its flag --history says, %s.", a.o.Window)
		case name == "locationId" && locationLabel.MatchString(text):
			made.Location = text
		case name == "databaseEdition" && slices.Contains([]string{"STANDARD", "ENTERPRISE", "DATABASE_EDITION_UNSPECIFIED"}, text):
			made.Enterprise = text == "ENTERPRISE"
		case name == "deleteProtectionState" && slices.Contains([]string{isProtected, unprotected, "DELETE_PROTECTION_STATE_UNSPECIFIED"}, text):
			of.Unprotected = text != isProtected
		case neutral[name] != nil || name == "cmekConfig" || name == "tags":
			return made, of, fault.E(fault.Unimplemented, "This server does not have databases with the %s %v.", name, v)
		default:
			return made, of, fault.E(fault.InvalidArgument, "Invalid value at 'database.%s'.", name)
		}
	}
	switch {
	case made.Location == "":
		err = fault.E(fault.InvalidArgument, "The location_id of the database is missing. Any name is accepted, such as %s; it has no effect.", location)
	case in["type"] == nil:
		err = fault.E(fault.InvalidArgument, "The type of the database is missing: FIRESTORE_NATIVE.")
	}
	return made, of, err
}

// checkNewID checks the id of a new database.
func checkNewID(id string) error {
	if id != resource.DefaultDatabase && (!databaseID.MatchString(id) || uuid.MatchString(id)) {
		return fault.E(fault.InvalidArgument, "Invalid database_id %q: it has 4 to 63 characters of a-z, 0-9 and -, begins with a letter, ends with a letter or a digit, and is no UUID.", id)
	}
	return nil
}

// freeLocked returns an error if no database can be made with an id; mu is held.
func (a *API) freeLocked(id string) error {
	pending := 0
	for _, o := range a.mu.operations {
		if o.Left && o.Database == id {
			return errDeleting(id)
		}
		if !o.isCopy() || o.isDone() {
			continue
		}
		if pending++; o.Database == id {
			return fault.E(fault.AlreadyExists, "Database already exists. Please use another database_id")
		}
	}
	switch _, known := a.o.Made.Of(id); {
	case slices.Contains(a.ids(), id):
		return fault.E(fault.AlreadyExists, "Database already exists. Please use another database_id")
	case known:
		return errDeleting(id)
	case a.o.Stored(id):
		return fault.E(fault.AlreadyExists, "The server has a database %s that firebase.json does not name, such as a clone. Name it there, or use another database_id.", id)
	case len(a.ids())+pending >= maxDatabases:
		return fault.E(fault.ResourceExhausted, "The project has %d databases, the maximum.", maxDatabases)
	}
	return nil
}

// errDeleting returns the error for a name that a database has whose data are being removed.
func errDeleting(id string) error {
	return fault.E(fault.FailedPrecondition, "The database %s is being deleted. Please try again.", id)
}

// createDatabase makes a database. It can be used when the call returns, by service accounts; its rules are closed.
func (a *API) createDatabase(ctx context.Context, c *route.Call) (any, error) {
	id := c.Query.Get("databaseId")
	var in map[string]any
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if err := checkNewID(id); err != nil {
		return nil, err
	}
	made, of, err := a.created(in)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.freeLocked(id); err != nil {
		return nil, err
	}
	made.Time = a.o.Clock.Now().UTC()
	of.Created, of.Updated = made.Time, made.Time
	if err := a.saveDatabase(ctx, id, of); err != nil {
		return nil, err
	}
	if err := a.o.Releases.Make(ctx, c.By(), id, made, index.Definitions{}); err != nil {
		return nil, fmt.Errorf("create a database: %w", err)
	}
	a.mu.databases[id] = of
	o := &operation{Database: id, By: c.By(), Create: true}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	if err := a.endLocked(ctx, o.ID, nil); err != nil {
		return nil, err
	}
	found, err := a.findLocked(&route.Call{Vars: map[string]string{"database": id, "operation": o.ID}}, "")
	if err != nil {
		return nil, err
	}
	return a.shownLocked("projects/"+c.Project+"/databases/"+id, found), nil
}

// deleteDatabase deletes a database that was made, with all that is stored of it. Its operations end.
func (a *API) deleteDatabase(ctx context.Context, c *route.Call) (any, error) {
	id := c.Vars["database"]
	shown, made, err := a.beginDelete(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := a.unmake(ctx, c.By(), id, made); err != nil {
		a.noteFailed()
		return nil, fmt.Errorf("delete a database: %w", err)
	}
	if err := a.forget(ctx, id); err != nil {
		return nil, err
	}
	return endedWith("DeleteDatabaseMetadata", a.o.Clock.Now(), shown), nil
}

// beginDelete checks that a database can be deleted, ends its operations, and returns it and when it was
// made.
func (a *API) beginDelete(ctx context.Context, c *route.Call) (*databaseJSON, time.Time, error) {
	id := c.Vars["database"]
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.database(c); err != nil {
		return nil, time.Time{}, err
	}
	shown := a.shownDatabase(id, a.mu.databases[id])
	switch etag := c.Query.Get("etag"); {
	case !a.mu.databases[id].Unprotected:
		return nil, time.Time{}, fault.E(fault.FailedPrecondition, "Database has delete protection enabled. Disable it first to delete the database.")
	case etag != "" && etag != shown.Etag:
		return nil, time.Time{}, errEtag
	case slices.Contains(a.o.Databases, id):
		return nil, time.Time{}, errNamed(id)
	}
	made, _ := a.o.Made.Of(id)
	return shown, made.Time, a.endOperationsLocked(ctx, id)
}

// endOperationsLocked cancels the operations of a database; mu is held.
func (a *API) endOperationsLocked(ctx context.Context, id string) error {
	for _, o := range a.ofLocked(id) {
		if o.isDone() {
			continue
		}
		if r := a.runningLocked(o); r != nil {
			r.stop()
		} else if err := a.endLocked(ctx, o.ID, errCanceled); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the settings of a database that was deleted, unless there is another one of the name by now.
func (a *API) forget(ctx context.Context, id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.ids(), id) {
		return nil
	}
	delete(a.mu.databases, id)
	if err := a.forgetSchedules(ctx, id); err != nil {
		return err
	}
	var b store.Batch
	b.Delete([]byte(databasePrefix + id))
	return a.o.Store.Apply(ctx, &b)
}

// unmake deletes a database that was made at a time. It may wait until a change of indexes has ended.
func (a *API) unmake(ctx context.Context, by, id string, made time.Time) error {
	return a.o.Releases.Unmake(ctx, by, id, made, func(ctx context.Context) error {
		// Operations may have begun since beginDelete. None begins any more, and there is no other database of the name yet.
		a.mu.Lock()
		err := a.endOperationsLocked(ctx, id)
		a.mu.Unlock()
		if err != nil {
			return err
		}
		return a.o.Drop(ctx, id)
	})
}

// noteFailed lets Run repeat the deletion of a database that has failed.
func (a *API) noteFailed() {
	select {
	case a.failed <- struct{}{}:
	default: // it will see both
	}
}

// continueDeletes deletes the databases whose deletion was begun and has not ended, and copies that could not be
// completed. It reports whether there are none any more.
func (a *API) continueDeletes(ctx context.Context) bool {
	complete := a.removeLeft(ctx)
	for _, id := range a.o.Made.IDs(true) {
		made, _ := a.o.Made.Of(id)
		err := a.unmake(ctx, "clave", id, made.Time)
		if err == nil {
			err = a.forget(ctx, id)
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // not deleted meanwhile by a call
			complete = false
			a.o.Log.Error("a database that was deleted is still stored; the deletion is repeated", "database", id, "error", err)
		}
	}
	return complete
}

// The times after which a failed deletion is repeated: the first, which doubles, and the last.
const (
	firstRepeat = time.Second / 2
	lastRepeat  = time.Minute
)

// repeatDeletes repeats deletions that have failed until ctx is done.
func (a *API) repeatDeletes(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.failed:
		}
		for pause := firstRepeat; ; pause = min(2*pause, lastRepeat) {
			if clock.Sleep(ctx, a.o.Clock, pause) != nil {
				return
			}
			if a.continueDeletes(ctx) {
				break
			}
		}
	}
}
