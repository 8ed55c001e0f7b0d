package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// How documents with a TTL policy are deleted. Once a minute the engine reads the entries of the times of expiry that
// are over (index/expiry.go) and deletes their documents, in commits like those of clients: listeners and events are
// told, and the documents of subcollections stay. Each commit decides again, under the document's lock, whether the
// document has expired, since a client may have moved its time meanwhile. Only an engine that writes does so.

// expireChunk is the number of documents that are deleted at once, which commits of clients may have to wait for: with
// 200, the slowest hundredth of creates took four times as long. Afterwards the engine pauses for expireRest times as
// long as that took, so that clients have at least three quarters of the store's time.
const (
	expireChunk = 20
	expireRest  = 3
)

// errKept ends the deletion of a document that does not expire any more.
var errKept = errors.New("engine: the document has not expired")

// expirer deletes expired documents in the background.
type expirer struct {
	engine *Engine
	due    chan struct{}
}

// newExpirer returns an expirer.
func newExpirer(e *Engine) *expirer { return &expirer{engine: e, due: make(chan struct{}, 1)} }

// wake lets the expirer look for expired documents. It does not wait.
func (x *expirer) wake() {
	select {
	case x.due <- struct{}{}:
	default:
	}
}

// run deletes expired documents each time it is woken, until ctx ends.
func (x *expirer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.due:
		}
		for _, db := range x.engine.all() {
			n, err := x.engine.expire(ctx, db)
			log := x.engine.o.Log.With("database", db.name.String())
			if n > 0 {
				log.Info("expired documents were deleted", "documents", n)
			}
			if err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
				log.Error("expired documents were not all deleted", "error", err)
			}
		}
	}
}

// expire deletes the documents of a database that have expired, and returns their number.
func (e *Engine) expire(ctx context.Context, db *database) (deleted int, err error) {
	now := db.clock.Now()
	prefix := keys.Prefix(keys.KindIndex, db.number.Load())
	for _, id := range db.indexes.Load().set.Expiring() {
		span := db.indexes.Load().set.Expired(prefix, id, now)
		for next := span.From; next != nil; {
			began := clock.System().Now()
			var paths []string
			if paths, next, err = e.expired(ctx, db, store.Range{From: next, To: span.To}); err != nil {
				return deleted, err
			}
			n, err := e.deleteExpired(ctx, db, paths, now)
			if deleted += n; err != nil {
				return deleted, err
			}
			if next != nil && clock.Sleep(ctx, clock.System(), expireRest*clock.System().Now().Sub(began)) != nil {
				return deleted, ctx.Err()
			}
		}
	}
	return deleted, nil
}

// expired returns the paths of the first documents of a range of times of expiry, and the key at which to continue, or
// nil at the end of the range.
func (e *Engine) expired(ctx context.Context, db *database, rng store.Range) (paths []string, next []byte, err error) {
	view, _, err := e.current(db)
	if err != nil {
		return nil, nil, err
	}
	defer view.release()
	it := view.snap.Scan(rng)
	defer func() { _ = it.Close() }()
	for it.Next() {
		if len(paths) == expireChunk {
			return paths, slices.Clone(it.Key()), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		v, err := it.Value()
		if err != nil {
			return nil, nil, err
		}
		path, err := index.ExpiredPath(index.Entry{Key: it.Key(), Value: v})
		if err != nil {
			return nil, nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil, it.Err()
}

// deleteExpired deletes those documents that have expired at a time, each in a commit of its own, and returns their
// number.
func (e *Engine) deleteExpired(ctx context.Context, db *database, paths []string, now time.Time) (deleted int, err error) {
	writes := make([]document.Write, len(paths))
	for i, path := range paths {
		writes[i] = document.Write{Op: document.Delete, Name: db.document(path)}
	}
	check := CheckBy(func(ctx context.Context, v *CheckView) error {
		name := v.Steps[0].Write.Name
		d, err := v.Before(ctx, name)
		if err != nil {
			return err
		}
		if d == nil || !db.hasExpired(d, name, now) {
			return errKept
		}
		return nil
	})
	results, err := e.BatchWrite(inBackground(ctx), db.name, writes, check)
	if err != nil {
		return 0, err
	}
	for i, r := range results {
		switch {
		case r.Err == nil:
			deleted++
			if e.o.Expired != nil {
				e.o.Expired(writes[i].Name)
			}
		case !errors.Is(r.Err, errKept):
			err = r.Err
		}
	}
	return deleted, err
}

// hasExpired reports whether a document has expired at a time, by the present policies.
func (db *database) hasExpired(d *document.Document, name resource.Document, now time.Time) bool {
	at, ok := db.indexes.Load().set.Expiry(name.Collection().ID, d.Fields)
	return ok && !at.Time().After(now)
}
