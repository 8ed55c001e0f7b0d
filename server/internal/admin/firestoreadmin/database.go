package firestoreadmin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"clave/server/internal/admin/route"
)

// databaseJSON is a database of the API. The server has no location, and no dates of databases.
type databaseJSON struct {
	Name                     string `json:"name"`
	UID                      string `json:"uid"`
	Type                     string `json:"type"`
	LocationID               string `json:"locationId"`
	ConcurrencyMode          string `json:"concurrencyMode"`
	AppEngineIntegrationMode string `json:"appEngineIntegrationMode"`
	DeleteProtectionState    string `json:"deleteProtectionState"`
	DatabaseEdition          string `json:"databaseEdition"`
	// EarliestVersionTime is the earliest time at which the database can be read, and VersionRetentionPeriod its
	// configured age in seconds.
	EarliestVersionTime    string `json:"earliestVersionTime"`
	VersionRetentionPeriod string `json:"versionRetentionPeriod"`
	PointInTimeRecovery    string `json:"pointInTimeRecoveryEnablement"`
	Etag                   string `json:"etag"`
}

// location is the location that databases show: the server's own.
const location = "local"

// shownDatabase returns a database as the API shows it. It can't be deleted, because the server's firebase.json names
// it.
func (a *API) shownDatabase(id string) *databaseJSON {
	name := "projects/" + a.o.Project + "/databases/" + id
	sum := sha256.Sum256([]byte(name))
	recovery := "POINT_IN_TIME_RECOVERY_DISABLED"
	if a.o.Window > time.Hour {
		recovery = "POINT_IN_TIME_RECOVERY_ENABLED"
	}
	return &databaseJSON{
		Name: name, UID: fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]), Type: "FIRESTORE_NATIVE", LocationID: location,
		ConcurrencyMode: "PESSIMISTIC", AppEngineIntegrationMode: "DISABLED", DeleteProtectionState: "DELETE_PROTECTION_ENABLED", DatabaseEdition: "STANDARD",
		EarliestVersionTime: a.o.Earliest(id).Format(time.RFC3339Nano), VersionRetentionPeriod: fmt.Sprintf("%ds", int(a.o.Window.Seconds())), PointInTimeRecovery: recovery,
		Etag: fmt.Sprintf("%x", sum[16:24]),
	}
}

// getDatabase describes a database.
func (a *API) getDatabase(_ context.Context, c *route.Call) (any, error) {
	if _, err := a.database(c); err != nil {
		return nil, err
	}
	return a.shownDatabase(c.Vars["database"]), nil
}

// listDatabases describes the databases of the project.
func (a *API) listDatabases(context.Context, *route.Call) (any, error) {
	all := make([]*databaseJSON, len(a.o.Databases))
	for i, id := range a.o.Databases {
		all[i] = a.shownDatabase(id)
	}
	return map[string]any{"databases": all}, nil
}
