package transfer

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestMarker checks that the marker of an import exists during the import and after a failed one, until an import has
// completed.
func TestMarker(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "importing")
	tr := New(Options{Marker: marker})
	want := func(when, source string) {
		t.Helper()
		if got, err := Unfinished(marker); got != source || err != nil {
			t.Errorf("%s: Unfinished = %q, %v; want %q", when, got, err, source)
		}
	}
	want("before", "")
	err := tr.marked("/exports/a", func() error {
		want("while the data change", "/exports/a")
		return errors.New("disk on fire")
	})
	if err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("marked = %v, want the error of the import", err)
	}
	want("after a failed import", "/exports/a")
	if err := tr.marked("/exports/b", func() error { return nil }); err != nil {
		t.Error(err)
	}
	want("after a whole import", "")
}
