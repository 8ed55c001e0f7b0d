package firestoreadmin

import (
	"context"
	"slices"
	"strconv"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup/series"
)

// Backups are the scheduled backups of a server. schedule.Schedule implements it.
type Backups interface {
	// Kept returns the backups, from the oldest to the newest, and the last proof.
	Kept(ctx context.Context) ([]series.Backup, series.Proof, error)
}

// backupJSON is a backup of the API. A backup has all databases of a server; it names the default one.
type backupJSON struct {
	Name         string            `json:"name"`
	Database     string            `json:"database"`
	DatabaseUID  string            `json:"databaseUid"`
	SnapshotTime time.Time         `json:"snapshotTime"`
	State        string            `json:"state"`
	Stats        map[string]string `json:"stats"`
}

// backups returns the backups of a location, the newest first.
func (a *API) backups(ctx context.Context, c *route.Call) ([]*backupJSON, error) {
	if at := c.Vars["location"]; at != location && at != "-" {
		return nil, fault.E(fault.NotFound, "Location %q was not found: the only one is %q.", at, location)
	}
	if c.Query.Get("filter") != "" {
		return nil, fault.E(fault.Unimplemented, "This server lists backups without a filter.")
	}
	if a.o.Backups == nil {
		return nil, nil
	}
	kept, _, err := a.o.Backups.Kept(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	of := a.shownDatabase(resource.DefaultDatabase, a.mu.databases[resource.DefaultDatabase])
	var all []*backupJSON
	for _, b := range slices.Backward(kept) {
		one := &backupJSON{
			Name: "projects/" + a.o.Project + "/locations/" + location + "/backups/" + b.Name, Database: of.Name, DatabaseUID: of.UID, SnapshotTime: b.Time.UTC(),
			State: "READY", Stats: map[string]string{"sizeBytes": strconv.FormatInt(b.Bytes, 10)},
		}
		if b.Damage != "" {
			one.State = "NOT_AVAILABLE"
		}
		all = append(all, one)
	}
	return all, nil
}

// listBackups returns the backups.
func (a *API) listBackups(ctx context.Context, c *route.Call) (any, error) {
	all, err := a.backups(ctx, c)
	return struct {
		Backups []*backupJSON `json:"backups,omitempty"`
	}{all}, err
}

// getBackup returns a backup.
func (a *API) getBackup(ctx context.Context, c *route.Call) (any, error) {
	all, err := a.backups(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		if name := "projects/" + a.o.Project + "/locations/" + location + "/backups/" + c.Vars["backup"]; b.Name == name {
			return b, nil
		}
	}
	return nil, fault.E(fault.NotFound, "Backup %s was not found.", c.Vars["backup"])
}
