package versions_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
	"clave/server/internal/transport/hosting/versions"
)

// TestCopiesOfASiteInUse copies a data folder, as backups do, while versions of its site are released and deleted. Each
// copy can be opened, and serves one of the versions with all its files.
func TestCopiesOfASiteInUse(t *testing.T) {
	data := t.TempDir()
	store, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s := openIn(t, filepath.Join(data, "hosting"))
	files := func(n int) map[string]string {
		text := fmt.Sprint("version ", n)
		return map[string]string{"/index.html": text, "/other.txt": text + ", other"}
	}
	last := s.finalized(nil, files(0))
	s.release(versions.Live, last)
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.replace(t, last, files, stop) }()
	for range 8 {
		frozen, done, err := backup.Freeze(t.Context(), store, data)
		if err != nil {
			t.Fatal(err)
		}
		copied := openIn(t, filepath.Join(frozen, "hosting"))
		code, text := copied.get("data.example.org", "/")
		if other, got := copied.get("data.example.org", "/other.txt"); code != http.StatusOK || other != http.StatusOK || got != text+", other" {
			t.Errorf("the copy of a site serves %d %q and %d %q", code, text, other, got)
		}
		if err := done(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// replace releases further versions and deletes the ones before, until stop is closed.
func (s *site) replace(t *testing.T, last string, files func(int) map[string]string, stop chan struct{}) error {
	for n := 1; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		v, err := s.Create("ann", nil, nil)
		if err != nil {
			return err
		}
		s.fill(v.ID, files(n))
		if _, err := s.Finalize(t.Context(), v.ID, "ann", nil, nil); err != nil {
			return err
		}
		if _, err := s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: v.ID, By: "ann"}); err != nil {
			return err
		}
		if err := s.Delete(last); err != nil {
			return err
		}
		last = v.ID
	}
}
