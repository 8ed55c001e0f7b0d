package backup_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
)

// listName is the list of a copy's files.
const listName = "backup.json"

// makeCopy makes a copy of a data folder whose files are the copy's own.
func makeCopy(t *testing.T) string {
	t.Helper()
	data, store := dataFolder(t)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := backup.Make(t.Context(), store, data, dir); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "own")
	if err := os.CopyFS(own, os.DirFS(dir)); err != nil { // tables are hard links
		t.Fatal(err)
	}
	return own
}

// refuseRestore checks that a copy is refused with a code, one line and without a trace.
func refuseRestore(t *testing.T, what, dir string, code fault.Code) {
	t.Helper()
	back := filepath.Join(t.TempDir(), "data")
	err := backup.Restore(t.Context(), dir, back, verified)
	if err == nil || fault.CodeOf(err) != code || strings.Contains(fault.FromError(err).Message, "\n") {
		t.Errorf("Restore of a copy with %s = %v, want one line with code %v", what, err, code)
	}
	if _, err := os.Lstat(back); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused restore of a copy with %s left the data folder (%v)", what, err)
	}
}

// filesOf returns the paths of the files of a copy.
func filesOf(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) < 5 {
		t.Fatalf("the copy has the files %v, %v", names, err)
	}
	return names
}

// TestRestoreRefusesChangedFiles flips a bit of each file of a copy, cuts it off, extends it, removes it, and replaces
// it by a pipe, a link and a folder.
func TestRestoreRefusesChangedFiles(t *testing.T) {
	dir := makeCopy(t)
	for _, file := range filesOf(t, dir) {
		name, whole := strings.TrimPrefix(file, dir+"/"), read(t, file)
		if name == listName {
			continue
		}
		spoils := map[string]func() error{
			"one byte more": func() error { return os.WriteFile(file, append(bytes.Clone(whole), 0), 0o600) },
			"removed":       func() error { return nil },
			"as a pipe":     func() error { return syscall.Mkfifo(file, 0o600) },
			"as a folder":   func() error { return os.Mkdir(file, 0o700) },
			"as a link": func() error {
				return errors.Join(os.WriteFile(dir+"-target", whole, 0o600), os.Symlink(dir+"-target", file))
			},
			"as a device": func() error { return syscall.Mknod(file, syscall.S_IFCHR|0o600, 1<<8|5) }, // /dev/zero
		}
		if len(whole) > 0 {
			spoils["cut off"] = func() error { return os.WriteFile(file, whole[:len(whole)-1], 0o600) }
			for _, at := range []int{0, len(whole) / 2, len(whole) - 1} {
				flipped := bytes.Clone(whole)
				flipped[at] ^= 1
				spoils[fmt.Sprintf("with a flipped bit at %d", at)] = func() error { return os.WriteFile(file, flipped, 0o600) }
			}
		}
		for what, spoil := range spoils {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := spoil(); errors.Is(err, syscall.EPERM) {
				t.Logf("%s %s: %v", name, what, err) // only root can create devices
			} else if err != nil {
				t.Fatal(err)
			}
			refuseRestore(t, name+" "+what, dir, fault.DataLoss)
			_ = os.Remove(file) // may be absent
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := backup.Restore(t.Context(), dir, filepath.Join(t.TempDir(), "data"), verified); err != nil {
		t.Errorf("Restore of the whole copy = %v", err)
	}
}

// read returns the content of a file.
func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// entry is an entry of a list.
type entry = map[string]any

// relist changes the entries of the list of a copy.
func relist(t *testing.T, dir string, change func(files []entry) []entry) {
	t.Helper()
	var l struct {
		Format int     `json:"format"`
		Files  []entry `json:"files"`
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, listName)), &l); err != nil {
		t.Fatal(err)
	}
	l.Files = change(l.Files)
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, listName), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreRefusesHostileLists restores copies whose list names files elsewhere, twice, with false sizes, or nothing.
func TestRestoreRefusesHostileLists(t *testing.T) {
	dir := makeCopy(t)
	whole := read(t, filepath.Join(dir, listName))
	rename := func(name string) func([]entry) []entry {
		return func(files []entry) []entry {
			files[0]["name"] = name
			return files
		}
	}
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", "keys/../../own2/x", "", ".", "store", "restoring", "store.part/x", "./a", "a//b", "a\x00b", listName, `a\..\..\b`} {
		relist(t, dir, rename(name))
		refuseRestore(t, fmt.Sprintf("the name %q", name), dir, fault.DataLoss)
		if err := os.WriteFile(filepath.Join(dir, listName), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, change := range map[string]func([]entry) []entry{
		"a file twice":    func(files []entry) []entry { return append(files, files[0]) },
		"a negative size": func(files []entry) []entry { files[0]["size"] = -1; return files },
		"a size of 2^60":  func(files []entry) []entry { files[0]["size"] = int64(1) << 60; return files },
		"no files":        func([]entry) []entry { return nil },
	} {
		relist(t, dir, change)
		refuseRestore(t, "a list with "+what, dir, fault.DataLoss)
		if err := os.WriteFile(filepath.Join(dir, listName), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, content := range map[string]string{
		"an empty list": "", "half a list": string(whole[:len(whole)/2]), "a list of zeros": strings.Repeat("\x00", len(whole)), "no list": "[]",
		"a deep list": strings.Repeat("[", 1<<20),
	} {
		if err := os.WriteFile(filepath.Join(dir, listName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		refuseRestore(t, what, dir, fault.DataLoss)
	}
	if err := os.WriteFile(filepath.Join(dir, listName), bytes.Replace(whole, []byte(`"format": 1`), []byte(`"format": 2`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	refuseRestore(t, "a later format", dir, fault.FailedPrecondition)
	if err := os.Truncate(filepath.Join(dir, listName), 1<<40); err != nil {
		t.Fatal(err)
	}
	refuseRestore(t, "a list of 1 TiB", dir, fault.DataLoss)
	if err := os.Remove(filepath.Join(dir, listName)); err != nil {
		t.Fatal(err)
	}
	refuseRestore(t, "its list removed", dir, fault.NotFound)
}

// TestRestoreOfMoreThanTheDiskHolds restores a copy with a file that has 1 TiB, most of it a hole.
func TestRestoreOfMoreThanTheDiskHolds(t *testing.T) {
	const size = 1 << 42
	dir := makeCopy(t)
	key := filepath.Join(dir, "keys", "ring", "a.pem")
	if err := os.Truncate(key, size); err != nil {
		t.Skipf("no file of this size can be created: %v", err)
	}
	relist(t, dir, func(files []entry) []entry {
		for _, f := range files {
			if f["name"] == "keys/ring/a.pem" {
				f["size"] = int64(size)
			}
		}
		return files
	})
	refuseRestore(t, "a file of 4 TiB", dir, fault.ResourceExhausted)
}

// TestOtherFilesOfACopyAreNotRestored adds files to a copy that its list does not name.
func TestOtherFilesOfACopyAreNotRestored(t *testing.T) {
	dir := makeCopy(t)
	for _, name := range []string{"store/000999.log", "importing", "keys/ring/b.pem"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("not of this copy"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	back := filepath.Join(t.TempDir(), "data")
	if err := backup.Restore(t.Context(), dir, back, verified); err != nil {
		t.Fatal(err)
	}
	wantData(t, back)
	for _, name := range []string{"store/000999.log", "importing", "keys/ring/b.pem", listName} {
		if _, err := os.Stat(filepath.Join(back, name)); err == nil {
			t.Errorf("%s was restored", name)
		}
	}
}

// TestRestoreToAFullDisk restores to disks of several sizes, all too small.
func TestRestoreToAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	dir := makeCopy(t)
	for _, free := range []string{"0", "4k", "16k"} {
		disk := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "backup", disk).CombinedOutput(); err != nil {
			t.Skipf("no small disk can be mounted: %v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
		if err := os.WriteFile(filepath.Join(disk, "fill"), make([]byte, 64<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		if size := map[string]int64{"4k": 60 << 10, "16k": 48 << 10}[free]; size > 0 {
			if err := os.Truncate(filepath.Join(disk, "fill"), size); err != nil {
				t.Fatal(err)
			}
		}
		err := backup.Restore(t.Context(), dir, filepath.Join(disk, "data"), verified)
		if !fault.Is(err, fault.ResourceExhausted) || strings.Contains(fault.FromError(err).Message, "\n") {
			t.Errorf("Restore to a disk with %s free = %v, want RESOURCE_EXHAUSTED", free, err)
		}
		if entries, err := os.ReadDir(disk); err != nil || len(entries) != 1 {
			t.Errorf("after a restore to a disk with %s free it has %v, %v", free, entries, err)
		}
	}
}
