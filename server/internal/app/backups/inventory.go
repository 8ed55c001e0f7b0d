package backups

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/inventory"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
)

// takeInventory counts the keys of a store that is not in use, by kind and with checksums, except index entries, which
// are made from other keys, and the position of a node's replica, which is no data. It calls took with the number
// of bytes that it has read, which may pause.
func takeInventory(folder string, sizes pebble.Options, took func(n int) error) (text json.RawMessage, err error) {
	s, err := pebble.Open(folder, small(sizes))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	n := inventory.New()
	it := s.Scan(store.Range{})
	for it.Next() && err == nil {
		if derive.IsEntry(it.Key()) || postgres.IsPosition(it.Key()) {
			err = took(len(it.Key()))
			continue
		}
		var value []byte
		if value, err = it.Value(); err == nil {
			err = errors.Join(n.Add(it.Key(), value), took(len(it.Key())+len(value)))
		}
	}
	if err := errors.Join(err, it.Err(), it.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(n.Counts())
}

// CompareInventory compares a store that is not in use with the inventory of its backup, which may be nil. It returns
// DataLoss, with the kinds of the keys that differ.
func CompareInventory(ctx context.Context, folder string, sizes pebble.Options, of json.RawMessage) error {
	if of == nil {
		return nil
	}
	var want, is []inventory.Count
	text, err := takeInventory(folder, sizes, func(int) error { return ctx.Err() })
	if err := errors.Join(err, json.Unmarshal(of, &want)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return err
	}
	if kinds := inventory.Differing(want, is); len(kinds) > 0 {
		return fault.E(fault.DataLoss, "the data differ from the inventory that was taken when the backup was made: %s", strings.Join(kinds, "; "))
	}
	return nil
}
