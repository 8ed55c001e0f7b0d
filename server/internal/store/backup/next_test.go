package backup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
)

// largeFolder creates a data folder whose store has tables.
func largeFolder(t *testing.T) (string, *pebble.Store) {
	t.Helper()
	data, store := dataFolder(t)
	for i := range 200 {
		put(t, store, fmt.Sprintf("large%d", i), strings.Repeat(fmt.Sprint(i), 2000))
	}
	return data, store
}

// next makes a copy that follows the copy base.
func next(t *testing.T, store *pebble.Store, data, dir, base string) backup.Made {
	t.Helper()
	made, err := backup.MakeNext(t.Context(), store, data, dir, backup.Next{Base: base, Clock: clock.System()})
	if err != nil {
		t.Fatal(err)
	}
	if err := backup.Check(t.Context(), dir); err != nil {
		t.Errorf("Check of the new copy %s = %v", dir, err)
	}
	if left, err := filepath.Glob(filepath.Join(data, "*copy*", "*")); err != nil || len(left) > 0 {
		t.Errorf("the data folder has %v, %v after a copy", left, err)
	}
	return made
}

// TestMakeNext makes copies of a store whose files are tables. The second copy links those of the first one, and
// remains complete after the first one is removed.
func TestMakeNext(t *testing.T) {
	data, store := largeFolder(t)
	if err := store.Close(); err != nil { // opening it writes its log to a table
		t.Fatal(err)
	}
	store, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	parent := t.TempDir()
	first, second := filepath.Join(parent, "1"), filepath.Join(parent, "2")
	if made := next(t, store, data, first, ""); made.Copied != made.Bytes || made.Bytes == 0 {
		t.Errorf("the first copy is %+v, want all of it copied", made)
	}
	put(t, store, "k2", "second")
	made := next(t, store, data, second, first)
	if size, err := backup.Size(second); err != nil || size != made.Bytes || made.Copied > made.Bytes/2 || made.Copied == 0 {
		t.Errorf("the second copy is %+v of %d bytes, %v; want most of it linked", made, size, err)
	}
	if err := backup.Remove(first); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("after the removal there are %v, %v; want the second copy", entries, err)
	}
	back := filepath.Join(t.TempDir(), "back")
	if err := backup.Restore(t.Context(), second, back, verified); err != nil {
		t.Fatal(err)
	}
	wantData(t, back)
}

// TestMakeNextDoesNotKeepDamage damages each table of a copy. The copy that follows must have whole ones.
func TestMakeNextDoesNotKeepDamage(t *testing.T) {
	data, store := largeFolder(t)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	parent := t.TempDir()
	first := filepath.Join(parent, "1")
	next(t, store, data, first, "")
	tables, err := filepath.Glob(filepath.Join(first, "store", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("the copy has the tables %v, %v", tables, err)
	}
	for _, table := range tables {
		whole := read(t, table)
		whole[len(whole)/2] ^= 1
		if err := os.WriteFile(table, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := backup.Check(t.Context(), first); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), filepath.Base(table)) {
			t.Errorf("Check of a copy with a changed byte = %v, want DataLoss and the name of %s", err, table)
		}
	}
	next(t, store, data, filepath.Join(parent, "2"), first)
}

// TestMakeNextKeepsItsPace makes a copy by a clock that stands still until it waits. It must wait several times.
func TestMakeNextKeepsItsPace(t *testing.T) {
	data, store := largeFolder(t)
	for i := range 30 { // more than the bytes after which it pauses
		put(t, store, fmt.Sprintf("more%d", i), strings.Repeat("x", 100_000))
	}
	manual := clocktest.NewManual(time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC))
	dir := filepath.Join(t.TempDir(), "copy")
	done := make(chan error, 1)
	go func() {
		_, err := backup.MakeNext(t.Context(), store, data, dir, backup.Next{Rate: 1 << 20, Clock: manual})
		done <- err
	}()
	for pauses := 0; ; {
		select {
		case err := <-done:
			if err != nil || pauses < 2 {
				t.Errorf("MakeNext = %v after %d pauses, want several", err, pauses)
			}
			return
		default:
		}
		if manual.Timers() > 0 {
			pauses++
			manual.Advance(2 * time.Second)
		}
	}
}

// TestAnUnlistedCopyIsNoCopy checks a folder without a list.
func TestAnUnlistedCopyIsNoCopy(t *testing.T) {
	dir := makeCopy(t)
	if err := os.Remove(filepath.Join(dir, listName)); err != nil {
		t.Fatal(err)
	}
	_, sizeErr := backup.Size(dir)
	if err := errors.Join(sizeErr, backup.Check(t.Context(), dir)); !fault.Is(err, fault.NotFound) {
		t.Errorf("Size and Check of a folder without a list = %v, want NotFound", err)
	}
}
