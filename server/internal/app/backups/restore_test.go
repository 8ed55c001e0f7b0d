package backups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/pebble"
)

// backedUp returns a service with a backup of a store with two documents, and the folder of its objects. keys encrypt
// the backup.
func backedUp(t *testing.T, keys *series.Keys) (s *Service, b series.Backup, objects string) {
	t.Helper()
	data, place := t.TempDir(), filepath.Join(t.TempDir(), "backups")
	folder := filepath.Join(data, "store")
	if err := errors.Join(write(t.Context(), folder, "rooms/a"), write(t.Context(), folder, "rooms/a/chairs/1")); err != nil {
		t.Fatal(err)
	}
	st, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := series.New(series.Options{Target: target.Folder{Dir: place}, Keys: keys})
	lock, err := at.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, made, err := at.Make(t.Context(), lock, series.Request{
		Source: st, Data: data, ID: "a", Clock: clock.System(), Inventory: func(_ context.Context, folder string, took func(int) error) (json.RawMessage, error) {
			return takeInventory(folder, pebble.Options{}, took)
		},
	})
	if err := errors.Join(err, made.NotCounted, lock.Close(), st.Close()); err != nil {
		t.Fatal(err)
	}
	return &Service{series: at, scratch: t.TempDir(), clock: clock.System()}, b, filepath.Join(place, "objects")
}

// TestBackupsAreRead reads backups, encrypted or not, by the store that is restored from them, with progress. Nothing
// of it stays.
func TestBackupsAreRead(t *testing.T) {
	secret, err := series.ParseKeys("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range []*series.Keys{nil, secret} {
		s, b, _ := backedUp(t, keys)
		for range 2 {
			if has, err := s.Databases(t.Context(), b); err != nil || fmt.Sprint(has) != "[projects/p/databases/(default)]" {
				t.Errorf("Databases = %v, %v", has, err)
			}
		}
		var done, all int64
		n := 0
		err := s.Read(t.Context(), b.Name, func(bytes, of int64) { done, all = bytes, of }, func(from store.Reader) error {
			it := from.Scan(store.Range{From: []byte("d"), To: []byte("e")})
			for it.Next() {
				n++
			}
			return errors.Join(it.Err(), it.Close())
		})
		if err != nil || n != 2 || done != all || all != b.Bytes {
			t.Errorf("Read = %v with %d documents and %d of %d bytes", err, n, done, all)
		}
		wantEmpty(t, s)
	}
}

// wantEmpty checks that nothing of restored backups stays.
func wantEmpty(t *testing.T, s *Service) {
	t.Helper()
	if left, err := os.ReadDir(s.scratch); err != nil || len(left) > 0 {
		t.Errorf("in the folder of restored backups are %v, %v", left, err)
	}
}

// TestUnreadBackups reads backups that can't be restored. The errors, which clients receive, do not name the place.
func TestUnreadBackups(t *testing.T) {
	s, b, objects := backedUp(t, nil)
	read := func(ctx context.Context, name string) error {
		return s.Read(ctx, name, func(int64, int64) {}, func(store.Reader) error {
			t.Error("it was read")
			return nil
		})
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := read(ended, b.Name); !errors.Is(err, context.Canceled) {
		t.Errorf("Read after the end of its context = %v", err)
	}
	use := errors.New("the copy failed")
	if err := s.Read(t.Context(), b.Name, func(int64, int64) {}, func(store.Reader) error { return use }); !errors.Is(err, use) {
		t.Errorf("Read = %v, want %v", err, use)
	}
	if err := read(t.Context(), "2026-01-01T00-00-00Z"); !fault.Is(err, fault.NotFound) || strings.Contains(fault.Reason(err), "/") {
		t.Errorf("Read of a backup that is not there = %v", err)
	}
	all, err := filepath.Glob(filepath.Join(objects, "*", "*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("there are %d objects, %v", len(all), err)
	}
	for _, one := range all {
		if err := os.Truncate(one, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := read(t.Context(), b.Name); !fault.Is(err, fault.DataLoss) || strings.Contains(fault.Reason(err), "/") {
		t.Errorf("Read of a damaged backup = %v", err)
	}
	wantEmpty(t, s)
}
