package events

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// The beginnings of keys.
const (
	cursorPrefix = "events/cursor/"
	metaPrefix   = "events/meta/"
	bodyPrefix   = "events/body/"
)

// cursor is the stored record of a trigger.
type cursor struct {
	Database string `json:"database"`
	// Version is the version up to which no event is missing.
	Version clock.Version `json:"version"`
	// Delivered counts delivered events, except those of the last second before a crash.
	Delivered uint64 `json:"delivered"`
	// Lost counts the dead letters that were dropped, and LostFrom and LostTo are the last interval of the log that was
	// dropped.
	Lost     uint64        `json:"lost,omitempty"`
	LostFrom clock.Version `json:"lostFrom,omitempty"`
	LostTo   clock.Version `json:"lostTo,omitempty"`
}

// meta is the stored record of an event, without its body.
type meta struct {
	Header http.Header `json:"header"`
	Size   int         `json:"size"`
	// Attempts counts the attempts, Due is the time of the next one, and Error is the error of the last one.
	Attempts int       `json:"attempts"`
	Due      time.Time `json:"due"`
	Error    string    `json:"error,omitempty"`
	// Dead is set if there are no more attempts. Due is then the time since when.
	Dead bool `json:"dead,omitempty"`
}

// place names an event of a trigger.
type place struct {
	version clock.Version
	path    string
}

// key returns the key of an event's meta or body.
func (p place) key(prefix, name string) []byte {
	key := append([]byte(prefix+name), 0)
	return append(binary.BigEndian.AppendUint64(key, uint64(p.version)), p.path...)
}

// placeOf reads the part of a key after the trigger's name.
func placeOf(rest []byte) (place, error) {
	if len(rest) < 8 {
		return place{}, fmt.Errorf("events: corrupt key %q", rest)
	}
	return place{clock.Version(binary.BigEndian.Uint64(rest)), string(rest[8:])}, nil
}

// loadCursor reads a trigger's cursor; nil when there is none.
func loadCursor(r store.Reader, name string) (*cursor, error) {
	text, found, err := r.Get([]byte(cursorPrefix + name))
	if err != nil || !found {
		return nil, err
	}
	c := &cursor{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("events: cursor of %s: %w", name, err)
	}
	return c, nil
}

// set adds the writing of the cursor to a batch.
func (c *cursor) set(b *store.Batch, name string) error {
	text, err := json.Marshal(c)
	b.Set([]byte(cursorPrefix+name), text)
	return err
}

// cursors returns all stored cursors by the names of their triggers.
func cursors(ctx context.Context, r store.Reader) (map[string]*cursor, error) {
	it := r.Scan(store.Prefix([]byte(cursorPrefix)))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read
	all := make(map[string]*cursor)
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := it.Value()
		if err != nil {
			return nil, err
		}
		c := &cursor{}
		if err := json.Unmarshal(text, c); err != nil {
			return nil, fmt.Errorf("events: cursor: %w", err)
		}
		all[strings.TrimPrefix(string(it.Key()), cursorPrefix)] = c
	}
	return all, it.Err()
}

// set adds the writing of an event's meta to a batch.
func (m *meta) set(b *store.Batch, name string, p place) error {
	text, err := json.Marshal(m)
	b.Set(p.key(metaPrefix, name), text)
	return err
}

// remove adds the removal of an event to a batch.
func remove(b *store.Batch, name string, p place) {
	b.Delete(p.key(metaPrefix, name))
	b.Delete(p.key(bodyPrefix, name))
}

// each calls yield with the stored events of a trigger, in the order of versions.
func each(ctx context.Context, r store.Reader, name string, yield func(p place, m *meta) error) error {
	prefix := append([]byte(metaPrefix+name), 0)
	it := r.Scan(store.Prefix(prefix))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := placeOf(it.Key()[len(prefix):])
		if err != nil {
			return err
		}
		text, err := it.Value()
		if err != nil {
			return err
		}
		m := &meta{}
		if err := json.Unmarshal(text, m); err != nil {
			return fmt.Errorf("events: record of %s: %w", name, err)
		}
		if err := yield(p, m); err != nil {
			return err
		}
	}
	return it.Err()
}

// retryStored makes dead letters of a trigger due again, in a batch, and returns them.
func retryStored(ctx context.Context, r store.Reader, b *store.Batch, name string) (places []place, metas []*meta, err error) {
	err = each(ctx, r, name, func(p place, m *meta) error {
		if !m.Dead {
			return nil
		}
		m.Dead, m.Attempts, m.Due = false, 0, time.Time{}
		places, metas = append(places, p), append(metas, m)
		return m.set(b, name, p)
	})
	return places, metas, err
}
