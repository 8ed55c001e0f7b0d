// Package past reads the log of commits, and states of a database in the past.
//
// The log has a key for each commit, with every changed document before and after. The store otherwise has only the
// latest documents and index entries. The state at a version V is a present state, of V or later, with an Overlay: for
// each document that changed after V, its record before the first of these changes. A reader ignores these documents in
// the present state and merges their records from the overlay into its results, in order (package execute, and the
// engine's lists). State reads single documents so.
package past

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// Last returns the version of the last commit of a database, or 0 if there is none.
func Last(r store.Reader, number uint32) (clock.Version, error) {
	rng := store.Prefix(keys.Prefix(keys.KindChange, number))
	rng.Reverse = true
	it := r.Scan(rng)
	defer func() { _ = it.Close() }()
	if !it.Next() {
		return 0, it.Err()
	}
	return keys.ChangeVersion(it.Key())
}

// Commits calls yield with the commits of a database after one version and up to another, in order.
func Commits(ctx context.Context, r store.Reader, db resource.Database, number uint32, after, upto clock.Version, yield func(document.Commit) error) error {
	return Scan(ctx, r, number, after, upto, func(v clock.Version, images []records.Image) error {
		changes, err := records.Changes(db, images)
		if err != nil {
			return err
		}
		return yield(document.Commit{Version: v, Changes: changes})
	})
}

// Scan calls yield with the images of the commits after one version and up to another, in order.
func Scan(ctx context.Context, r store.Reader, number uint32, after, upto clock.Version,
	yield func(v clock.Version, images []records.Image) error) error {
	it := r.Scan(store.Range{From: keys.Change(number, after+1), To: keys.Change(number, upto+1)})
	defer func() { _ = it.Close() }()
	turn := fair.Of(ctx)
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := keys.ChangeVersion(it.Key())
		if err != nil {
			return err
		}
		b, err := it.Value()
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		// The images share memory with the record, and yield may keep them; the value is valid until the next move only.
		images, err := records.Images(bytes.Clone(b))
		if err != nil {
			return fmt.Errorf("read changes of %d: %w", v, err)
		}
		if err := turn.Step(ctx, fair.Cost(len(b))); err != nil {
			return err
		}
		if err := yield(v, images); err != nil {
			return err
		}
	}
	return it.Err()
}

// Dropped reads the version before which commits of a database are dropped.
func Dropped(r store.Reader, number uint32) (clock.Version, error) {
	v, found, err := r.Get(keys.Prefix(keys.KindDropped, number))
	if err != nil || !found {
		return 0, err
	}
	if len(v) != 8 {
		return 0, keys.ErrCorrupt
	}
	return clock.Version(binary.BigEndian.Uint64(v)), nil
}

// SetDropped adds to a batch the deletion of a database's commits before a version, and the record of that version.
func SetDropped(batch *store.Batch, number uint32, before clock.Version) {
	batch.Set(keys.Prefix(keys.KindDropped, number), binary.BigEndian.AppendUint64(nil, uint64(before)))
	batch.DeleteRange(keys.Change(number, 0), keys.Change(number, before))
}
