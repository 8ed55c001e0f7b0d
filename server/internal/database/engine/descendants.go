package engine

import (
	"bytes"
	"context"
	"strings"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/engine/walk"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// Below calls yield with the names of the documents at and below a path. The path names a document, which may be
// absent, or a collection.
func (r *Reading) Below(ctx context.Context, path string, yield func(resource.Document) error) error {
	w := &walk.Documents{Reader: r.view.snap, Number: r.db.number.Load(), Yield: func(path string, _ []byte) error { return yield(r.db.document(path)) }}
	if strings.Count(path, "/")%2 == 0 {
		return w.Collection(ctx, path, index.AppendPath(nil, path), true)
	}
	_, found, err := r.view.snap.Get(keys.Document(r.db.number.Load(), path))
	if err == nil && found {
		err = yield(r.db.document(path))
	}
	if err != nil {
		return err
	}
	return w.Below(ctx, path, false)
}

// BilledSizes calls yield with each document of the database, in the order of names, with the sizes of the document and
// of its index entries as production bills them.
func (r *Reading) BilledSizes(ctx context.Context, yield func(path string, document, entries int64) error) error {
	set := r.indexes().set
	w := &walk.Documents{Reader: r.view.snap, Number: r.db.number.Load(), Yield: func(path string, record []byte) error {
		d, err := records.Decode(r.db.document(path), record)
		if err != nil {
			return err
		}
		return yield(path, int64(d.Size()), set.BilledSize(path, d.Fields))
	}}
	return w.Below(ctx, "", false)
}

// Groups returns the ids of all collections in a database, those of the root first. It reads one key for each.
func (r *Reading) Groups(ctx context.Context) ([]string, error) {
	w := &walk.Documents{Reader: r.view.snap, Number: r.db.number.Load()}
	out, err := w.IDs(ctx, nil)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(out))
	for _, id := range out {
		seen[id] = true
	}
	// Documents at the root have no key in a collection group (keys.Group). The walk above has found the collections of
	// the root.
	prefix := keys.Prefix(keys.KindGroup, r.db.number.Load())
	it := r.view.snap.Scan(store.Prefix(prefix))
	defer func() { _ = it.Close() }()
	for ok := it.Next(); ok; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rest := it.Key()[len(prefix):]
		id, _, err := index.CutSegment(rest)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
		// The seek skips all documents of the group that was found.
		ok = it.Seek(store.PrefixEnd(append(bytes.Clone(prefix), rest[:index.SkipSegment(rest)]...)))
	}
	return out, it.Err()
}

// History calls yield with the retained changes of a document, oldest first, and returns the version after which they
// are complete.
func (e *Engine) History(ctx context.Context, name resource.Document, yield func(clock.Version, document.Change) error) (since clock.Version, err error) {
	db, err := e.database(name.DB)
	if err != nil {
		return 0, err
	}
	view, now, err := e.current(db)
	if err != nil {
		return 0, err
	}
	defer view.release()
	since = e.Earliest(name.DB) // what views lack was recorded before
	scope := past.Scope{Paths: []string{name.Path}}
	return since, past.ScanAll(ctx, view.snap, db.number.Load(), scope, since, max(since, now), func(v clock.Version, images []records.Image) error {
		for _, im := range images {
			if im.Path != name.Path {
				continue
			}
			c, err := im.Change(db.name)
			if err == nil {
				err = yield(v, c)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
