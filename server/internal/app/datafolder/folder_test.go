package datafolder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app/datafolder"
	"clave/server/internal/base/fault"
	"clave/server/internal/suite/transfer"
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
		folder := &datafolder.Folder{Dir: dir}
		if _, err := folder.Make(datafolder.Store); !fault.Is(err, fault.FailedPrecondition) || !strings.HasPrefix(fault.FromError(err).Message, want) {
			t.Errorf("Make in %s = %v, want FAILED_PRECONDITION with %q", dir, err, want)
		}
	}
}

// TestInterruptedFolders uses data folders in which an import or a migration was interrupted. A process that ends as it
// begins may leave a marker without its source.
func TestInterruptedFolders(t *testing.T) {
	for marker, want := range map[string]string{
		"":                                   "Run clave import or clave migrate from-firebase again",
		"/copies/a":                          "an import of /copies/a was interrupted",
		"/copies/a" + transfer.MigrationMark: "Run clave migrate from-firebase again",
	} {
		folder := &datafolder.Folder{Dir: t.TempDir()}
		if err := os.WriteFile(folder.Marker(), []byte(marker), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Make(datafolder.Store); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(fault.FromError(err).Message, want) {
			t.Errorf("with the marker %q: %v, want %q", marker, err, want)
		}
		folder.Importing = []string{marker}
		if _, err := folder.Make(datafolder.Store); err != nil {
			t.Errorf("the same import with the marker %q: %v", marker, err)
		}
	}
}

// TestUnusedFoldersAreRemoved makes a folder in a data folder that exists and in one that does not, and removes what
// was created if the folder is unused.
func TestUnusedFoldersAreRemoved(t *testing.T) {
	for _, exists := range []bool{false, true} {
		for _, unused := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "data")
			if exists {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			folder := &datafolder.Folder{Dir: dir}
			for range 2 { // as a node does, for its name and for its replica
				if _, err := folder.Make(datafolder.Replica); err != nil {
					t.Fatal(err)
				}
			}
			folder.Unused = unused
			if err := folder.Remove(); err != nil {
				t.Fatal(err)
			}
			_, err := os.Stat(dir)
			_, inner := os.Stat(filepath.Join(dir, datafolder.Replica))
			if (err == nil) != (exists || !unused) || (inner == nil) == unused {
				t.Errorf("exists = %v, unused = %v: the data folder: %v, the replica's: %v", exists, unused, err, inner)
			}
		}
	}
}

// TestNodesHaveNames reads the name of a node twice.
func TestNodesHaveNames(t *testing.T) {
	folder := &datafolder.Folder{Dir: t.TempDir()}
	first, err := folder.Node()
	again, errAgain := folder.Node()
	if err != nil || errAgain != nil || first == "" || again != first {
		t.Errorf("the names are %q, %v and %q, %v", first, err, again, errAgain)
	}
	other, err := (&datafolder.Folder{Dir: t.TempDir()}).Node()
	if err != nil || other == first {
		t.Errorf("a node of another folder has the name %q, %v", other, err)
	}
}

// TestKilledRemovalsAreCompleted makes folders beside what a removal has left that was killed.
func TestKilledRemovalsAreCompleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	left := []string{dir + ".clave-unused", filepath.Join(dir, "store.clave-unused")}
	for _, name := range left {
		if err := os.MkdirAll(filepath.Join(name, "part"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f := datafolder.Folder{Dir: dir}
	if _, err := f.Make(datafolder.Store); err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
