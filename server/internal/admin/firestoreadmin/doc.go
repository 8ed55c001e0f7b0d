// Package firestoreadmin has the methods of the Firestore Admin API on databases, indexes, fields, operations and
// backups.
//
// A change of indexes or of a field, a delete of many documents, an export and an import is an operation. It is written
// into the store and answered at once, and done by Run in the order of the operations: definitions by a release (of
// package releases), documents in commits of some hundreds, whose number is kept with the operation. Exports and
// imports, which may take hours, are done beside the others. So an operation that a killed server has begun is done by
// the next one, and at nodes by the next leader.
package firestoreadmin

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/release"
)

// Releaser changes the index definitions in force.
type Releaser interface {
	// ChangeIndexes replaces the definitions of a database by those that edit returns, and returns when all indexes are
	// built.
	ChangeIndexes(ctx context.Context, by, id string, edit func(index.Definitions) (index.Definitions, error)) error
	// Definitions returns the definitions of a database in force.
	Definitions(id string) (index.Definitions, error)
	// Make makes a database with index definitions. Unmake deletes the one that was made at a time: it calls drop once the
	// database is gone for clients. It returns NotFound if there is no such database.
	Make(ctx context.Context, by, id string, made release.Made, defs index.Definitions) error
	Unmake(ctx context.Context, by, id string, made time.Time, drop func(context.Context) error) error
}

// Options configure an API.
type Options struct {
	// Project is the id of the project, and Databases are those of the databases that firebase.json names.
	Project   string
	Databases []string
	// Made are the databases that were made by the API. Drop removes what is stored of one that is gone for clients.
	Made *release.Live
	Drop func(ctx context.Context, id string) error
	// Stored reports whether the store has a database, also one that is not served.
	Stored func(id string) bool
	// Clone makes a copy of a database as it was at a time, which Make lets clients use; nothing stays if it fails.
	// Restore does so with a database of a backup. Copied returns the index definitions of a copy.
	Clone   func(ctx context.Context, from, to string, at time.Time) error
	Restore func(ctx context.Context, r Restoration) error
	Copied  func(id string) (index.Definitions, error)
	// Earliest returns the earliest time at which a database can be read, and Window is the configured age up to which
	// versions are kept.
	Earliest func(id string) time.Time
	Window   time.Duration
	// Enterprise reports whether a database has the Enterprise edition.
	Enterprise func(id string) bool
	// Documents deletes documents.
	Documents Documents
	// Exports is the folder below which exports are written and read, an absolute path without links; empty for none.
	// Transfers exports and imports.
	Exports   string
	Transfers Transfers
	// Backups are the scheduled backups; nil if there are none.
	Backups Backups
	// Plan says when backups are made, and Schedules are those of databases beside it; nil without backups.
	Plan      Plan
	Schedules *schedule.Plan
	// Releases changes definitions.
	Releases Releaser
	// Store keeps the operations.
	Store store.Store
	Clock clock.Clock
	Log   *slog.Logger
}

// API has the methods. It is safe for concurrent use.
type API struct {
	o Options
	// added receive a value when an operation of their lane was added.
	added [lanes]chan struct{}
	// failed receives a value when the deletion of a database has failed.
	failed chan struct{}
	mu     struct {
		sync.Mutex
		// operations are the latest operations, in the order in which they began.
		operations []*operation
		// last is the number in the id of the last one: its time in microseconds, greater than that of the one before.
		last int64
		// running are the operations that Run does, one of each lane at most.
		running [lanes]*running
		// changed is closed and replaced when an operation has ended, and when Run ends, after which stopped is set. waits is
		// the number of the calls that wait for it.
		changed chan struct{}
		stopped bool
		waits   int
		// databases are the settings of the databases.
		databases map[string]settings
	}
}

// New returns the API with the operations and the settings of the store.
func New(ctx context.Context, o Options) (*API, error) {
	a := &API{o: o, failed: make(chan struct{}, 1)}
	a.mu.changed = make(chan struct{})
	for l := range a.added {
		a.added[l] = make(chan struct{}, 1)
	}
	if err := a.loadOperations(); err != nil {
		return nil, err
	}
	return a, a.loadDatabases(ctx)
}

// Routes returns the routes.
func (a *API) Routes() []route.Route {
	const databases, database = "/v1/projects/{project}/databases", "/v1/projects/{project}/databases/{database}"
	const backups, schedules = "/v1/projects/{project}/locations/{location}/backups", database + "/backupSchedules"
	const indexes, fields, operations = database + "/collectionGroups/{group}/indexes", database + "/collectionGroups/{group}/fields", database + "/operations"
	return []route.Route{
		{Name: "firestore.admin.ListDatabases", Permission: "datastore.databases.list", Method: "GET", Pattern: databases, Do: a.listDatabases},
		{Name: "firestore.admin.GetDatabase", Permission: "datastore.databases.get", Method: "GET", Pattern: database, Do: a.getDatabase},
		{Name: "firestore.admin.CreateDatabase", Permission: "datastore.databases.create", Method: "POST", Pattern: databases, Do: a.createDatabase},
		{Name: "firestore.admin.UpdateDatabase", Permission: "datastore.databases.update", Method: "PATCH", Pattern: database, Do: a.updateDatabase},
		{Name: "firestore.admin.DeleteDatabase", Permission: "datastore.databases.delete", Method: "DELETE", Pattern: database, Do: a.deleteDatabase},
		{Name: "firestore.admin.BulkDeleteDocuments", Permission: "datastore.databases.bulkDeleteDocuments", Method: "POST", Pattern: database + ":bulkDeleteDocuments", Do: a.bulkDeleteDocuments},
		{Name: "firestore.admin.ExportDocuments", Permission: "datastore.databases.export", Method: "POST", Pattern: database + ":exportDocuments", Do: a.exportDocuments},
		{Name: "firestore.admin.ImportDocuments", Permission: "datastore.databases.import", Method: "POST", Pattern: database + ":importDocuments", Do: a.importDocuments},
		{Name: "locations.ListLocations", Permission: "datastore.locations.list", Method: "GET", Pattern: "/v1/projects/{project}/locations", Do: a.listLocations},
		{Name: "locations.GetLocation", Permission: "datastore.locations.get", Method: "GET", Pattern: "/v1/projects/{project}/locations/{location}", Do: a.getLocation},
		{Name: "firestore.admin.ListBackups", Permission: "datastore.backups.list", Method: "GET", Pattern: backups, Do: a.listBackups},
		{Name: "firestore.admin.GetBackup", Permission: "datastore.backups.get", Method: "GET", Pattern: backups + "/{backup}", Do: a.getBackup},
		{Name: "firestore.admin.DeleteBackup", Permission: "datastore.backups.delete", Method: "DELETE", Pattern: backups + "/{backup}", Do: a.deleteBackup},
		{Name: "firestore.admin.CloneDatabase", Permission: "datastore.databases.clone", Method: "POST", Pattern: databases + ":clone", Do: a.cloneDatabase},
		{Name: "firestore.admin.RestoreDatabase", Permission: "datastore.backups.restoreDatabase", Method: "POST", Pattern: databases + ":restore", Do: a.restoreDatabase},
		{Name: "firestore.admin.ListBackupSchedules", Permission: "datastore.backupSchedules.list", Method: "GET", Pattern: schedules, Do: a.listSchedules},
		{Name: "firestore.admin.GetBackupSchedule", Permission: "datastore.backupSchedules.get", Method: "GET", Pattern: schedules + "/{schedule}", Do: a.getSchedule},
		{Name: "firestore.admin.CreateBackupSchedule", Permission: "datastore.backupSchedules.create", Method: "POST", Pattern: schedules, Do: a.createSchedule},
		{Name: "firestore.admin.UpdateBackupSchedule", Permission: "datastore.backupSchedules.update", Method: "PATCH", Pattern: schedules + "/{schedule}", Do: a.updateSchedule},
		{Name: "firestore.admin.DeleteBackupSchedule", Permission: "datastore.backupSchedules.delete", Method: "DELETE", Pattern: schedules + "/{schedule}", Do: a.deleteSchedule},
		{Name: "firestore.admin.ListIndexes", Permission: "datastore.indexes.list", Method: "GET", Pattern: indexes, Do: a.listIndexes},
		{Name: "firestore.admin.CreateIndex", Permission: "datastore.indexes.create", Method: "POST", Pattern: indexes, Do: a.createIndex},
		{Name: "firestore.admin.GetIndex", Permission: "datastore.indexes.get", Method: "GET", Pattern: indexes + "/{index}", Do: a.getIndex},
		{Name: "firestore.admin.DeleteIndex", Permission: "datastore.indexes.delete", Method: "DELETE", Pattern: indexes + "/{index}", Do: a.deleteIndex},
		{Name: "firestore.admin.ListFields", Permission: "datastore.indexes.list", Method: "GET", Pattern: fields, Do: a.listFields},
		{Name: "firestore.admin.GetField", Permission: "datastore.indexes.get", Method: "GET", Pattern: fields + "/{field...}", Do: a.getField},
		{Name: "firestore.admin.UpdateField", Permission: "datastore.indexes.update", Method: "PATCH", Pattern: fields + "/{field...}", Do: a.updateField},
		{Name: "longrunning.ListOperations", Permission: "datastore.operations.list", Method: "GET", Pattern: operations, Do: a.listOperations},
		{Name: "longrunning.GetOperation", Permission: "datastore.operations.get", Method: "GET", Pattern: operations + "/{operation}", Do: a.getOperation},
		{Name: "longrunning.DeleteOperation", Permission: "datastore.operations.delete", Method: "DELETE", Pattern: operations + "/{operation}", Do: a.deleteOperation},
		{Name: "longrunning.CancelOperation", Permission: "datastore.operations.cancel", Method: "POST", Pattern: operations + "/{operation}:cancel", Do: a.cancelOperation},
		{Name: "longrunning.WaitOperation", Permission: "datastore.operations.get", Method: "POST", Pattern: operations + "/{operation}:wait", Do: a.waitOperation},
	}
}

// ids returns the ids of the databases.
func (a *API) ids() []string {
	all := slices.Clone(a.o.Databases)
	for _, id := range a.o.Made.IDs(false) {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// database returns the name of the database of a call, or NotFound.
func (a *API) database(c *route.Call) (string, error) {
	id := c.Vars["database"]
	if !slices.Contains(a.ids(), id) {
		return "", fault.E(fault.NotFound, "Project '%s' or database '%s' does not exist.", c.Project, id)
	}
	return "projects/" + c.Project + "/databases/" + id, nil
}
