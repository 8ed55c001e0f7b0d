package firestoreadmin

import (
	"context"
	"slices"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
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
		Snapshot struct {
			Database     string    `json:"database"`
			DatabaseUID  []byte    `json:"databaseUid"`
			SnapshotTime time.Time `json:"snapshotTime"`
		} `json:"pitrSnapshot"`
		copyRequest
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
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

// showClone adds what is known of an operation that clones a database.
func (out *operationJSON) showClone(project, database string, o *operation) {
	m := out.Metadata
	m["@type"], m["operationState"] = typePrefix+"CloneDatabaseMetadata", m["state"]
	delete(m, "state")
	m["database"] = database
	m["pitrSnapshot"] = map[string]any{"database": "projects/" + project + "/databases/" + o.Clone.From, "snapshotTime": o.Clone.At}
	m["progressPercentage"] = progressOf(out.percent(0), 100)
}
