package engine

import (
	"context"
	"encoding/binary"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/store"
)

// Versions are times. Clients drop results that are older than what they have seen, and a resumed listener requests the
// changes after a version. So a version must not be assigned twice, even by a server that starts after the machine's
// clock was set back. Commits are on disk, but reads get versions too. Run therefore stores, about once a minute, the
// greatest assigned version. A server whose clock is before that time at the start continues from it, plus a slack for
// versions that were not stored.

// floorEvery is the number of ticks of a second between two notes.
const floorEvery = 60

// floorSlack is the maximum time by which an assigned version may exceed the last note.
const floorSlack = clock.Version(2 * floorEvery * int64(time.Second/time.Microsecond))

// loadFloor reads the note. If the clock is before it, versions begin after it.
func (e *Engine) loadFloor(r store.Reader) error {
	v, found, err := r.Get(keys.Floor())
	if err != nil || !found {
		return err
	}
	if len(v) != 8 {
		return keys.ErrCorrupt
	}
	e.noted = clock.Version(binary.BigEndian.Uint64(v))
	if now := clock.VersionOf(e.o.Clock.Now()); now < e.noted {
		e.floor = e.noted + floorSlack
		e.o.Log.Warn("the machine's clock is before the last assigned time; times continue from that time",
			"clock", now.Time(), "last", e.noted.Time())
	}
	return nil
}

// noteFloor writes the note if versions were assigned since the last one.
func (e *Engine) noteFloor(ctx context.Context) error {
	var last clock.Version
	for _, db := range e.all() {
		last = max(last, db.given.Last())
	}
	if last <= max(e.noted, e.floor) {
		return nil
	}
	batch := store.Batch{Deletes: true} // The note is a few bytes, so it may use the reserved space of a full disk.
	batch.Set(keys.Floor(), binary.BigEndian.AppendUint64(nil, uint64(last)))
	if err := e.o.Store.Apply(ctx, &batch); err != nil {
		return err
	}
	e.noted = last
	return nil
}
