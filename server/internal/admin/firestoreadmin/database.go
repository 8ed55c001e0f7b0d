package firestoreadmin

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// databaseJSON is a database of the API. The server has no location.
type databaseJSON struct {
	Name                          string     `json:"name"`
	UID                           string     `json:"uid"`
	CreateTime                    *time.Time `json:"createTime,omitempty"`
	UpdateTime                    *time.Time `json:"updateTime,omitempty"`
	LocationID                    string     `json:"locationId"`
	Type                          string     `json:"type"`
	ConcurrencyMode               string     `json:"concurrencyMode"`
	VersionRetentionPeriod        string     `json:"versionRetentionPeriod"`
	EarliestVersionTime           string     `json:"earliestVersionTime"`
	PointInTimeRecoveryEnablement string     `json:"pointInTimeRecoveryEnablement"`
	AppEngineIntegrationMode      string     `json:"appEngineIntegrationMode"`
	DeleteProtectionState         string     `json:"deleteProtectionState"`
	DatabaseEdition               string     `json:"databaseEdition"`
	Etag                          string     `json:"etag"`
}

// location is the location that databases show: the server's own.
const location = "local"

// databasePrefix is the prefix of the keys of the settings of databases in the store.
const databasePrefix = "admin/database/"

// The states of the protection from deletes.
const (
	isProtected = "DELETE_PROTECTION_ENABLED"
	unprotected = "DELETE_PROTECTION_DISABLED"
)

// settings are the settings of a database in the store. Databases of older servers have none.
type settings struct {
	// Created is when a server with administration APIs first had the database, and Updated when its settings changed.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Unprotected is set if a delete would not be refused for its protection.
	Unprotected bool `json:"unprotected,omitempty"`
}

// loadDatabases reads the settings of the databases, and writes those of new ones.
func (a *API) loadDatabases(ctx context.Context) error {
	a.mu.databases = make(map[string]settings)
	now := a.o.Clock.Now().UTC()
	for _, id := range a.ids() {
		text, found, err := a.o.Store.Get([]byte(databasePrefix + id))
		of := settings{Created: now, Updated: now}
		switch {
		case err != nil:
			return err
		case found:
			if err := json.Unmarshal(text, &of); err != nil {
				return fmt.Errorf("read the settings of the database %s: %w", id, err)
			}
		default:
			if err := a.saveDatabase(ctx, id, of); err != nil {
				return err
			}
		}
		a.mu.databases[id] = of
	}
	return nil
}

// saveDatabase writes the settings of a database.
func (a *API) saveDatabase(ctx context.Context, id string, of settings) error {
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	var b store.Batch
	b.Set([]byte(databasePrefix+id), text)
	return a.o.Store.Apply(ctx, &b)
}

// shownDatabase returns a database as the API shows it.
func (a *API) shownDatabase(id string, of settings) *databaseJSON {
	name := "projects/" + a.o.Project + "/databases/" + id
	sum, place := sha256.Sum256([]byte(name)), location
	if made, found := a.o.Made.Of(id); found { // another database of the name may have been before
		sum, place = sha256.Sum256(fmt.Append(nil, name, made.Time.UnixNano())), made.Location
	}
	etag := sha256.Sum256(fmt.Append(nil, sum, of.Updated.UnixNano(), of.Unprotected))
	created, updated := of.Created, of.Updated
	out := &databaseJSON{
		Name: name, UID: fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]), CreateTime: &created, UpdateTime: &updated,
		LocationID: place, Type: "FIRESTORE_NATIVE", ConcurrencyMode: "PESSIMISTIC", AppEngineIntegrationMode: "DISABLED",
		VersionRetentionPeriod: fmt.Sprintf("%ds", int(a.o.Window.Seconds())), EarliestVersionTime: a.o.Earliest(id).Format(time.RFC3339Nano),
		PointInTimeRecoveryEnablement: a.recovery(), DeleteProtectionState: isProtected, DatabaseEdition: "STANDARD", Etag: fmt.Sprintf("%x", etag[:8]),
	}
	if of.Unprotected {
		out.DeleteProtectionState = unprotected
	}
	if a.o.Enterprise != nil && a.o.Enterprise(id) {
		out.DatabaseEdition = "ENTERPRISE"
	}
	return out
}

// getDatabase describes a database.
func (a *API) getDatabase(_ context.Context, c *route.Call) (any, error) {
	if _, err := a.database(c); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shownDatabase(c.Vars["database"], a.mu.databases[c.Vars["database"]]), nil
}

// listDatabases describes the databases of the project.
func (a *API) listDatabases(_ context.Context, _ *route.Call) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	ids := a.ids()
	all := make([]*databaseJSON, len(ids))
	for i, id := range ids {
		all[i] = a.shownDatabase(id, a.mu.databases[id])
	}
	return map[string]any{"databases": all}, nil
}

// The members of a database that can't change here, with the values that it has.
var fixed = map[string]string{
	"locationId": location, "type": "FIRESTORE_NATIVE", "concurrencyMode": "PESSIMISTIC", "appEngineIntegrationMode": "DISABLED",
}

// recovery returns the state of the recovery of past versions, which the flag --history decides.
func (a *API) recovery() string {
	if a.o.Window > time.Hour {
		return "POINT_IN_TIME_RECOVERY_ENABLED"
	}
	return "POINT_IN_TIME_RECOVERY_DISABLED"
}

// snake turns the names of members of a field mask into those of JSON.
var snake = strings.NewReplacer("delete_protection_state", "deleteProtectionState", "point_in_time_recovery_enablement", "pointInTimeRecoveryEnablement",
	"concurrency_mode", "concurrencyMode", "location_id", "locationId", "app_engine_integration_mode", "appEngineIntegrationMode")

// updateDatabase changes the protection of a database from deletes. Without a mask, it changes what the body has. The
// operation has ended when it returns, as the Firebase CLI expects.
func (a *API) updateDatabase(ctx context.Context, c *route.Call) (any, error) {
	id := c.Vars["database"]
	if _, err := a.database(c); err != nil {
		return nil, err
	}
	var in map[string]any
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	mask := c.Query.Get("updateMask")
	if mask != "" {
		for name := range in {
			if !slices.Contains(strings.Split(snake.Replace(mask), ","), name) {
				delete(in, name)
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next, before := a.mu.databases[id], a.shownDatabase(id, a.mu.databases[id])
	if _, err := a.database(c); err != nil { // deleted meanwhile
		return nil, err
	}
	for name, v := range in {
		switch {
		case name == "deleteProtectionState" && (v == isProtected || v == unprotected):
			next.Unprotected = v == unprotected
		case name == "name" || name == "etag":
			if name == "etag" && v != "" && v != before.Etag {
				return nil, errEtag
			}
		case name == "locationId" && v == before.LocationID:
		case fixed[name] != "" && v == fixed[name], name == "pointInTimeRecoveryEnablement" && v == a.recovery():
		case name == "pointInTimeRecoveryEnablement":
			return nil, fault.E(fault.Unimplemented, "This server keeps past versions for as long as its flag --history says, %s.", a.o.Window)
		case fixed[name] != "":
			return nil, fault.E(fault.Unimplemented, "This server cannot change %s, which is %s.", name, fixed[name])
		default:
			return nil, fault.E(fault.InvalidArgument, "Invalid value at 'database.%s'.", name)
		}
	}
	next.Updated = a.o.Clock.Now().UTC()
	if err := a.saveDatabase(ctx, id, next); err != nil {
		return nil, err
	}
	a.mu.databases[id] = next
	return endedWith("UpdateDatabaseMetadata", next.Updated, a.shownDatabase(id, next)), nil
}

// errEtag is the error for an etag that is not the present one.
var errEtag = fault.E(fault.Aborted, "The etag of the database does not match.")

// endedWith returns an operation that has ended with a database.
func endedWith(metadata string, at time.Time, shown *databaseJSON) *operationJSON {
	return &operationJSON{
		Name: shown.Name + "/operations/" + fmt.Sprintf("%016x", at.UnixMicro()), Done: true, Metadata: map[string]any{"@type": typePrefix + metadata},
		Response: struct {
			Type string `json:"@type"`
			*databaseJSON
		}{typePrefix + "Database", shown},
	}
}

// listLocations describes the only location.
func (a *API) listLocations(_ context.Context, c *route.Call) (any, error) {
	return map[string]any{"locations": []any{shownLocation(c)}}, nil
}

// getLocation describes a location.
func (a *API) getLocation(_ context.Context, c *route.Call) (any, error) {
	if c.Vars["location"] != location {
		return nil, fault.E(fault.NotFound, "Location %q was not found: the only one is %q.", c.Vars["location"], location)
	}
	return shownLocation(c), nil
}

// shownLocation returns the only location.
func shownLocation(c *route.Call) map[string]string {
	return map[string]string{"name": "projects/" + c.Project + "/locations/" + location, "locationId": location, "displayName": "This server"}
}
