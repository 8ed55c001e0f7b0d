package transfer_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/transfer"
)

// mountDisk mounts a disk in memory, or skips the test.
func mountDisk(t *testing.T, dir, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a disk")
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "transfer", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
}

// exportTo exports and checks that the folder then imports as the data of the fixture.
func (h *fixture) exportTo(dir string, only ...string) {
	h.t.Helper()
	if _, err := h.Export(h.t.Context(), dir, only...); err != nil {
		h.t.Fatal(err)
	}
	again := newFixture(h.t, cheap)
	if _, err := again.Import(h.t.Context(), dir); err != nil || !maps.Equal(again.documents(everything), h.documents(everything)) {
		h.t.Errorf("the export has %d documents, %v; want %d", len(again.documents(everything)), err, len(h.documents(everything)))
	}
}

// description returns the members of an export's description, in their order, and their content.
func description(t *testing.T, dir string) (names []string, content map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "firebase-export-metadata.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &content))
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, `  "`); ok {
			names = append(names, name[:strings.Index(name, `"`)])
		}
	}
	return names, content
}

// wantFiles checks the contents of files in a folder.
func wantFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != content {
			t.Errorf("%s is %q, %v; want %q", name, text, err, content)
		}
	}
}

// TestExportKeepsWhatIsNotItsOwn exports over a folder with the parts of other emulators and with other files.
func TestExportKeepsWhatIsNotItsOwn(t *testing.T) {
	h, dir := newFixture(t, cheap), filepath.Join(t.TempDir(), "seed")
	h.put(everything, "c/a", value.Map{"v": value.Int(1)})
	h.put(database("named"), "c/a", value.Map{"v": value.Int(1)})
	h.exportTo(dir)
	others := map[string]string{
		"database_export/demo.json": "{}", "storage_export/blobs/b": "blob", "src/.hidden/seed.ts": "code", ".gitkeep": "", ".gitignore": "*.log",
		"firestore_export_old/notes": "mine", "firestore_export.2/notes": "mine", "auth_export.bak/accounts.json": "mine", "2026-10-04/x": "managed",
	}
	for name, content := range others {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	edit(t, dir+"/firebase-export-metadata.json", func(s string) string {
		return "\ufeff" + strings.Replace(s, "{", `{"storage": {"version": "15", "path": "storage_export"}, "extra": {"b": [1, 2], "a": "é <"}, "database": {"path": "database_export"},`, 1)
	})
	h.put(everything, "c/b", value.Map{"v": value.Int(2)})
	_, err := h.authorizer.Commit(t.Context(), token.Caller{Privileged: true, Project: project}, database("named"),
		request.Commit{Writes: []document.Write{{Name: resource.Document{DB: database("named"), Path: "c/a"}, Op: document.Delete}}})
	must(t, err)
	for range 2 {
		h.exportTo(dir)
		wantFiles(t, dir, others)
		names, content := description(t, dir)
		if want := []string{"version", "firestore", "database", "auth", "storage", "extra"}; !slices.Equal(names, want) {
			t.Errorf("the description has %v, want %v", names, want)
		}
		if extra, _ := json.Marshal(content["extra"]); string(extra) != `{"a":"é \u003c","b":[1,2]}` {
			t.Errorf("a member of others is %s", extra)
		}
		want := []string{
			".gitignore", ".gitkeep", "2026-10-04", "auth_export", "auth_export.bak", "database_export", "firebase-export-metadata.json",
			"firestore_export", "firestore_export.2", "firestore_export_old", "src", "storage_export",
		}
		if names := namesIn(t, dir); !slices.Equal(names, want) {
			t.Errorf("the folder has %v, want %v: the folder of the empty database is gone", names, want)
		}
	}
}

// TestExportOverAnExportOfOthers exports over a folder whose description is damaged or names other folders.
func TestExportOverAnExportOfOthers(t *testing.T) {
	for _, text := range []string{
		"", "{", "[]", `{"auth": 3, "databases": {"x": 1}}`, `{"firestore": {"path": "data"}, "auth": {"path": "."}}`, `{"firestore": {"path": "../seed"}, "auth": {"path": "/"}}`,
		`{"databases": [{"path": "data", "database": "x"}, {"path": "firestore_export_y/../data", "database": "y"}]}`,
	} {
		h, dir := newFixture(t, cheap), filepath.Join(t.TempDir(), "seed")
		h.put(everything, "c/a", value.Map{"v": value.Int(1)})
		must(t, os.MkdirAll(dir+"/data", 0o700))
		must(t, os.WriteFile(dir+"/data/kept", []byte("x"), 0o600))
		must(t, os.WriteFile(dir+"/firebase-export-metadata.json", []byte(text), 0o600))
		h.exportTo(dir)
		wantFiles(t, dir, map[string]string{"data/kept": "x"})
	}
}

// TestExportToAMount exports to folders where a file system is mounted, such as a volume of a container.
func TestExportToAMount(t *testing.T) {
	h, dir := newFixture(t, cheap), filepath.Join(t.TempDir(), "volume")
	must(t, os.Mkdir(dir, 0o700))
	mountDisk(t, dir, "size=8m")
	must(t, os.Mkdir(dir+"/lost+found", 0o700))
	must(t, transfer.CanExport(dir))
	for _, path := range []string{"c/a", "c/b"} {
		h.put(everything, path, value.Map{"v": value.Int(1)})
		h.exportTo(dir)
		if names, want := namesIn(t, dir), []string{"auth_export", "firebase-export-metadata.json", "firestore_export", "lost+found"}; !slices.Equal(names, want) {
			t.Errorf("the volume has %v, want %v", names, want)
		}
	}
	h.put(everything, "c/large", value.Map{"v": value.String(strings.Repeat("x", 900_000))})
	must(t, os.WriteFile(dir+"/large", make([]byte, 8<<20-600_000), 0o600))
	if _, err := h.Export(t.Context(), dir); !fault.Is(err, fault.ResourceExhausted) {
		t.Errorf("Export to a full volume = %v, want RESOURCE_EXHAUSTED", err)
	}
	again := newFixture(t, cheap)
	if sum, err := again.Import(t.Context(), dir); err != nil || sum.Documents != 2 {
		t.Errorf("after an export to a full volume it has %v, %v; want the earlier one with 2 documents", sum, err)
	}
	if names := namesIn(t, dir); len(names) != 5 {
		t.Errorf("after an export to a full volume it has %v, want no temporary folder", names)
	}
}

// TestExportToABindMount exports to a folder that is mounted from the same file system, which has one device.
func TestExportToABindMount(t *testing.T) {
	h, parent := newFixture(t, cheap), t.TempDir()
	mountDisk(t, parent, "size=8m")
	dir, from := filepath.Join(parent, "seed"), filepath.Join(parent, "from")
	for _, d := range []string{dir, from} {
		must(t, os.Mkdir(d, 0o700))
	}
	if out, err := exec.Command("mount", "--bind", from, dir).CombinedOutput(); err != nil {
		t.Skipf("no folder can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	for _, path := range []string{"c/a", "c/b"} {
		h.put(everything, path, value.Map{"v": value.Int(1)})
		h.exportTo(dir)
	}
	if names := namesIn(t, parent); !slices.Equal(names, []string{"from", "seed"}) {
		t.Errorf("beside the mount there are %v", names)
	}
}

// TestExportOverAPartThatIsAMount exports over a part that can't be moved. The new part gets another name until the
// place is free.
func TestExportOverAPartThatIsAMount(t *testing.T) {
	h, dir := newFixture(t, cheap), filepath.Join(t.TempDir(), "seed")
	h.put(everything, "c/a", value.Map{"v": value.Int(1)})
	h.exportTo(dir)
	must(t, os.WriteFile(dir+"/other", nil, 0o600))
	mounted := filepath.Join(dir, "firestore_export")
	mountDisk(t, mounted, "size=1m")
	must(t, os.WriteFile(mounted+"/kept", []byte("x"), 0o600))
	for i, want := range []string{"firestore_export.2", "firestore_export.3", "firestore_export.2"} {
		h.put(everything, "c/"+want+string(rune('a'+i)), value.Map{})
		h.exportTo(dir)
		wantParts := []string{"auth_export", "firebase-export-metadata.json", "firestore_export", want, "other"}
		if names := namesIn(t, dir); !slices.Equal(names, wantParts) {
			t.Errorf("export %d: the folder has %v, want %v", i, names, wantParts)
		}
	}
	must(t, exec.Command("umount", mounted).Run())
	h.exportTo(dir)
	if names := namesIn(t, dir); !slices.Equal(names, []string{"auth_export", "firebase-export-metadata.json", "firestore_export", "other"}) {
		t.Errorf("once the place is free the folder has %v", names)
	}
}

// TestExportToALink exports to a folder that a link names. The link stays.
func TestExportToALink(t *testing.T) {
	h, parent := newFixture(t, cheap), t.TempDir()
	link, dir := filepath.Join(parent, "link"), filepath.Join(parent, "a", "seed")
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.Symlink("a/seed", link))
	for range 2 {
		h.put(everything, "c/a", value.Map{"v": value.Int(1)})
		h.exportTo(link)
		if to, err := os.Readlink(link); err != nil || to != "a/seed" {
			t.Fatalf("the link is %q, %v", to, err)
		}
		h.exportTo(dir)
	}
}

// TestTheRemainsOfAKilledExportInTheFolderAreRemoved exports to folders in which a killed process has left its
// temporary folder.
func TestTheRemainsOfAKilledExportInTheFolderAreRemoved(t *testing.T) {
	for _, others := range []bool{false, true} {
		h, dir := newFixture(t, cheap), filepath.Join(t.TempDir(), "seed")
		remains := filepath.Join(dir, "clave-export.copy-1")
		must(t, os.MkdirAll(filepath.Join(remains, "export"), 0o700))
		must(t, os.WriteFile(filepath.Join(remains, "unfinished.lock"), nil, 0o600))
		if blank, err := transfer.Blank(dir); !blank || err != nil {
			t.Errorf("Blank = %v, %v; want true", blank, err)
		}
		if others {
			must(t, os.WriteFile(dir+"/.gitkeep", nil, 0o600))
		}
		h.exportTo(dir)
		if names := namesIn(t, dir); slices.Contains(names, "clave-export.copy-1") {
			t.Errorf("after an export the folder has %v", names)
		}
	}
}

// TestExportDocumentsKeepsOtherFiles exports the documents of a database to a folder that has other files beside an
// earlier export.
func TestExportDocumentsKeepsOtherFiles(t *testing.T) {
	h, dir := newFixture(t, cheap), filepath.Join(t.TempDir(), "seed")
	for i, path := range []string{"c/a", "c/b", "c/c"} {
		h.put(everything, path, value.Map{})
		if n, err := h.ExportDocuments(t.Context(), everything, dir, transfer.Selection{}); n != int64(i+1) || err != nil {
			t.Fatalf("ExportDocuments = %d, %v", n, err)
		}
		must(t, os.MkdirAll(dir+"/src", 0o700))
		must(t, os.WriteFile(dir+"/src/x", []byte("x"), 0o600))
	}
	wantFiles(t, dir, map[string]string{"src/x": "x"})
	if names := namesIn(t, dir); !slices.Equal(names, []string{"all_namespaces", "seed.overall_export_metadata", "src"}) {
		t.Errorf("the folder has %v", names)
	}
	if n, err := newFixture(t, cheap).ImportDocuments(t.Context(), everything, dir+"/seed.overall_export_metadata"); n != 3 || err != nil {
		t.Errorf("ImportDocuments = %d, %v; want 3", n, err)
	}
}

// TestScratch checks where the copy of an export is: beside the folder, and in a mount.
func TestScratch(t *testing.T) {
	parent := t.TempDir()
	in := func(dir, want string) {
		t.Helper()
		scratch, done, err := transfer.Scratch(dir)
		must(t, err)
		if filepath.Dir(scratch) != want {
			t.Errorf("Scratch(%s) is %s, want it in %s", dir, scratch, want)
		}
		must(t, done())
	}
	dir := filepath.Join(parent, "seed")
	in(dir, parent)
	must(t, os.Mkdir(dir, 0o700))
	in(dir, parent)
	mountDisk(t, dir, "size=1m")
	in(dir, dir)
}
