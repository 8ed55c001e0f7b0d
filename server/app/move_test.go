package app

import (
	"log/slog"
	"path/filepath"
	"testing"

	"clave/server/fault"
	"clave/server/inventory"
)

// TestMoveDataRefuses passes invalid sources and targets.
func TestMoveDataRefuses(t *testing.T) {
	dir := t.TempDir()
	const url = "postgres://clave@127.0.0.1:1/clave"
	for _, tt := range []struct {
		name, from, to string
		want           fault.Code
	}{
		{"nothing", "", "", fault.InvalidArgument},
		{"no target", dir, "", fault.InvalidArgument},
		{"two folders", dir, filepath.Join(dir, "b"), fault.InvalidArgument},
		{"two databases", url, url, fault.InvalidArgument},
		{"a folder without data", dir, url, fault.NotFound},
	} {
		if _, err := MoveData(t.Context(), tt.from, tt.to, Options{Log: slog.New(slog.DiscardHandler)}); fault.CodeOf(err) != tt.want {
			t.Errorf("MoveData of %s = %v, want code %v", tt.name, err, tt.want)
		}
	}
}

// TestComparedFails compares two stores that differ in one value.
func TestComparedFails(t *testing.T) {
	sides := [2]*inventory.Inventory{inventory.New(), inventory.New()}
	for i, value := range []string{"one", "two"} {
		if err := sides[i].Add([]byte("events/a"), []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := compared(sides[0], sides[1]); !fault.Is(err, fault.DataLoss) || len(m.From) != 1 || len(m.To) != 1 {
		t.Errorf("compared = %+v, %v; want DataLoss and both counts", m, err)
	}
	if _, err := compared(sides[0], sides[0]); err != nil {
		t.Errorf("compared with itself = %v", err)
	}
}
