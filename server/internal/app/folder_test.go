package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// TestDataFoldersThatCannotBeUsed opens data folders in which no folder can be created: one of the kernel, which even
// root can't write to, and one below a file.
func TestDataFoldersThatCannotBeUsed(t *testing.T) {
	const readOnly = "/sys"
	if _, err := os.Stat(readOnly); err != nil {
		t.Skip("this system has no folder that root can't write to")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		readOnly:                    "cannot write to the data folder " + readOnly + ": ",
		file:                        "cannot create the data folder " + file + ": ",
		filepath.Join(file, "data"): "cannot create the data folder " + file + "/data: ",
	} {
		a := &App{config: &config.Config{DataDir: dir}}
		if _, err := a.makeFolder(storeDir); !fault.Is(err, fault.FailedPrecondition) || !strings.HasPrefix(fault.FromError(err).Message, want) {
			t.Errorf("makeFolder in %s = %v, want FAILED_PRECONDITION with %q", dir, err, want)
		}
	}
}
