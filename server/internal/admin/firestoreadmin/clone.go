package firestoreadmin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/release"
)

// cloning is an operation that makes a database as another one was.
type cloning struct {
	// From is the id of the other one, and At the time.
	From string    `json:"from"`
	At   time.Time `json:"at"`
}

// checkSnapshot checks a time as of which a database is read.
func (a *API) checkSnapshot(id string, at time.Time) error {
	switch {
	case at.After(a.o.Clock.Now()) || !at.Equal(at.Truncate(time.Minute)):
		return fault.E(fault.InvalidArgument, "snapshot_time must be a whole minute of the past.")
	case at.Before(a.o.Earliest(id)):
		return fault.E(fault.FailedPrecondition, "The requested snapshot version is too old.")
	}
	return nil
}

// cloneDatabase begins to make a database as another one was. It can be used when the operation has ended.
func (a *API) cloneDatabase(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		ID       string `json:"databaseId"`
		Snapshot struct {
			Database     string    `json:"database"`
			DatabaseUID  []byte    `json:"databaseUid"`
			SnapshotTime time.Time `json:"snapshotTime"`
		} `json:"pitrSnapshot"`
		Encryption map[string]any    `json:"encryptionConfig"`
		Tags       map[string]string `json:"tags"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if err := checkNewID(in.ID); err != nil {
		return nil, err
	}
	if in.Encryption["customerManagedEncryption"] != nil || len(in.Tags) > 0 {
		return nil, fault.E(fault.Unimplemented, "This server does not have databases with tags or keys of one's own.")
	}
	from, ok := strings.CutPrefix(in.Snapshot.Database, "projects/"+a.o.Project+"/databases/")
	switch {
	case !ok || in.Snapshot.SnapshotTime.IsZero():
		return nil, fault.E(fault.InvalidArgument, "pitr_snapshot must name a database of this project and a snapshot_time.")
	case !slices.Contains(a.ids(), from):
		return nil, fault.E(fault.NotFound, "Project '%s' or database '%s' does not exist.", c.Project, from)
	}
	at := in.Snapshot.SnapshotTime.UTC()
	if err := a.checkSnapshot(from, at); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.freeLocked(in.ID); err != nil {
		return nil, err
	}
	o := &operation{Database: in.ID, By: c.By(), Clone: &cloning{From: from, At: at}}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	return a.shownLocked("projects/"+c.Project+"/databases/"+in.ID, o), nil
}

// clone does an operation that makes a database as another one was. The copy has the index definitions of the other
// one, without its TTL policies, and no rules.
func (a *API) clone(ctx context.Context, o *operation) error {
	defs, err := a.o.Releases.Definitions(o.Clone.From)
	copied := a.o.Stored(o.Database) // by an earlier process
	if err == nil && !copied {
		err = a.o.Clone(ctx, o.Clone.From, o.Database, o.Clone.At)
	}
	if err != nil {
		return err
	}
	defs.Overrides = slices.Clone(defs.Overrides)
	for i := range defs.Overrides {
		defs.Overrides[i].TTL = false
	}
	ctx = context.WithoutCancel(ctx) // the copy is there
	now, place := a.o.Clock.Now().UTC(), location
	if made, found := a.o.Made.Of(o.Clone.From); found {
		place = made.Location
	}
	of := settings{Created: now, Updated: now, Unprotected: true}
	a.mu.Lock()
	err = a.saveDatabase(ctx, o.Database, of)
	a.mu.databases[o.Database] = of
	a.mu.Unlock()
	if err != nil {
		return err
	}
	made := release.Made{Time: now, Location: place, Enterprise: a.o.Enterprise != nil && a.o.Enterprise(o.Clone.From)}
	if err := a.o.Releases.Make(ctx, o.By, o.Database, made, defs); err != nil {
		return fmt.Errorf("make a clone: %w", err)
	}
	return nil
}

// showClone adds what is known of an operation that clones a database.
func (out *operationJSON) showClone(project, database string, o *operation) {
	m := out.Metadata
	m["@type"], m["operationState"] = typePrefix+"CloneDatabaseMetadata", m["state"]
	delete(m, "state")
	m["database"] = database
	m["pitrSnapshot"] = map[string]any{"database": "projects/" + project + "/databases/" + o.Clone.From, "snapshotTime": o.Clone.At}
	done := int64(0)
	if out.Done && out.Error == nil {
		done = 100
	}
	m["progressPercentage"] = progressOf(done, 100)
}

// isPending reports whether a clone is being made, or could not be made: the operation exists without its database.
func (o *operation) isPending() bool { return o.Clone != nil && (!o.isDone() || o.Code != fault.OK) }
