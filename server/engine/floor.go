package engine

import (
	"context"
	"encoding/binary"
	"time"

	"clave/server/clock"
	"clave/server/engine/keys"
	"clave/server/storage"
)

// Versions are moments, and clients drop what is older than what they have seen; a resumed listener requests what came after. So a
// version must not be given again, also not by a server that is started after the machine's clock was set back. Commits are on
// disk, but versions are given to readers too. Run therefore writes down, about once a minute, the greatest version that was given.
// A server that starts before that moment goes on from there, and from as much later as may have gone unwritten.

// floorEvery is how many ticks of a second lie between two notes.
const floorEvery = 60

// floorSlack is how much later than the last note a version may have been given.
const floorSlack = clock.Version(2 * floorEvery * int64(time.Second/time.Microsecond))

// loadFloor reads the note; where the clock stands before it, versions begin after it.
func (e *Engine) loadFloor(r storage.Reader) error {
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
		e.o.Log.Warn("the machine's clock stands before the last time that was given; times go on from that",
			"clock", now.Time(), "last", e.noted.Time())
	}
	return nil
}

// noteFloor writes the note if versions were given since the last one.
func (e *Engine) noteFloor(ctx context.Context) error {
	var last clock.Version
	for _, db := range e.all() {
		last = max(last, db.given.Last())
	}
	if last <= max(e.noted, e.floor) {
		return nil
	}
	batch := storage.Batch{Deletes: true} // A few bytes, also on a full disk.
	batch.Set(keys.Floor(), binary.BigEndian.AppendUint64(nil, uint64(last)))
	if err := e.o.Store.Apply(ctx, &batch); err != nil {
		return err
	}
	e.noted = last
	return nil
}
