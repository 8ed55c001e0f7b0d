package engine

import (
	"context"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// clearChunk is the number of documents that one commit of Clear or Restore changes; each chunk is a version of its
// own.
const clearChunk = 2000

// Clear deletes all documents of a database. Subscribers receive the deletions. Open transactions end.
func (e *Engine) Clear(ctx context.Context, name resource.Database) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	defer e.alone(db)()
	for {
		targets, err := e.nextDocuments(ctx, db, clearChunk)
		if err != nil || len(targets) == 0 {
			return err
		}
		if err := e.replace(ctx, db, targets); err != nil {
			return err
		}
	}
}

// target is a document and the record to store, or nil to delete it. Only the record's update time changes.
type target struct {
	path   string
	record []byte
}

// nextDocuments returns up to n documents of a database as targets without a record.
func (e *Engine) nextDocuments(ctx context.Context, db *database, n int) ([]target, error) {
	view, _, err := e.current(db)
	if err != nil {
		return nil, err
	}
	defer view.release()
	it := view.snap.Scan(store.Prefix(keys.Prefix(keys.KindDocument, db.number.Load())))
	defer func() { _ = it.Close() }()
	var out []target
	for len(out) < n && it.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path, err := keys.DocumentPath(it.Key())
		if err != nil {
			return nil, err
		}
		out = append(out, target{path: path})
	}
	return out, it.Err()
}

// replace commits targets. The caller holds the gate.
func (e *Engine) replace(ctx context.Context, db *database, targets []target) error {
	if db.gone.Load() {
		return nil
	}
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	s := &commitState{db: db, view: view, docs: make(map[string]*docState, len(targets)), at: db.given.Next()}
	for _, t := range targets {
		d, err := s.load(db.document(t.path))
		if err != nil {
			return err
		}
		if d.after, err = t.document(d.name, s.at); err != nil {
			return err
		}
		s.order = append(s.order, d)
	}
	state := db.enterIndexes()
	defer state.leave()
	s.set = state.set
	p, err := s.pending(noBudget)
	if err != nil || len(p.changes) == 0 {
		return err
	}
	return e.seq.submit(ctx, p)
}

// document returns the document of a target with a new update time.
func (t target) document(name resource.Document, at clock.Version) (*document.Document, error) {
	if t.record == nil {
		return nil, nil
	}
	d, err := records.Decode(name, t.record)
	if err != nil {
		return nil, err
	}
	d.UpdateTime = at
	return d, nil
}

// Snapshot retains the state of all databases of a project for Restore, and returns its token. Its only cost is that
// later changes stay in the log until Release.
func (e *Engine) Snapshot(_ context.Context, project string) (string, error) {
	token := randid.Secret(12)
	databases := e.project(project)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, db := range databases {
		db.snapshots[token] = db.nowLocked()
	}
	e.mu.snapshots[token] = project
	return token, nil
}

// Release drops a snapshot. Dropping an unknown snapshot is not an error.
func (e *Engine) Release(_ context.Context, project, token string) {
	databases := e.project(project)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.mu.snapshots, token)
	for _, db := range databases {
		delete(db.snapshots, token)
	}
}

// project returns the databases of a project.
func (e *Engine) project(project string) []*database {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []*database
	for name, db := range e.mu.databases {
		if name.Project == project {
			out = append(out, db)
		}
	}
	return out
}

// Restore restores all databases of a project to a snapshot, which remains valid. The cost is proportional to the
// changes since. Subscribers receive the changes, and update times are new. Open transactions end. Restore returns
// NotFound for an unknown token.
func (e *Engine) Restore(ctx context.Context, project, token string) error {
	e.mu.Lock()
	known := e.mu.snapshots[token] == project && project != ""
	e.mu.Unlock()
	if !known {
		return fault.E(fault.NotFound, "no snapshot %q of project %q", token, project)
	}
	for _, db := range e.project(project) {
		if err := e.restore(ctx, db, token); err != nil {
			return err
		}
	}
	return nil
}

// restore restores one database to a snapshot. A database that was created since is emptied.
func (e *Engine) restore(ctx context.Context, db *database, token string) error {
	e.mu.Lock()
	at, known := db.snapshots[token]
	e.mu.Unlock()
	if !known {
		return e.Clear(ctx, db.name)
	}
	defer e.alone(db)()
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	overlay, err := past.At(ctx, view.snap, db.number.Load(), past.Scope{}, at, nil, func(int64) error { return nil })
	if err != nil {
		return err
	}
	targets := make([]target, 0, len(overlay))
	for path, record := range overlay {
		targets = append(targets, target{path: path, record: record})
	}
	slices.SortFunc(targets, func(a, b target) int { return resource.ComparePaths(a.path, b.path) })
	for chunk := range slices.Chunk(targets, clearChunk) {
		if err := e.replace(ctx, db, chunk); err != nil {
			return err
		}
	}
	return nil
}
