package firestoreadmin

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup/series"
)

// Backups are the scheduled backups of a server. Service of package backups implements it.
type Backups interface {
	// Kept returns the backups, from the oldest to the newest, and the last proof.
	Kept(ctx context.Context) ([]series.Backup, series.Proof, error)
	// Databases returns the databases of which a backup has anything, in order; none if they are not known.
	Databases(ctx context.Context, b series.Backup) ([]resource.Database, error)
}

// backupJSON is a backup of the API: a database in a backup of the server, which has all databases.
type backupJSON struct {
	// of is the name of the backup of the server, and id the id of the database.
	of, id       string
	Name         string            `json:"name"`
	Database     string            `json:"database"`
	DatabaseUID  string            `json:"databaseUid,omitempty"`
	SnapshotTime time.Time         `json:"snapshotTime"`
	State        string            `json:"state"`
	Stats        map[string]string `json:"stats"`
}

// backupID returns the last segment of the name of a backup: that of the server, and the id of the database unless it
// is the default one.
func backupID(of, id string) string {
	if id == resource.DefaultDatabase {
		return of
	}
	return of + "." + id
}

// backups returns the backups of a location, the newest first. Those of one moment are in the order of databases, the
// default one first. Of those of the server for which may returns false, the databases are not read.
func (a *API) backups(ctx context.Context, place string, may func(of string) bool) ([]*backupJSON, error) {
	if place != location && place != "-" {
		return nil, fault.E(fault.NotFound, "Location %q was not found: the only one is %q.", place, location)
	}
	if a.o.Backups == nil {
		return nil, nil
	}
	kept, _, err := a.o.Backups.Kept(ctx)
	if err != nil {
		return nil, err
	}
	var all []*backupJSON
	for _, b := range slices.Backward(kept) {
		if !may(b.Name) {
			continue
		}
		has, err := a.o.Backups.Databases(ctx, b)
		if err != nil {
			return nil, err
		}
		ids := []string{resource.DefaultDatabase}
		for _, db := range has {
			if db.Project == a.o.Project && db.ID != resource.DefaultDatabase {
				ids = append(ids, db.ID)
			}
		}
		for _, id := range ids {
			all = append(all, a.shownBackup(b, id))
		}
	}
	return all, nil
}

// shownBackup returns a database in a backup of the server as the API shows it. The identity of one that has been
// deleted is not known.
func (a *API) shownBackup(b series.Backup, id string) *backupJSON {
	one := &backupJSON{
		of: b.Name, id: id, Name: "projects/" + a.o.Project + "/locations/" + location + "/backups/" + backupID(b.Name, id), Database: a.namedDatabase(id), SnapshotTime: b.Time.UTC(),
		State: stateReady, Stats: map[string]string{"sizeBytes": strconv.FormatInt(b.Bytes, 10)},
	}
	if b.Damage != "" {
		one.State = "NOT_AVAILABLE"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if of, known := a.mu.databases[id]; known && !of.Created.After(b.Time) {
		one.DatabaseUID = a.shownDatabase(id, of).UID
	}
	return one
}

// backup returns a backup of a location.
func (a *API) backup(ctx context.Context, place, id string) (*backupJSON, error) {
	all, err := a.backups(ctx, place, func(of string) bool { return id == of || strings.HasPrefix(id, of+".") })
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		if backupID(b.of, b.id) == id {
			return b, nil
		}
	}
	return nil, fault.E(fault.NotFound, "Backup %s was not found.", id)
}

// listBackups returns the backups.
func (a *API) listBackups(ctx context.Context, c *route.Call) (any, error) {
	if c.Query.Get("filter") != "" {
		return nil, fault.E(fault.Unimplemented, "This server lists backups without a filter.")
	}
	all, err := a.backups(ctx, c.Vars["location"], func(string) bool { return true })
	return struct {
		Backups []*backupJSON `json:"backups,omitempty"`
	}{all}, err
}

// getBackup returns a backup.
func (a *API) getBackup(ctx context.Context, c *route.Call) (any, error) {
	return a.backup(ctx, c.Vars["location"], c.Vars["backup"])
}
