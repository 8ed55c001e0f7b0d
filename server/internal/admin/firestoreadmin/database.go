package firestoreadmin

import (
	"context"
	"crypto/sha256"
	"fmt"

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
	Etag                     string `json:"etag"`
}

// location is the location that databases show: the server's own.
const location = "local"

// shownDatabase returns a database as the API shows it. It can't be deleted, because the server's firebase.json names
// it.
func shownDatabase(name string) *databaseJSON {
	sum := sha256.Sum256([]byte(name))
	return &databaseJSON{
		Name: name, UID: fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]), Type: "FIRESTORE_NATIVE", LocationID: location,
		ConcurrencyMode: "PESSIMISTIC", AppEngineIntegrationMode: "DISABLED", DeleteProtectionState: "DELETE_PROTECTION_ENABLED", DatabaseEdition: "STANDARD",
		Etag: fmt.Sprintf("%x", sum[16:24]),
	}
}

// getDatabase describes a database.
func (a *API) getDatabase(_ context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	return shownDatabase(name), nil
}

// listDatabases describes the databases of the project.
func (a *API) listDatabases(_ context.Context, c *route.Call) (any, error) {
	all := make([]*databaseJSON, len(a.o.Databases))
	for i, id := range a.o.Databases {
		all[i] = shownDatabase("projects/" + c.Project + "/databases/" + id)
	}
	return map[string]any{"databases": all}, nil
}
