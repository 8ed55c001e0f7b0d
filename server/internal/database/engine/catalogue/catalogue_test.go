package catalogue_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// definitions are two indexes and an exemption.
var definitions = index.Definitions{
	Indexes: []index.Definition{
		{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b", Mode: index.Descending}}},
		{CollectionGroup: "d", Group: true, Fields: []index.Field{{Path: "v", Mode: index.Vector, Dimension: 3}}},
	},
	Overrides: []index.Override{{CollectionGroup: "c", Path: "x"}},
}

// apply applies a batch that edit fills.
func apply(t *testing.T, s *pebble.Store, edit func(*store.Batch)) {
	t.Helper()
	var batch store.Batch
	edit(&batch)
	if err := s.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
}

// database returns a database of a project.
func database(project, id string, number uint32) catalogue.Database {
	return catalogue.Database{Name: resource.Database{Project: project, ID: id}, Number: number, Birth: 1 << 40}
}

// TestRegisteredDatabasesAreScanned registers databases with their definitions and reads them back, in the order of
// names.
func TestRegisteredDatabasesAreScanned(t *testing.T) {
	s := pebbletest.Open(t)
	set := catalogue.Set{Definitions: definitions, IDs: []uint32{4, 9}, Building: []uint32{9}, Rebuilding: true}
	plain, indexed := database("q", "(default)", 1), database("p", "other", 1<<31)
	apply(t, s, func(b *store.Batch) {
		b.Set([]byte("account/p"), []byte("the record of another package, whose key begins with the same letter"))
		for d, set := range map[catalogue.Database]catalogue.Set{plain: {}, indexed: set} {
			if err := d.Register(b, set); err != nil {
				t.Fatal(err)
			}
		}
	})
	var got []catalogue.Database
	if err := catalogue.Scan(t.Context(), s, func(d catalogue.Database) error { got = append(got, d); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []catalogue.Database{indexed, plain}; !slices.Equal(got, want) {
		t.Errorf("the catalogue has %+v, want %+v", got, want)
	}
	for number, want := range map[uint32]catalogue.Set{plain.Number: {}, indexed.Number: set, 3: {}} {
		if got, err := catalogue.LoadSet(s, number); err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("LoadSet(%d) = %+v, %v; want %+v", number, got, err, want)
		}
	}
	apply(t, s, func(b *store.Batch) {
		if err := indexed.Register(b, catalogue.Set{}); err != nil {
			t.Fatal(err)
		}
	})
	if _, found, err := s.Get(keys.Prefix(keys.KindDefinition, indexed.Number)); err != nil || found {
		t.Errorf("the record of no definitions remains: %v, %v", found, err)
	}
	apply(t, s, func(b *store.Batch) {
		if err := indexed.Register(b, catalogue.Set{Rebuilding: true}); err != nil {
			t.Fatal(err)
		}
	})
	if got, err := catalogue.LoadSet(s, indexed.Number); err != nil || !got.Rebuilding {
		t.Errorf("the last exemption is being removed: LoadSet = %+v, %v; want Rebuilding", got, err)
	}
}

// TestScanEnds ends a scan with the error of the context, of the caller, and of a record that the engine did not write.
func TestScanEnds(t *testing.T) {
	s := pebbletest.Open(t)
	apply(t, s, func(b *store.Batch) {
		if err := database("p", "a", 1).Register(b, catalogue.Set{}); err != nil {
			t.Fatal(err)
		}
	})
	errEnough := errors.New("enough")
	if err := catalogue.Scan(t.Context(), s, func(catalogue.Database) error { return errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("Scan = %v, want %v", err, errEnough)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := catalogue.Scan(ended, s, func(catalogue.Database) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Scan = %v, want %v", err, context.Canceled)
	}
	apply(t, s, func(b *store.Batch) { b.Set(keys.Catalogue("p", "a"), []byte("11 bytes...")) })
	if err := catalogue.Scan(t.Context(), s, func(catalogue.Database) error { return nil }); !errors.Is(err, keys.ErrCorrupt) {
		t.Errorf("Scan = %v, want %v", err, keys.ErrCorrupt)
	}
}

// TestDamagedDefinitionsAreAnError reads records of definitions that the engine did not write: no query may run without
// an index because of them.
func TestDamagedDefinitionsAreAnError(t *testing.T) {
	for _, record := range []string{"", "{", `{"Definitions":{"Indexes":[{}]},"IDs":[]}`} {
		s := pebbletest.Open(t)
		apply(t, s, func(b *store.Batch) { b.Set(keys.Prefix(keys.KindDefinition, 1), []byte(record)) })
		if set, err := catalogue.LoadSet(s, 1); !errors.Is(err, keys.ErrCorrupt) {
			t.Errorf("LoadSet of %q = %+v, %v; want %v", record, set, err, keys.ErrCorrupt)
		}
	}
}

// TestDropBuilding removes the indexes that are being built, with their numbers.
func TestDropBuilding(t *testing.T) {
	s := catalogue.Set{Definitions: index.Definitions{Indexes: slices.Clone(definitions.Indexes)}, IDs: []uint32{4, 9}, Building: []uint32{4}}
	if err := s.DropBuilding(); err != nil {
		t.Fatal(err)
	}
	if got := s.Indexes().Composites; len(got) != 1 || got[0].ID != 9 || got[0].CollectionGroup != "d" {
		t.Errorf("the indexes are %+v, want the one of d with the number 9", got)
	}
	if s.Building = []uint32{5}; !errors.Is(s.DropBuilding(), keys.ErrCorrupt) {
		t.Error("an unknown index is being built, and DropBuilding returns no error")
	}
}

// FuzzParseDatabase decodes arbitrary records. Register writes what it accepts so that it is read again.
func FuzzParseDatabase(f *testing.F) {
	f.Add(keys.Catalogue("p", "(default)"), make([]byte, 12))
	f.Add(keys.Catalogue("", "\x00\x01\xff"), []byte("12 bytes ..."))
	f.Add([]byte("a\x12\x000\x00\x01\x120\x00\x01"), []byte("12 bytes ...")) // a zero byte that is not escaped
	f.Add([]byte{keys.KindCatalogue}, []byte{})
	f.Fuzz(func(t *testing.T, key, record []byte) {
		if !bytes.HasPrefix(key, []byte{keys.KindCatalogue}) {
			return // Scan reads no other keys.
		}
		d, err := catalogue.ParseDatabase(key, record)
		if err != nil {
			return
		}
		var batch store.Batch
		if err := d.Register(&batch, catalogue.Set{}); err != nil {
			t.Fatal(err)
		}
		if got, err := catalogue.ParseDatabase(batch.Ops[0].Key, batch.Ops[0].Value); err != nil || got != d {
			t.Errorf("%x = %x was read as %+v, and after Register as %+v, %v", key, record, d, got, err)
		}
	})
}
