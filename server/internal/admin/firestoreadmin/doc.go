// Package firestoreadmin has the methods of the Firestore Admin API on databases, indexes, fields and operations.
//
// A change of indexes or of a field is an operation. It is written into the store and answered at once, and done by Run
// in the order of the operations, by a release of the definitions (package releases). So an operation that a killed
// server has begun is done by the next one, and at nodes by the next leader.
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
)

// Releaser changes the index definitions in force.
type Releaser interface {
	// ChangeIndexes replaces the definitions of a database by those that edit returns, and returns when all indexes are
	// built.
	ChangeIndexes(ctx context.Context, by, id string, edit func(index.Definitions) (index.Definitions, error)) error
	// Definitions returns the definitions of a database in force.
	Definitions(id string) (index.Definitions, error)
}

// Options configure an API.
type Options struct {
	// Project is the id of the project, and Databases are those of its databases.
	Project   string
	Databases []string
	// Earliest returns the earliest time at which a database can be read, and Window is the configured age up to which
	// versions are kept.
	Earliest func(id string) time.Time
	Window   time.Duration
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
	// added receives a value when an operation was added.
	added chan struct{}
	mu    struct {
		sync.Mutex
		// operations are the latest operations, in the order in which they began.
		operations []*operation
		// last is the number in the id of the last one: its time in microseconds, greater than that of the one before.
		last int64
	}
}

// New returns the API with the operations of the store.
func New(o Options) (*API, error) {
	a := &API{o: o, added: make(chan struct{}, 1)}
	return a, a.load()
}

// Routes returns the routes.
func (a *API) Routes() []route.Route {
	const databases, database = "/v1/projects/{project}/databases", "/v1/projects/{project}/databases/{database}"
	const indexes, fields, operations = database + "/collectionGroups/{group}/indexes", database + "/collectionGroups/{group}/fields", database + "/operations"
	return []route.Route{
		{Name: "firestore.admin.ListDatabases", Permission: "datastore.databases.list", Method: "GET", Pattern: databases, Do: a.listDatabases},
		{Name: "firestore.admin.GetDatabase", Permission: "datastore.databases.get", Method: "GET", Pattern: database, Do: a.getDatabase},
		{Name: "firestore.admin.ListIndexes", Permission: "datastore.indexes.list", Method: "GET", Pattern: indexes, Do: a.listIndexes},
		{Name: "firestore.admin.CreateIndex", Permission: "datastore.indexes.create", Method: "POST", Pattern: indexes, Do: a.createIndex},
		{Name: "firestore.admin.GetIndex", Permission: "datastore.indexes.get", Method: "GET", Pattern: indexes + "/{index}", Do: a.getIndex},
		{Name: "firestore.admin.DeleteIndex", Permission: "datastore.indexes.delete", Method: "DELETE", Pattern: indexes + "/{index}", Do: a.deleteIndex},
		{Name: "firestore.admin.ListFields", Permission: "datastore.indexes.list", Method: "GET", Pattern: fields, Do: a.listFields},
		{Name: "firestore.admin.GetField", Permission: "datastore.indexes.get", Method: "GET", Pattern: fields + "/{field...}", Do: a.getField},
		{Name: "firestore.admin.UpdateField", Permission: "datastore.indexes.update", Method: "PATCH", Pattern: fields + "/{field...}", Do: a.updateField},
		{Name: "longrunning.ListOperations", Permission: "datastore.operations.list", Method: "GET", Pattern: operations, Do: a.listOperations},
		{Name: "longrunning.GetOperation", Permission: "datastore.operations.get", Method: "GET", Pattern: operations + "/{operation}", Do: a.getOperation},
	}
}

// database returns the name of the database of a call, or NotFound.
func (a *API) database(c *route.Call) (string, error) {
	id := c.Vars["database"]
	if !slices.Contains(a.o.Databases, id) {
		return "", fault.E(fault.NotFound, "Project '%s' or database '%s' does not exist.", c.Project, id)
	}
	return "projects/" + c.Project + "/databases/" + id, nil
}
