package series_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
)

// open returns an empty series, and a request for backups of a store with one batch.
func open(t *testing.T) (series.Series, series.Request) {
	t.Helper()
	data := t.TempDir()
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var b store.Batch
	b.Set([]byte("k"), []byte("v"))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	at := series.Series{Dir: filepath.Join(t.TempDir(), "backups")}
	if err := at.Create(); err != nil {
		t.Fatal(err)
	}
	return at, series.Request{Source: s, Data: data, ID: "a", Clock: clocktest.NewManual(time.Date(2026, 11, 26, 12, 0, 0, 500, time.UTC))}
}

// TestList lists a complete backup, one whose list was lost, and other things in the folder, which it ignores.
func TestList(t *testing.T) {
	at, r := open(t)
	b, _, err := at.Make(t.Context(), r)
	if err != nil || b.Name != "2026-11-26T12-00-00Z" {
		t.Fatalf("Make = %v, %v", b, err)
	}
	lost := filepath.Join(at.Dir, "2026-11-27T00-00-00Z")
	if err := errors.Join(os.Mkdir(lost, 0o700), os.Mkdir(lost+".part-1", 0o700), os.Mkdir(filepath.Join(at.Dir, "old"), 0o700),
		os.WriteFile(filepath.Join(at.Dir, "2026-11-28T00-00-00Z"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	all, err := at.List()
	if err != nil || len(all) != 2 || all[0] != b || b.Bytes == 0 || all[1].Damage == "" {
		t.Errorf("List = %+v, %v; want the backup %+v and a damaged one", all, err, b)
	}
	if newest, err := at.Find(""); err != nil || newest != b {
		t.Errorf("the newest backup is %+v, %v; want the complete one", newest, err)
	}
	if _, err := at.Find("2020-01-01T00-00-00Z"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Find of an absent backup = %v", err)
	}
	if _, err := (series.Series{Dir: at.Dir + "-none"}).List(); !fault.Is(err, fault.NotFound) {
		t.Errorf("List of an absent folder = %v", err)
	}
}

// TestTwoServers lets two servers write to one folder: the second one is refused while the first one writes, and if its
// data are others.
func TestTwoServers(t *testing.T) {
	at, r := open(t)
	lock, err := at.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at.Lock(); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("the second Lock = %v", err)
	}
	if _, _, err := at.Make(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	r.ID = "b"
	if _, _, err := at.Make(t.Context(), r); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "other data") {
		t.Errorf("Make for other data = %v", err)
	}
	for _, text := range []string{"", "{}", `{"format": 2, "data": "a"}`} {
		if err := os.WriteFile(filepath.Join(at.Dir, "series.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := at.Make(t.Context(), r); !fault.Is(err, fault.FailedPrecondition) {
			t.Errorf("Make with the owner %q = %v", text, err)
		}
	}
	if all, err := at.List(); err != nil || len(all) != 1 {
		t.Errorf("after refusals there are %v, %v", all, err)
	}
}
