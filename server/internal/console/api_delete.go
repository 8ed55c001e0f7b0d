package console

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// deleteBatch is the number of documents that each commit of a recursive delete, or of its undoing, changes.
const deleteBatch = 500

// The time for which a recursive delete can be undone, and the maximum number of deletes that can be undone.
const (
	undoLife = time.Minute
	maxUndos = 32
)

// undo is a recursive delete that can be undone.
type undo struct {
	db      resource.Database
	paths   []string
	commits []clock.Version
	deleted int
	until   time.Time
}

// undos holds the recursive deletes that can be undone. It is safe for concurrent use.
type undos struct {
	mu   sync.Mutex
	list map[string]*undo // guarded by mu
}

// keep keeps a delete and returns its token.
func (u *undos) keep(d *undo) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.list == nil {
		u.list = make(map[string]*undo)
	}
	for len(u.list) >= maxUndos {
		oldest := ""
		for token, one := range u.list {
			if oldest == "" || one.until.Before(u.list[oldest].until) {
				oldest = token
			}
		}
		delete(u.list, oldest)
	}
	token := randid.Secret(16)
	u.list[token] = d
	return token
}

// take removes and returns a delete that can still be undone, or nil.
func (u *undos) take(token string, now time.Time) *undo {
	u.mu.Lock()
	defer u.mu.Unlock()
	d := u.list[token]
	delete(u.list, token)
	if d == nil || now.After(d.until) {
		return nil
	}
	return d
}

// pathsBody is a body that names documents and collections.
type pathsBody struct {
	databaseBody
	Paths []string `json:"paths"`
}

// readPaths reads a pathsBody and checks its paths. It leaves out paths below other ones, which are deleted with those.
func (in *call) readPaths() (db resource.Database, paths []string, err error) {
	var body pathsBody
	if db, err = in.decodeAt(&body, &body.databaseBody); err != nil {
		return db, nil, err
	}
	if len(body.Paths) == 0 {
		return db, nil, fault.E(fault.InvalidArgument, "paths is missing.")
	}
	for _, path := range body.Paths {
		// A collection's path followed by an id is a document's path.
		name := db.Root() + "/" + path
		if strings.Count(path, "/")%2 == 0 {
			name += "/x"
		}
		if _, err = resource.ParseDocument(name); err != nil {
			return db, nil, err
		}
	}
	return db, topmost(body.Paths), nil
}

// topmost returns the paths without repetitions and without those below other ones.
func topmost(paths []string) []string {
	given := make(map[string]bool, len(paths))
	for _, path := range paths {
		given[path] = true
	}
	below := func(path string) bool {
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			if given[path[:i]] {
				return true
			}
		}
		return false
	}
	var out []string
	for path := range given {
		if !below(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// countAll counts the documents at and under some paths, and the collections that they are in.
func (c *Console) countAll(in *call, caller token.Caller, db resource.Database, paths []string) (documents, collections int, err error) {
	for _, path := range paths {
		n, m, err := c.countBelow(in.Context(), caller, db, path)
		if err != nil {
			return 0, 0, err
		}
		documents += n
		collections += m
	}
	return documents, collections, nil
}

// countBelow counts the documents at and under a path, and the collections that they are in.
func (c *Console) countBelow(ctx context.Context, caller token.Caller, db resource.Database, path string) (documents, collections int, err error) {
	last := ""
	seen := make(map[string]bool)
	err = c.o.Authorizer.Below(ctx, caller, db, path, func(name resource.Document) error {
		documents++
		if in := name.Path[:strings.LastIndexByte(name.Path, '/')]; in != last {
			last = in
			seen[in] = true
		}
		return nil
	})
	if strings.Count(path, "/")%2 == 1 { // the document itself is in none below it
		delete(seen, path[:strings.LastIndexByte(path, '/')])
	}
	return documents, len(seen), err
}

// postDeleteCount returns how much a recursive delete would delete.
func (c *Console) postDeleteCount(in *call) (any, error) {
	db, paths, err := in.readPaths()
	if err != nil {
		return nil, err
	}
	documents, collections, err := c.countAll(in, in.caller(db.Project), db, paths)
	return map[string]int{"documents": documents, "collections": collections}, err
}

// postDelete deletes documents and collections with everything below them, in commits of many documents, and sends its
// progress.
func (c *Console) postDelete(in *call) (any, error) {
	db, paths, err := in.readPaths()
	if err != nil {
		return nil, err
	}
	caller := in.caller(db.Project)
	total, _, err := c.countAll(in, caller, db, paths)
	if err != nil {
		return nil, err
	}
	ended, err := caller.Change(func() token.Change {
		return token.Change{Method: "recursive delete", Database: db.String(), Targets: targetsOf("delete ", paths), Count: total}
	})
	if err != nil {
		return nil, err
	}
	caller.Journal = nil // the whole delete is recorded as one change
	in.begin()
	d := &undo{db: db, paths: paths}
	err = c.deleteBelow(in, caller, d, total)
	ended(err)
	// Documents that were deleted before an error, or before the client disconnected, can be restored too.
	d.until = c.o.Clock.Now().Add(undoLife)
	undo := c.undos.keep(d)
	if err != nil {
		in.line(map[string]any{"deleted": d.deleted, "total": max(total, d.deleted), "undo": undo, "until": timeText(d.until)})
		return nil, err
	}
	in.line(map[string]any{"done": true, "deleted": d.deleted, "undo": undo, "until": timeText(d.until)})
	return nil, nil
}

// maxTargets is the maximum number of paths in an entry of the audit log.
const maxTargets = 100

// targetsOf returns the targets of a change of some paths.
func targetsOf(verb string, paths []string) []string {
	out := make([]string, min(len(paths), maxTargets))
	for i := range out {
		out[i] = verb + paths[i]
	}
	return out
}

// deleteBelow deletes the documents at and below the paths of a delete.
func (c *Console) deleteBelow(in *call, caller token.Caller, d *undo, total int) error {
	var writes []document.Write
	flush := func() error {
		if len(writes) == 0 {
			return nil
		}
		result, err := c.o.Authorizer.Commit(in.Context(), caller, d.db, request.Commit{Writes: writes})
		if err != nil {
			return err
		}
		// Each commit is recorded at once, so that a delete that ends early can be undone.
		d.commits = append(d.commits, result.Version)
		d.deleted += len(writes)
		writes = writes[:0]
		if !in.line(map[string]int{"deleted": d.deleted, "total": max(total, d.deleted)}) {
			return context.Canceled
		}
		return nil
	}
	for _, path := range d.paths {
		err := c.o.Authorizer.Below(in.Context(), caller, d.db, path, func(name resource.Document) error {
			writes = append(writes, document.Write{Op: document.Delete, Name: name})
			if len(writes) < deleteBatch {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
	}
	return flush()
}

// postUndo restores the documents of a recursive delete from the log of commits. It does not overwrite documents that
// were created again.
func (c *Console) postUndo(in *call) (any, error) {
	var body struct {
		Undo string `json:"undo"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	d := c.undos.take(body.Undo, c.o.Clock.Now())
	if d == nil {
		return nil, fault.E(fault.NotFound, "This delete can no longer be undone.")
	}
	caller := in.caller(d.db.Project)
	ended, err := caller.Change(func() token.Change {
		return token.Change{Method: "undo of a recursive delete", Database: d.db.String(), Targets: targetsOf("update ", d.paths), Count: d.deleted}
	})
	if err != nil {
		return nil, err
	}
	caller.Journal = nil
	in.begin()
	restored, skipped, err := c.restoreDeleted(in, caller, d)
	ended(err)
	if err != nil {
		return nil, err
	}
	in.line(map[string]any{"done": true, "restored": restored, "skipped": skipped})
	return nil, nil
}

// restoreDeleted writes the documents that the commits of a delete deleted.
func (c *Console) restoreDeleted(in *call, caller token.Caller, d *undo) (restored, skipped int, err error) {
	if len(d.commits) == 0 {
		return 0, 0, nil
	}
	// The log is read from the first commit of the delete to the last; commits of other clients in between are ignored. A
	// document that was created again is not overwritten, because each write requires that it is absent.
	absent := false
	first, last := slices.Min(d.commits), slices.Max(d.commits)
	err = c.o.Authorizer.Changes(in.Context(), caller, d.db, first-1, last, func(commit document.Commit) error {
		if !slices.Contains(d.commits, commit.Version) {
			return nil
		}
		var writes []document.Write
		for _, change := range commit.Changes {
			if change.Before != nil && change.After == nil {
				writes = append(writes, restoring(change.Before, document.Precondition{Exists: &absent}))
			}
		}
		if len(writes) == 0 {
			return nil
		}
		made, kept, err := c.create(in.Context(), caller, d.db, writes)
		restored += made
		skipped += kept
		if err != nil {
			return err
		}
		if !in.line(map[string]int{"restored": restored, "total": d.deleted}) {
			return context.Canceled
		}
		return nil
	})
	return restored, skipped, err
}

// create writes documents that must be absent, in one commit, or, if some exist, in one commit each.
func (c *Console) create(ctx context.Context, caller token.Caller, db resource.Database, writes []document.Write) (made, kept int, err error) {
	_, err = c.o.Authorizer.Commit(ctx, caller, db, request.Commit{Writes: writes})
	if err == nil || !fault.Is(err, fault.AlreadyExists) {
		if err == nil {
			made = len(writes)
		}
		return made, 0, err
	}
	statuses, err := c.o.Authorizer.BatchWrite(ctx, caller, db, writes)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range statuses {
		switch {
		case s.Err == nil:
			made++
		case fault.Is(s.Err, fault.AlreadyExists):
			kept++
		default:
			return made, kept, s.Err
		}
	}
	return made, kept, nil
}
