package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/pebble"
)

// dataFolder creates a data folder with a store that has one key, and returns both.
func dataFolder(t *testing.T) (string, *pebble.Store) {
	t.Helper()
	data := t.TempDir()
	store, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	put(t, store, "k", "first")
	if err := os.MkdirAll(filepath.Join(data, "keys", "ring"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "keys", "ring", "a.pem"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	return data, store
}

// put sets a key.
func put(t *testing.T, s *pebble.Store, key, value string) {
	t.Helper()
	var b store.Batch
	b.Set([]byte(key), []byte(value))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// wantData checks that a folder is a complete data folder with the first value.
func wantData(t *testing.T, data string) {
	t.Helper()
	store, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if v, _, err := store.Get([]byte("k")); err != nil || string(v) != "first" {
		t.Errorf("k = %q, %v; want the value of the moment of the copy", v, err)
	}
	if key, err := os.ReadFile(filepath.Join(data, "keys", "ring", "a.pem")); err != nil || string(key) != "secret" {
		t.Errorf("the key is %q, %v", key, err)
	}
	for _, name := range []string{".", "store", "keys/ring"} {
		if info, err := os.Stat(filepath.Join(data, name)); err != nil || name != "." && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v; want it for its owner alone", name, info.Mode(), err)
		}
	}
}

// verified verifies a store as clave does.
func verified(store string) error {
	return pebble.Verify(context.Background(), store, pebble.Options{})
}

func TestCopyAndBack(t *testing.T) {
	data, store := dataFolder(t)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := backup.Make(t.Context(), store, data, dir); err != nil {
		t.Fatal(err)
	}
	put(t, store, "k", "later")
	back := filepath.Join(t.TempDir(), "deep", "data")
	if err := backup.Restore(t.Context(), dir, back, verified); err != nil {
		t.Fatal(err)
	}
	wantData(t, back)
	if err := backup.Restore(t.Context(), dir, back, verified); fault.FromError(err).Code != fault.FailedPrecondition {
		t.Errorf("Restore over data = %v, want FailedPrecondition", err)
	}
	for _, name := range []string{"data", "deep"} {
		inside := filepath.Join(dir, name)
		into := inside
		if name == "deep" {
			into = filepath.Join(inside, "data") // in a folder that does not exist yet
		}
		if err := backup.Restore(t.Context(), dir, into, verified); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("Restore into %s of the copy = %v, want InvalidArgument", name, err)
		}
		if _, err := os.Stat(inside); err == nil {
			t.Error("a refused Restore made a folder in the copy")
		}
	}
	wantData(t, dir)
	if left, _ := filepath.Glob(dir + "*part*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDeployedSitesAreCopied copies a deployed site by copies, and by the frozen folders of which backups are made,
// without what is being uploaded, and without a release whose version is gone. A folder without a release has no site,
// and the copy ends with its context.
func TestDeployedSitesAreCopied(t *testing.T) {
	data, store := dataFolder(t)
	site := filepath.Join(data, "hosting")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(site, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("files/content", "page")
	frozen, done, err := backup.Freeze(t.Context(), store, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(frozen, "hosting")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a site without a release is copied: %v", err)
	}
	if err := done(); err != nil {
		t.Error(err)
	}
	write("state.json", `{"channels":{"live":{"releases":[{"version":"gone"},{"version":"a"}],"n":12345678901234567890},"off":{"releases":[{}]}}}`)
	write("versions/a.json", `{"status":"FINALIZED","files":{"/index.html":"content"}}`)
	write("versions/a.json.123", "a record that is being written")
	write("upload-1", "half")
	dir := filepath.Join(t.TempDir(), "copy")
	if err := backup.Make(t.Context(), store, data, dir); err != nil {
		t.Fatal(err)
	}
	if frozen, done, err = backup.Freeze(t.Context(), store, data); err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(t.TempDir(), "back")
	if err := backup.Restore(t.Context(), dir, back, verified); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, frozen, back} {
		var names []string
		err := filepath.WalkDir(filepath.Join(folder, "hosting"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				text, readErr := os.ReadFile(path)
				err = readErr
				names = append(names, d.Name()+"="+string(text))
			}
			return err
		})
		if want := `[content=page state.json={"channels":{"live":{"n":12345678901234567890,"releases":[{"version":"a"}]},"off":{"releases":[{}]}}} a.json={"status":"FINALIZED","files":{"/index.html":"content"}}]`; err != nil || fmt.Sprint(names) != want {
			t.Errorf("%s has %v, %v; want %s", folder, names, err, want)
		}
		if _, err := os.Stat(filepath.Join(folder, "keys", "ring", "a.pem")); err != nil {
			t.Error(err)
		}
	}
	if err := done(); err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := backup.Freeze(ended, store, data); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestMakeRefuses(t *testing.T) {
	data, store := dataFolder(t)
	there, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	file := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.Symlink(data, link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, dir string
		want      fault.Code
	}{
		{"what is there", there, fault.AlreadyExists},
		{"the data folder itself", data, fault.AlreadyExists},
		{"a folder in the data folder", filepath.Join(data, "copy"), fault.InvalidArgument},
		{"a folder in the data folder by a link", filepath.Join(link, "copy"), fault.InvalidArgument},
		{"a folder in no folder", filepath.Join(there, "a", "b"), fault.FailedPrecondition},
		{"a folder in a file", filepath.Join(file, "copy"), fault.FailedPrecondition},
	} {
		if err := backup.Make(t.Context(), store, data, tt.dir); err == nil || fault.FromError(err).Code != tt.want {
			t.Errorf("Make to %s = %v, want code %v", tt.name, err, tt.want)
		}
	}
	if entries, err := os.ReadDir(there); err != nil || len(entries) > 0 {
		t.Errorf("refused copies left %v, %v", entries, err)
	}
}

// failing is a store that cannot be copied.
type failing struct{}

// Checkpoint implements backup.Source.
func (failing) Checkpoint(context.Context, string) error { return errors.New("disk on fire") }

func TestAFailedCopyLeavesNothing(t *testing.T) {
	data, _ := dataFolder(t)
	parent := t.TempDir()
	if err := backup.Make(t.Context(), failing{}, data, filepath.Join(parent, "copy")); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("Make = %v, want the store's error", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("a failed copy left %v, %v", entries, err)
	}
}

func TestRestoreRefusesOtherFolders(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "nowhere")} {
		if err := backup.Restore(t.Context(), dir, data, verified); fault.FromError(err).Code != fault.NotFound {
			t.Errorf("Restore(%s) = %v, want NotFound", dir, err)
		}
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("a refused Restore made the data folder")
	}
}

func TestRequestToARunningServer(t *testing.T) {
	data, store := dataFolder(t)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := backup.Request(t.Context(), data, dir); !errors.Is(err, backup.ErrNoServer) {
		t.Fatalf("Request without a server = %v, want ErrNoServer", err)
	}
	// the socket of a killed server
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(data, "backup.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	if err := backup.Request(t.Context(), data, dir); !errors.Is(err, backup.ErrNoServer) {
		t.Fatalf("Request at the socket of a killed server = %v, want ErrNoServer", err)
	}
	listener, err := backup.Listen(store, data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- listener.Run(ctx) }()
	if info, err := os.Stat(filepath.Join(data, "backup.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v; want mode 0600", info, err)
	}
	if err := backup.Request(t.Context(), data, dir); err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{dir, "relative"} {
		if err := backup.Request(t.Context(), data, again); fault.FromError(err).Code != fault.FailedPrecondition {
			t.Errorf("Request for %s = %v, want FailedPrecondition", again, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run ended with %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "backup.sock")); err == nil {
		t.Error("the copy has the socket")
	}
	wantData(t, dir)
}

// TestRestoreOfADamagedCopyLeavesNothing flips a bit in a table of a copy, and removes the manifest of another copy.
func TestRestoreOfADamagedCopyLeavesNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, store string)
	}{
		{"a flipped bit", func(t *testing.T, store string) {
			tables, err := filepath.Glob(filepath.Join(store, "*.sst"))
			if err != nil || len(tables) == 0 {
				t.Fatalf("tables %v, %v", tables, err)
			}
			text, err := os.ReadFile(tables[0])
			if err != nil {
				t.Fatal(err)
			}
			text[10] ^= 1
			if err := os.WriteFile(tables[0], text, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"no manifest", func(t *testing.T, store string) {
			markers, err := filepath.Glob(filepath.Join(store, "marker.manifest.*"))
			if err != nil || len(markers) == 0 {
				t.Fatalf("markers %v, %v", markers, err)
			}
			for _, m := range markers {
				if err := os.Remove(m); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data, store := dataFolder(t)
			if err := store.Close(); err != nil { // writes a table
				t.Fatal(err)
			}
			store, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			dir := filepath.Join(t.TempDir(), "copy")
			if err := backup.Make(t.Context(), store, data, dir); err != nil {
				t.Fatal(err)
			}
			// The tables are hard links. The copy needs its own files.
			own := filepath.Join(t.TempDir(), "own")
			if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, filepath.Join(own, "store"))
			back := filepath.Join(t.TempDir(), "data")
			if err := backup.Restore(t.Context(), own, back, verified); !fault.Is(err, fault.DataLoss) {
				t.Errorf("Restore of a damaged copy = %v, want DATA_LOSS", err)
			}
			if _, err := os.Stat(back); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a failed restore left the data folder (%v)", err)
			}
		})
	}
}

// TestAnInterruptedRestore creates the folder that a killed restore leaves, and restores into it.
func TestAnInterruptedRestore(t *testing.T) {
	data, store := dataFolder(t)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := backup.Make(t.Context(), store, data, dir); err != nil {
		t.Fatal(err)
	}
	back := t.TempDir()
	err := backup.Restore(t.Context(), dir, back, func(string) error {
		if got, err := backup.Interrupted(back); got != dir || err != nil {
			t.Errorf("Interrupted during a restore = %q, %v; want %q", got, err, dir)
		}
		// The folder is now as after a kill.
		return os.CopyFS(back+"-killed", os.DirFS(back))
	})
	if err != nil {
		t.Fatal(err)
	}
	killed := back + "-killed"
	defer func() { _ = os.RemoveAll(killed) }()
	if got, err := backup.Interrupted(killed); got != dir || err != nil {
		t.Errorf("Interrupted after a killed restore = %q, %v; want %q", got, err, dir)
	}
	if err := backup.Restore(t.Context(), dir, killed, verified); err != nil {
		t.Fatalf("Restore after a killed one = %v", err)
	}
	for _, folder := range []string{back, killed} {
		if got, err := backup.Interrupted(folder); got != "" || err != nil {
			t.Errorf("Interrupted after a whole restore = %q, %v", got, err)
		}
		wantData(t, folder)
	}
}

// TestAbandonedCopiesAreRemoved creates a copy beside the files of a killed copy, the folder of one that was killed
// before it locked a file, those of a copy in progress, and an unrelated folder.
func TestAbandonedCopiesAreRemoved(t *testing.T) {
	data, store := dataFolder(t)
	parent := t.TempDir()
	remains, strange := filepath.Join(parent, "monday.part-1"), filepath.Join(parent, "my.part-2")
	for path, file := range map[string]string{remains: "unfinished.lock", strange: "notes.txt"} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	empty := filepath.Join(parent, "sunday.copy-3")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	running, done, err := backup.Scratch(parent, "tuesday.part-")
	if err != nil {
		t.Fatal(err)
	}
	if err := backup.Make(t.Context(), store, data, filepath.Join(parent, "wednesday")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{remains: false, empty: false, strange: true, running: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s after the next backup: %v, want there %t", filepath.Base(path), err, want)
		}
	}
	if err := done(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(running); err == nil {
		t.Error("done left the folder")
	}
}

// TestUnfinishedCopiesAreRemovedAtTheNextStart removes the copy of a killed process, which the data folder's note
// names, and neither that of a process that runs nor what others have there.
func TestUnfinishedCopiesAreRemovedAtTheNextStart(t *testing.T) {
	data, store := dataFolder(t)
	notes, parent, other := filepath.Join(data, "unfinished-copies"), t.TempDir(), t.TempDir()
	killed, unknown := filepath.Join(parent, "monday.part-1"), filepath.Join(other, "monday.part-1")
	for _, path := range []string{notes, killed, unknown, filepath.Join(killed, "store")} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(killed, "unfinished.lock"): "", filepath.Join(unknown, "unfinished.lock"): "",
		filepath.Join(notes, "killed"): parent, filepath.Join(notes, "killed.lock"): "",
		filepath.Join(notes, "gone"): filepath.Join(parent, "gone"), filepath.Join(notes, "gone.lock"): "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := backup.Make(t.Context(), store, data, filepath.Join(t.TempDir(), "tuesday")); err != nil {
		t.Fatal(err)
	}
	forget, err := backup.Note(data, other)
	if err != nil {
		t.Fatal(err)
	}
	backup.RemoveUnfinished(data)
	for path, want := range map[string]bool{killed: false, unknown: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s after the next start: %v, want there %t", path, err, want)
		}
	}
	if left, err := os.ReadDir(notes); err != nil || len(left) != 2 {
		t.Errorf("the notes are %v, %v; want that of the process that runs, with its lock", left, err)
	}
	if err := forget(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(notes); err != nil || len(left) != 0 {
		t.Errorf("after the end of all copies the notes are %v, %v", left, err)
	}
}

// TestTheLockIsRemovedLast removes an unfinished copy of which a part can't be removed. The next copy must find its
// lock and remove it.
func TestTheLockIsRemovedLast(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may remove every file")
	}
	parent := t.TempDir()
	scratch, done, err := backup.Scratch(parent, "monday.part-")
	if err != nil {
		t.Fatal(err)
	}
	fixed := filepath.Join(scratch, "zz")
	if err := errors.Join(os.Mkdir(fixed, 0o700), os.WriteFile(filepath.Join(fixed, "file"), nil, 0o600), os.Chmod(fixed, 0o500)); err != nil {
		t.Fatal(err)
	}
	if done() == nil {
		t.Fatal("done removed a file of a folder that can't be written to")
	}
	if err := os.Chmod(fixed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, again, err := backup.Scratch(parent, "tuesday.part-")
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("after the next copy there are %v, %v", entries, err)
	}
}

// TestReadMarker reads markers with names, without content, with other content, and others than files.
func TestReadMarker(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		make func(path string) error
		want string
	}{
		"absent":   {func(string) error { return nil }, ""},
		"a name":   {func(path string) error { return os.WriteFile(path, []byte("/backups/mañana 1"), 0o600) }, "/backups/mañana 1"},
		"empty":    {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "(unknown)"},
		"lines":    {func(path string) error { return os.WriteFile(path, []byte("a\nb\x1b[2J"), 0o600) }, "(unknown)"},
		"no text":  {func(path string) error { return os.WriteFile(path, []byte{0xff, 0xfe}, 0o600) }, "(unknown)"},
		"long":     {func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o600) }, "(unknown)"},
		"a folder": {func(path string) error { return os.Mkdir(path, 0o700) }, "(unknown)"},
		"a pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "(unknown)"},
	} {
		path := filepath.Join(dir, name)
		if err := tt.make(path); err != nil {
			t.Fatal(err)
		}
		if got, err := backup.ReadMarker(path); got != tt.want || err != nil {
			t.Errorf("ReadMarker of a marker that is %s = %q, %v; want %q", name, got, err, tt.want)
		}
	}
}
