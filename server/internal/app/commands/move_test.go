package commands

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/fault"
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

// TestFollowersFolder runs commands on the data folder of a node that does not lead: the error names the node that can
// do it.
func TestFollowersFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, datafolder.Replica), 0o700); err != nil {
		t.Fatal(err)
	}
	err := Backup(t.Context(), &config.Config{DataDir: dir}, Options{Log: slog.New(slog.DiscardHandler)}, filepath.Join(t.TempDir(), "copy"))
	if !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "the node that leads") {
		t.Errorf("Backup of a follower's folder = %v, want FailedPrecondition with the place to run it", err)
	}
}
