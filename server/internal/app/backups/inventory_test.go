package backups

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
)

// write writes a document to the store in a folder.
func write(ctx context.Context, folder, path string) error {
	s, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		return err
	}
	e, err := engine.Open(ctx, engine.Options{Store: s})
	if err != nil {
		return errors.Join(err, s.Close())
	}
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	w := document.Write{Name: resource.Document{DB: db, Path: path}, Fields: value.Map{"n": value.Int(1)}}
	_, err = e.Commit(ctx, db, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted())
	return errors.Join(err, e.Close(), s.Close())
}

// TestInventory proves backups of a node's replica with the inventory of their data, and with that of data with
// one more document, which
// is what a backup that lost a document has.
func TestInventory(t *testing.T) {
	data := t.TempDir()
	folder := filepath.Join(data, "store")
	for _, path := range []string{"rooms/a", "rooms/b", "rooms/a/chairs/1"} {
		if err := write(t.Context(), folder, path); err != nil {
			t.Fatal(err)
		}
	}
	s, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	position := []byte(strings.Repeat("\xff", 16) + "position")
	var at store.Batch
	at.Set(position, []byte("1"))
	if err := s.Apply(t.Context(), &at); err != nil || !postgres.IsPosition(position) {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, more, want string
	}{{"its inventory", "", ""}, {"a document that is missing", "rooms/c", "documents of p/(default): rooms"}} {
		at := series.New(series.Options{Target: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}})
		lock, err := at.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, made, err := at.Make(t.Context(), lock, series.Request{
			Source: s, Data: data, ID: "a", Clock: clock.System(),
			Inventory: func(ctx context.Context, folder string, took func(int) error) (json.RawMessage, error) {
				if tt.more != "" {
					if err := write(ctx, folder, tt.more); err != nil {
						return nil, err
					}
				}
				return takeInventory(folder, pebble.Options{}, took)
			},
		})
		if err := errors.Join(err, made.NotCounted, lock.Close()); err != nil {
			t.Fatal(err)
		}
		counted, _, err := prove(t.Context(), at, b, filepath.Join(t.TempDir(), "trial"), pebble.Options{})
		if tt.want == "" && (err != nil || !strings.Contains(counted, "3 documents") || !strings.Contains(counted, "as the inventory")) ||
			tt.want != "" && (!fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("the proof of a backup with %s: %q, %v; want %q", tt.name, counted, err, tt.want)
		}
	}
}
