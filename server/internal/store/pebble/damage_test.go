package pebble

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// fill writes keys of random-looking values to a folder, in two tables, and returns the names of its files.
func fill(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	s, err := Open("data", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		var b store.Batch
		b.Set(fmt.Appendf(nil, "a%03d", i), bytes.Repeat([]byte{byte(i)}, 2000))
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List("data")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// rewrite changes the content of a file.
func rewrite(t *testing.T, fs vfs.FS, path string, change func([]byte) []byte) {
	t.Helper()
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if f, err = fs.Create(path, vfs.WriteCategoryUnspecified); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(change(content)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// only returns the only name with an extension.
func only(t *testing.T, names []string, ext string) string {
	t.Helper()
	found := ""
	for _, name := range names {
		if filepath.Ext(name) == ext {
			if found != "" {
				t.Fatalf("several %s files: %v", ext, names)
			}
			found = name
		}
	}
	if found == "" {
		t.Fatalf("no %s file in %v", ext, names)
	}
	return found
}

// TestADamagedBlockIsAnError flips a bit in a table. The store must open; reads of the block must return DATA_LOSS with
// the file's name, all other reads and writes must succeed, and Err must name the file from then on.
func TestADamagedBlockIsAnError(t *testing.T) {
	mem := vfs.NewMem()
	table := only(t, fill(t, mem), ".sst")
	rewrite(t, mem, "data/"+table, func(b []byte) []byte {
		b[len(b)/2] ^= 4
		return b
	})
	var log bytes.Buffer
	s, err := Open("data", Options{FS: mem, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Err(); err != nil {
		t.Errorf("Err before the block is read = %v", err)
	}
	lost, read := 0, 0
	for i := range 200 {
		_, found, err := s.Get(fmt.Appendf(nil, "a%03d", i))
		switch {
		case fault.Is(err, fault.DataLoss) && strings.Contains(fault.FromError(err).Message, table):
			lost++
		case err != nil || !found:
			t.Fatalf("Get(a%03d): found %t, %v; want DATA_LOSS with the name %s, or the value", i, found, err, table)
		default:
			read++
		}
	}
	if lost == 0 || lost > 100 || read == 0 {
		t.Errorf("%d keys are lost and %d can be read, want one block lost", lost, read)
	}
	it := s.Scan(store.Range{})
	for it.Next() {
	}
	if err := it.Err(); !fault.Is(err, fault.DataLoss) || !strings.Contains(fault.FromError(err).Message, table) {
		t.Errorf("a scan over a damaged block = %v, want DATA_LOSS with the name %s", err, table)
	}
	_ = it.Close()
	if err := s.Err(); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), table) {
		t.Errorf("Err = %v, want DATA_LOSS with the name %s", err, table)
	}
	for i := range 50 {
		if err := write(t.Context(), s, fmt.Sprintf("a%03d", i), 100); err != nil {
			t.Fatalf("a write beside a damaged block = %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if n := strings.Count(log.String(), "a data file is damaged"); n != 1 {
		t.Errorf("the damage was logged %d times, want once:\n%s", n, log.String())
	}
}

// TestDamageUnderCompaction damages a block that Pebble's compactions read repeatedly. The process must continue, and
// the log must stay short.
func TestDamageUnderCompaction(t *testing.T) {
	mem := vfs.NewMem()
	table := only(t, fill(t, mem), ".sst")
	rewrite(t, mem, "data/"+table, func(b []byte) []byte {
		b[len(b)/2] ^= 4
		return b
	})
	var log bytes.Buffer
	s, err := Open("data", Options{FS: mem, MemTableBytes: 64 << 10, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		if err := write(t.Context(), s, fmt.Sprintf("a%03d", i%200), 2000); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if lines := strings.Count(log.String(), "\n"); lines > 20 {
		t.Errorf("the damage logged %d lines:\n%.3000s", lines, log.String())
	}
}

// TestAMissingManifestIsRefused removes the marker of the manifest from a folder with data. Pebble alone would begin an
// empty database and delete the data files.
func TestAMissingManifestIsRefused(t *testing.T) {
	mem := vfs.NewMem()
	for _, name := range fill(t, mem) {
		if strings.HasPrefix(name, "marker.manifest") {
			if err := mem.Rename("data/"+name, "aside"); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := mem.Rename("aside", "data/"+name); err != nil {
					t.Fatal(err)
				}
				s, err := Open("data", Options{FS: mem})
				if err != nil {
					t.Fatalf("Open when the marker is back = %v", err)
				}
				defer func() { _ = s.Close() }()
				if _, found, err := s.Get([]byte("a100")); !found || err != nil {
					t.Errorf("Get when the marker is back: found %t, %v", found, err)
				}
			}()
		}
	}
	s, err := Open("data", Options{FS: mem})
	if err == nil {
		_ = s.Close()
	}
	if !fault.Is(err, fault.DataLoss) || !strings.Contains(fault.FromError(err).Message, "marker.manifest") {
		t.Errorf("Open = %v, want DATA_LOSS that names the marker", err)
	}
}

// TestANewerFormatIsRefused opens folders of a newer version of Pebble, which are not damaged: one that was closed, and
// one of a killed process, whose log has a type of chunks that this version cannot read.
func TestANewerFormatIsRefused(t *testing.T) {
	closed, unclosed := vfs.NewMem(), killedFolder(t)
	fill(t, closed)
	rewrite(t, unclosed, logOf(t, unclosed), func(b []byte) []byte {
		b[6] = greatestLogType + 1
		return b
	})
	for name, folder := range map[string]*vfs.MemFS{"closed": closed, "killed": unclosed} {
		names, err := folder.List("data")
		if err != nil {
			t.Fatal(err)
		}
		marker := names[slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "marker.format-version") })]
		if err := folder.Rename("data/"+marker, "data/marker.format-version.000099.099"); err != nil {
			t.Fatal(err)
		}
		if _, err := Open("data", Options{FS: folder}); !fault.Is(err, fault.Unimplemented) || !strings.Contains(fault.FromError(err).Message, "was written by a newer version") {
			t.Errorf("Open of a folder that was %s = %v, want UNIMPLEMENTED that names the reason", name, err)
		}
	}
}

// TestAKilledFirstStartCanBeRepeated crashes a first start after each of its changes to the disk.
func TestAKilledFirstStartCanBeRepeated(t *testing.T) {
	for left := int64(0); ; left++ {
		disk := &failingDisk{FS: vfs.NewCrashableMem(), left: left}
		s, err := Open("data", Options{FS: disk})
		whole := err == nil && disk.left > 0
		if err == nil {
			disk.left = 100
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		crashed := disk.FS.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
		again, err2 := Open("data", Options{FS: crashed})
		if err2 != nil {
			t.Fatalf("Open after a first start that ended with %v = %v", err, err2)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if whole {
			return
		}
		if left > 200 {
			t.Fatal("a first start takes more than 200 changes")
		}
	}
}

// failingDisk is a disk on which a limited number of files can be created or renamed.
type failingDisk struct {
	vfs.FS
	left int64
}

// Create implements vfs.FS.
func (d *failingDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if d.left--; d.left < 0 {
		return nil, io.ErrClosedPipe
	}
	return d.FS.Create(name, c)
}

// Rename implements vfs.FS.
func (d *failingDisk) Rename(old, name string) error {
	if d.left--; d.left < 0 {
		return io.ErrClosedPipe
	}
	return d.FS.Rename(old, name)
}

// TestDroppedRecordsAreLogged damages the end of a log so that Pebble treats it as a write in progress, and opens an
// undamaged log.
func TestDroppedRecordsAreLogged(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func([]byte) []byte
		logged bool
	}{
		{"whole", func(b []byte) []byte { return b }, false},
		{"zeros behind it", func(b []byte) []byte { return append(b, make([]byte, 50<<10)...) }, false},
		{"cut in the last record", func(b []byte) []byte { return b[:len(b)-5] }, true},
		{"a flipped bit in the last record", func(b []byte) []byte {
			b[len(b)-5] ^= 1
			return b
		}, true},
	} {
		mem := vfs.NewCrashableMem()
		s, err := Open("data", Options{FS: mem})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if err := write(t.Context(), s, fmt.Sprintf("k%02d", i), 3000); err != nil {
				t.Fatal(err)
			}
		}
		crashed := mem.CrashClone(vfs.CrashCloneCfg{})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		names, err := crashed.List("data")
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, crashed, "data/"+only(t, names, ".log"), tt.change)
		var log bytes.Buffer
		again, err := Open("data", Options{FS: crashed, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatalf("%s: Open = %v", tt.name, err)
		}
		if got := strings.Contains(log.String(), "with an incomplete record"); got != tt.logged {
			t.Errorf("%s: logged %t, want %t:\n%s", tt.name, got, tt.logged, log.String())
		}
		if _, found, err := again.Get([]byte("k19")); found == tt.logged || err != nil {
			t.Errorf("%s: the last key: found %t, %v", tt.name, found, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestACheckpointOfADamagedTableFails flips a bit at many places of a table. The copy could not be restored, so
// Checkpoint must name the file.
func TestACheckpointOfADamagedTableFails(t *testing.T) {
	mem := vfs.NewMem()
	table := only(t, fill(t, mem), ".sst")
	var whole []byte
	rewrite(t, mem, "data/"+table, func(b []byte) []byte {
		whole = bytes.Clone(b)
		return b
	})
	for n := range 20 {
		at := len(whole) * n / 20
		rewrite(t, mem, "data/"+table, func([]byte) []byte {
			b := bytes.Clone(whole)
			b[at] ^= 16
			return b
		})
		s, err := Open("data", Options{FS: mem})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Checkpoint(t.Context(), fmt.Sprintf("copy%d", n)); !fault.Is(err, fault.DataLoss) || !strings.Contains(fault.FromError(err).Message, table) {
			t.Errorf("Checkpoint with a flipped bit at %d of %d = %v, want DATA_LOSS with the name %s", at, len(whole), err, table)
		}
		if s.Err() == nil {
			t.Errorf("Err after a failed Checkpoint with a flipped bit at %d = nil", at)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
