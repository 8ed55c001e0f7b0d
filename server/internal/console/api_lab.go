package console

import (
	"slices"
	"sync"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// maxSnapshots is the maximum number of snapshots. All changes since the oldest are retained.
const maxSnapshots = 50

// snapshotJSON is a kept state of a project's documents.
type snapshotJSON struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Name    string `json:"name"`
	Time    string `json:"time"`
}

// lab keeps the snapshots that were made in the console. It is safe for concurrent use.
type lab struct {
	mu        sync.Mutex
	snapshots []snapshotJSON // guarded by mu
}

// find returns a snapshot.
func (l *lab) find(id string) (snapshotJSON, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.snapshots {
		if s.ID == id {
			return s, nil
		}
	}
	return snapshotJSON{}, fault.E(fault.NotFound, "There is no snapshot %q.", id)
}

// getLab returns the snapshots, the offset of the clock, and the injected faults.
func (c *Console) getLab(*call) (any, error) {
	c.lab.mu.Lock()
	defer c.lab.mu.Unlock()
	return map[string]any{"snapshots": append([]snapshotJSON{}, c.lab.snapshots...), "clock": c.clockState(), "faults": c.faultState()}, nil
}

// change begins to record a change of a whole project. The returned function records its result.
func (in *call) change(project, method, target string) (func(error), error) {
	return in.caller(project).Change(func() token.Change {
		return token.Change{Method: method, Database: "projects/" + project, Targets: []string{target}, Count: 1}
	})
}

// postSnapshot keeps the state of a project's documents.
func (c *Console) postSnapshot(in *call) (any, error) {
	var body struct {
		databaseBody
		Name string `json:"name"`
	}
	db, err := in.decodeAt(&body, &body.databaseBody)
	if err != nil {
		return nil, err
	}
	c.lab.mu.Lock()
	defer c.lab.mu.Unlock()
	if len(c.lab.snapshots) >= maxSnapshots {
		return nil, fault.E(fault.ResourceExhausted, "There are %d snapshots already. Delete some.", maxSnapshots)
	}
	ended, err := in.change(db.Project, "snapshot", "create snapshot "+body.Name)
	if err != nil {
		return nil, err
	}
	id, err := c.o.Authorizer.Keep(in.Context(), db.Project)
	ended(err)
	if err != nil {
		return nil, err
	}
	c.lab.snapshots = append(c.lab.snapshots, snapshotJSON{id, db.Project, body.Name, timeText(c.o.Clock.Now())})
	return map[string]string{"id": id}, nil
}

// postSnapshotRestore restores a project's documents to a snapshot, which remains valid.
func (c *Console) postSnapshotRestore(in *call) (any, error) {
	s, err := c.lab.find(in.PathValue("id"))
	if err != nil {
		return nil, err
	}
	ended, err := in.change(s.Project, "restore", "restore snapshot "+s.Name)
	if err != nil {
		return nil, err
	}
	err = c.o.Authorizer.Restore(in.Context(), s.Project, s.ID)
	ended(err)
	return struct{}{}, err
}

// deleteSnapshot drops a snapshot.
func (c *Console) deleteSnapshot(in *call) (any, error) {
	s, err := c.lab.find(in.PathValue("id"))
	if err != nil {
		return nil, err
	}
	ended, err := in.change(s.Project, "delete a snapshot", "delete snapshot "+s.Name)
	if err != nil {
		return nil, err
	}
	c.o.Authorizer.Release(in.Context(), s.Project, s.ID)
	ended(nil)
	c.lab.mu.Lock()
	defer c.lab.mu.Unlock()
	c.lab.snapshots = slices.DeleteFunc(c.lab.snapshots, func(one snapshotJSON) bool { return one.ID == s.ID })
	return struct{}{}, nil
}

// postClear deletes all documents or all accounts of a project.
func (c *Console) postClear(in *call) (any, error) {
	var body struct {
		databaseBody
		What string `json:"what"`
	}
	db, err := in.decodeAt(&body, &body.databaseBody)
	if err != nil {
		return nil, err
	}
	if body.What != "documents" && body.What != "accounts" {
		return nil, fault.E(fault.InvalidArgument, "what must be documents or accounts.")
	}
	ended, err := in.change(db.Project, "clear", "delete all "+body.What)
	if err != nil {
		return nil, err
	}
	if body.What == "accounts" {
		err = c.o.Accounts.Clear(in.Context(), in.account(db.Project, ""))
	} else {
		for _, one := range c.o.Authorizer.Databases(db.Project) {
			if err = c.o.Authorizer.Clear(in.Context(), one); err != nil {
				break
			}
		}
	}
	ended(err)
	return struct{}{}, err
}
