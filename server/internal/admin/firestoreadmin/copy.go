package firestoreadmin

import (
	"context"
	"fmt"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// copyRequest is what the requests for a clone and for a restored database have in common.
type copyRequest struct {
	ID         string            `json:"databaseId"`
	Encryption map[string]any    `json:"encryptionConfig"`
	Tags       map[string]string `json:"tags"`
}

// check checks the request.
func (r *copyRequest) check() error {
	if err := checkNewID(r.ID); err != nil {
		return err
	}
	if r.Encryption["customerManagedEncryption"] != nil || len(r.Tags) > 0 {
		return fault.E(fault.Unimplemented, "This server does not have databases with tags or keys of one's own.")
	}
	return nil
}

// isCopy reports whether the operation makes its database with documents: a clone, or one that is restored.
func (o *operation) isCopy() bool { return o.Clone != nil || o.Restore != nil }

// isPending reports whether a copy is being made, or could not be made: the operation exists without its database.
func (o *operation) isPending() bool { return o.isCopy() && (!o.isDone() || o.Code != fault.OK) }

// makeCopy does an operation that makes a database with documents. The copy has the index definitions of the other one,
// without its TTL policies, and no rules.
func (a *API) makeCopy(ctx context.Context, o *operation) error {
	if !o.Copying || !a.o.Stored(o.Database) { // otherwise an earlier process has completed it
		if err := a.advance(ctx, o.ID, true, func(next *operation) { next.Copying = true }); err != nil {
			return err
		}
		if err := a.copyDocuments(ctx, o); err != nil {
			return err
		}
	}
	ctx = context.WithoutCancel(ctx) // the copy is there
	err := a.serveCopy(ctx, o.ID)
	if err != nil && !a.o.Made.Has(o.Database) {
		if drop := a.discard(ctx, o.Database); drop != nil {
			a.o.Log.Error("a copy of a database that could not be completed is still stored; its deletion is repeated", "database", o.Database, "error", drop)
			_ = a.advance(ctx, o.ID, false, func(next *operation) { next.Left = true }) // written at the end
			a.noteFailed()
		}
	}
	return err
}

// copyDocuments makes the documents and indexes of a copy, which clients do not see yet.
func (a *API) copyDocuments(ctx context.Context, o *operation) error {
	if o.Clone != nil {
		return a.o.Clone(ctx, o.Clone.From, o.Database, o.Clone.At)
	}
	return a.o.Restore(ctx, Restoration{
		Backup: o.Restore.Backup, From: o.Restore.From, To: o.Database, Edition: func(enterprise bool) error {
			return a.advanceRestore(ctx, o.ID, true, func(r *restoring) { r.Enterprise = enterprise })
		}, Report: func(percent int64) {
			_ = a.advanceRestore(ctx, o.ID, false, func(r *restoring) { r.Percent = percent }) // in memory
		},
	})
}

// serveCopy lets clients use the complete copy of an operation.
func (a *API) serveCopy(ctx context.Context, id string) error {
	a.mu.Lock()
	i := slices.IndexFunc(a.mu.operations, func(o *operation) bool { return o.ID == id })
	o := a.mu.operations[i] // with what copyDocuments has found
	a.mu.Unlock()
	defs, err := a.o.Copied(o.Database)
	if err != nil {
		return err
	}
	now := a.o.Clock.Now().UTC()
	made := release.Made{Time: now, Location: location}
	from := ""
	if o.Clone != nil {
		from = o.Clone.From
		made.Enterprise = a.o.Enterprise != nil && a.o.Enterprise(from)
	} else {
		from = o.Restore.From
		made.Enterprise = o.Restore.Enterprise
	}
	if source, found := a.o.Made.Of(from); found {
		made.Location = source.Location
	}
	of := settings{Created: now, Updated: now, Unprotected: true}
	a.mu.Lock()
	err = a.saveDatabase(ctx, o.Database, of)
	a.mu.databases[o.Database] = of
	a.mu.Unlock()
	if err != nil {
		return err
	}
	if err := a.o.Releases.Make(ctx, o.By, o.Database, made, defs); err != nil {
		return fmt.Errorf("make a copy: %w", err)
	}
	return nil
}

// discard removes a copy that clients could not use yet, and its settings.
func (a *API) discard(ctx context.Context, id string) error {
	if err := a.o.Drop(ctx, id); err != nil {
		return err
	}
	return a.forget(ctx, id)
}

// removeLeft removes copies that could not be completed and are still stored. It reports whether there are none any
// more.
func (a *API) removeLeft(ctx context.Context) bool {
	var left []*operation
	a.mu.Lock()
	for _, o := range a.mu.operations {
		if o.Left {
			left = append(left, o)
		}
	}
	a.mu.Unlock()
	complete := true
	for _, o := range left {
		if !o.isDone() { // it ends soon
			complete = false
			continue
		}
		var err error
		if !slices.Contains(a.ids(), o.Database) {
			err = a.discard(ctx, o.Database)
		}
		if err == nil {
			err = a.advance(ctx, o.ID, true, func(next *operation) { next.Left = false })
		}
		if err != nil {
			complete = false
			a.o.Log.Error("a copy of a database that could not be completed is still stored; its deletion is repeated", "database", o.Database, "error", err)
		}
	}
	return complete
}

// percent returns the progress of the operation: all of a successful one, otherwise a known one.
func (out *operationJSON) percent(known int64) int64 {
	if out.Done && out.Error == nil {
		return 100
	}
	return known
}

// namedDatabase returns the name of a database of the project.
func (a *API) namedDatabase(id string) string {
	return resource.Database{Project: a.o.Project, ID: id}.String()
}
