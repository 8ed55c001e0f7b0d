package pebble

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"clave/server/internal/store"
)

// writeColumns creates a database whose tables have columns, as earlier programs wrote them, with 1,000 keys.
func writeColumns(t *testing.T, dir string) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: logger{slog.New(slog.DiscardHandler)}})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	for i := range 1000 {
		if err := db.Set(fmt.Appendf(nil, "d%03d", i), fmt.Appendf(nil, "columns %d", i), pebble.NoSync); err != nil {
			t.Fatalf("Set = %v", err)
		}
	}
	if err := db.Flush(); err != nil {
		t.Fatalf("Flush = %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
}

// formats returns the number of the store's tables with columns and with rows.
func formats(t *testing.T, s *Store) (columns, rows int) {
	t.Helper()
	levels, err := s.db.SSTables(pebble.WithProperties())
	if err != nil {
		t.Fatalf("SSTables = %v", err)
	}
	for _, level := range levels {
		for _, table := range level {
			if table.Properties.KeySchemaName != "" {
				columns++
			} else {
				rows++
			}
		}
	}
	return columns, rows
}

// TestTablesInColumnsAreRead opens a folder of an earlier program, whose tables have columns, and merges them with
// tables in rows.
func TestTablesInColumnsAreRead(t *testing.T) {
	dir := t.TempDir()
	writeColumns(t, dir)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = s.Close() }()
	if columns, rows := formats(t, s); columns != 1 || rows != 0 {
		t.Fatalf("%d tables with columns and %d with rows at first, want 1 and 0", columns, rows)
	}
	var b store.Batch
	for i := 0; i < 1000; i += 2 {
		b.Set(fmt.Appendf(nil, "d%03d", i), fmt.Appendf(nil, "rows %d", i))
	}
	b.Delete([]byte("d001"))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	checkMixed(t, s)
	if err := s.db.Flush(); err != nil {
		t.Fatalf("Flush = %v", err)
	}
	checkMixed(t, s)
	if err := s.db.Compact(t.Context(), []byte("d"), []byte("e"), false); err != nil {
		t.Fatalf("Compact = %v", err)
	}
	if columns, rows := formats(t, s); columns != 0 || rows == 0 {
		t.Errorf("%d tables with columns and %d with rows after the merge, want none with columns", columns, rows)
	}
	checkMixed(t, s)
}

// checkMixed checks the keys of TestTablesInColumnsAreRead after its batch, by Get and by Scan.
func checkMixed(t *testing.T, s *Store) {
	t.Helper()
	want := make(map[string]string)
	for i := range 1000 {
		key := fmt.Sprintf("d%03d", i)
		switch {
		case i%2 == 0:
			want[key] = fmt.Sprintf("rows %d", i)
		case i != 1:
			want[key] = fmt.Sprintf("columns %d", i)
		}
		value, found, err := s.Get([]byte(key))
		if err != nil || string(value) != want[key] || found != (i != 1) {
			t.Fatalf("Get(%s) = %q, %t, %v, want %q", key, value, found, err, want[key])
		}
	}
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	n := 0
	for ; it.Next(); n++ {
		if value, err := it.Value(); err != nil || string(value) != want[string(it.Key())] {
			t.Fatalf("Scan at %s: %q, %v, want %q", it.Key(), value, err, want[string(it.Key())])
		}
	}
	if err := it.Err(); err != nil || n != len(want) {
		t.Fatalf("Scan returned %d keys, %v, want %d", n, err, len(want))
	}
}
