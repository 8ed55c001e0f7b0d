package backups

import (
	"context"
	"errors"
	"log/slog"
	"os"
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
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/wait"
)

// TestProveASecond proves a backup and a random second of the log after it, and fails once the log is damaged.
func TestProveASecond(t *testing.T) {
	data, place := t.TempDir(), filepath.Join(t.TempDir(), "backups")
	log := changelog.New(changelog.Options{Dir: data, Clock: clock.System()})
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{Recorder: log})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	write := func(path string) {
		db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
		w := document.Write{Name: resource.Document{DB: db, Path: path}, Fields: value.Map{"n": value.Int(1)}}
		if _, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
	}
	at := series.New(series.Options{Target: target.Folder{Dir: place}, Open: openStore})
	shipper := shipping.New(shipping.Options{Series: at, Log: log, Store: s, ID: "a", Clock: clock.System(), Logger: slog.New(slog.DiscardHandler)})
	lock, err := at.Lock(t.Context())
	if err := errors.Join(err, shipper.Prepare(t.Context())); err != nil {
		t.Fatal(err)
	}
	write("rooms/a")
	b, _, err := at.Make(t.Context(), lock, series.Request{Source: s, Data: data, ID: "a", Log: shipper, Clock: clock.System()})
	if err := errors.Join(err, lock.Close()); err != nil {
		t.Fatal(err)
	}
	write("rooms/b")
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- shipper.Run(ctx) }()
	wait.Until(t, "the log to be shipped", func() bool { return shipper.Status().Segments > 0 && shipper.Status().Waiting == 0 })
	end()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	counted, second, err := prove(t.Context(), at, b, filepath.Join(t.TempDir(), "trial"), pebble.Options{})
	if err != nil || second.Before(b.Log.Time()) || !strings.Contains(counted, "1 documents") || !strings.Contains(counted, "a second of the log, by "+b.Name) {
		t.Errorf("the proof: %q at %v, %v", counted, second, err)
	}
	segments, err := filepath.Glob(filepath.Join(place, "log", "*", "*"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("there are %d segments, %v", len(segments), err)
	}
	for _, segment := range segments {
		if err := os.Truncate(segment, 100); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := prove(t.Context(), at, b, filepath.Join(t.TempDir(), "trial"), pebble.Options{}); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), "chosen at random") {
		t.Errorf("the proof of a damaged log: %v", err)
	}
}
