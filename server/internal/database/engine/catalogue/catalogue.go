// Package catalogue reads and writes the store's records of databases, and of the index definitions to which the index
// entries of a database belong.
package catalogue

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// Database is the record of a database: its number in 4 bytes, and the version of its creation in 8.
type Database struct {
	Name resource.Database
	// Number is in the keys of the database.
	Number uint32
	// Birth is the version of the creation.
	Birth clock.Version
}

// databaseSize is the length of a database's record in bytes.
const databaseSize = 12

// ParseDatabase decodes the record of a database and the name in its key. It returns keys.ErrCorrupt for other bytes.
func ParseDatabase(key, value []byte) (Database, error) {
	if len(value) != databaseSize {
		return Database{}, keys.ErrCorrupt
	}
	name, err := ParseName(key)
	return Database{Name: name, Number: binary.BigEndian.Uint32(value), Birth: clock.Version(binary.BigEndian.Uint64(value[4:]))}, err
}

// ParseName decodes the name in the key of a database's record. It returns keys.ErrCorrupt for other bytes.
func ParseName(key []byte) (resource.Database, error) {
	project, rest, err := index.CutSegment(key[1:])
	if err != nil {
		return resource.Database{}, err
	}
	id, _, err := index.CutSegment(rest)
	return resource.Database{Project: project, ID: id}, err
}

// Scan calls yield with each database of a store.
func Scan(ctx context.Context, r store.Reader, yield func(Database) error) error {
	it := r.Scan(keys.CatalogueRange())
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := it.Value()
		if err != nil {
			return fmt.Errorf("read catalogue: %w", err)
		}
		db, err := ParseDatabase(it.Key(), v)
		if err != nil {
			return fmt.Errorf("read catalogue: %w", err)
		}
		if err := yield(db); err != nil {
			return err
		}
	}
	return it.Err()
}

// Register adds the records of a database and its index definitions to a batch.
func (d Database) Register(batch *store.Batch, set Set) error {
	record := binary.BigEndian.AppendUint32(make([]byte, 0, databaseSize), d.Number)
	batch.Set(keys.Catalogue(d.Name.Project, d.Name.ID), binary.BigEndian.AppendUint64(record, uint64(d.Birth)))
	key := keys.Prefix(keys.KindDefinition, d.Number)
	if len(set.Definitions.Indexes) == 0 && len(set.Definitions.Overrides) == 0 && !set.Rebuilding {
		batch.Delete(key)
		return nil
	}
	v, err := json.Marshal(set)
	if err != nil {
		return err
	}
	batch.Set(key, v)
	return nil
}

// Set is the stored record of the index definitions to which a database's entries belong.
type Set struct {
	Definitions index.Definitions
	// IDs are the numbers of the composite indexes, in the order of Definitions.Indexes.
	IDs []uint32
	// Building holds the numbers of the indexes that don't have all entries.
	Building []uint32 `json:",omitempty"`
	// Rebuilding is set while entries are being changed for other definitions, so that some may be missing.
	Rebuilding bool `json:",omitempty"`
	// Next is set with Rebuilding. The entries that both these definitions and those of the set have are not missing. It
	// is nil if any entries may be missing.
	Next *Next `json:",omitempty"`
}

// Next holds the definitions for which entries are being changed.
type Next struct {
	Definitions index.Definitions
	// IDs are the numbers of the composite indexes. One that the set has too has the same number there.
	IDs []uint32
}

// LoadSet reads the index definitions of the database with a number. Without a record there are none.
func LoadSet(r store.Reader, number uint32) (*Set, error) {
	v, found, err := r.Get(keys.Prefix(keys.KindDefinition, number))
	if err != nil {
		return nil, err
	}
	s := &Set{}
	if found {
		err := json.Unmarshal(v, s)
		if err != nil || len(s.IDs) != len(s.Definitions.Indexes) || s.Next != nil && len(s.Next.IDs) != len(s.Next.Definitions.Indexes) {
			return nil, fmt.Errorf("index definitions: %w", keys.ErrCorrupt)
		}
	}
	return s, nil
}

// DropBuilding removes the indexes that are being built from the set in memory.
func (s *Set) DropBuilding() error {
	for _, id := range s.Building {
		i := slices.Index(s.IDs, id)
		if i < 0 {
			return fmt.Errorf("index definitions: %w", keys.ErrCorrupt)
		}
		s.IDs, s.Definitions.Indexes = slices.Delete(s.IDs, i, i+1), slices.Delete(s.Definitions.Indexes, i, i+1)
	}
	return nil
}

// Indexes returns the indexes of the definitions.
func (n *Next) Indexes() *index.Set { return index.NewSet(n.Definitions, n.IDs) }

// Indexes returns the indexes of the set.
func (s *Set) Indexes() *index.Set { return index.NewSet(s.Definitions, s.IDs) }
