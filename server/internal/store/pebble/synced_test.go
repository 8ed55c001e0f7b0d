package pebble

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/fault"
)

// killed is a copy of a folder as a killed process leaves it: with all data that were written, synced or not.
var killed = vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))}

// writeKeys writes 20 keys with a prefix.
func writeKeys(t *testing.T, s *Store, prefix string) {
	t.Helper()
	for i := range 20 {
		if err := write(t.Context(), s, fmt.Sprintf("%s%02d", prefix, i), 3000); err != nil {
			t.Fatal(err)
		}
	}
}

// killedFolder returns the folder of a killed process with keys in its log.
func killedFolder(t *testing.T) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s, err := Open("data", Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	writeKeys(t, s, "k")
	after := mem.CrashClone(killed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return after
}

// logOf returns the path of the only log of a folder.
func logOf(t *testing.T, from vfs.FS) string {
	t.Helper()
	names, err := from.List("data")
	if err != nil {
		t.Fatal(err)
	}
	return "data/" + only(t, names, logSuffix)
}

// opened opens a folder and closes it again. It returns what was logged.
func opened(t *testing.T, from vfs.FS, o Options) (log string, err error) {
	t.Helper()
	var text bytes.Buffer
	o.FS, o.Log = from, slog.New(slog.NewTextHandler(&text, nil))
	s, err := Open("data", o)
	if err == nil {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	return text.String(), err
}

// TestMissingSyncedWritesAreRefused damages the newest log of a killed process, all of which was synced. Pebble alone
// would treat most of that as the end of the log. Without the file of synced lengths the folder must open as before,
// with the writes that are left.
func TestMissingSyncedWritesAreRefused(t *testing.T) {
	if log, err := opened(t, killedFolder(t), Options{}); err != nil || log != "" {
		t.Fatalf("Open of an undamaged folder = %v, and logs\n%s", err, log)
	}
	for name, change := range map[string]func([]byte) []byte{
		"emptied":               func([]byte) []byte { return nil },
		"zeroed":                func(b []byte) []byte { return make([]byte, len(b)) },
		"cut in half":           func(b []byte) []byte { return b[:len(b)/2] },
		"without its last byte": func(b []byte) []byte { return b[:len(b)-1] },
		"with a flipped bit": func(b []byte) []byte {
			b[len(b)-1] ^= 4
			return b
		},
		"of another log": func(b []byte) []byte {
			b[7]++
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := killedFolder(t)
			path := logOf(t, folder)
			rewrite(t, folder, path, change)
			_, err := opened(t, folder, Options{})
			if text := fmt.Sprint(err); !fault.Is(err, fault.DataLoss) || !strings.Contains(text, path[len("data/"):]) || !strings.Contains(text, "data/"+syncedName) {
				t.Fatalf("Open = %v, want DATA_LOSS with the names of both files", err)
			}
			if log, err := opened(t, folder, Options{Derived: true}); err != nil || !strings.Contains(log, "are obtained again") {
				t.Errorf("Open of data that are durable elsewhere = %v, and logs\n%s", err, log)
			}
		})
	}
}

// TestARemovedLogIsRefused removes the newest log of a killed process, and starts without it when the file of synced
// lengths is removed too.
func TestARemovedLogIsRefused(t *testing.T) {
	folder := killedFolder(t)
	if err := folder.Remove(logOf(t, folder)); err != nil {
		t.Fatal(err)
	}
	if _, err := opened(t, folder, Options{}); !fault.Is(err, fault.DataLoss) {
		t.Errorf("Open without the log = %v, want DATA_LOSS", err)
	}
	if err := folder.Remove("data/" + syncedName); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := opened(t, folder, Options{}); err != nil {
			t.Errorf("Open without the log and the synced lengths = %v", err)
		}
	}
}

// TestADamagedFileOfSyncedLengths damages the file itself. The folder must open, and the file must be in use again
// afterwards.
func TestADamagedFileOfSyncedLengths(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"emptied":            func([]byte) []byte { return nil },
		"zeroed":             func(b []byte) []byte { return make([]byte, len(b)) },
		"too long":           func(b []byte) []byte { return append(make([]byte, 100), b...) },
		"with a flipped bit": func(b []byte) []byte { b[20] ^= 4; return b },
	} {
		folder := killedFolder(t)
		rewrite(t, folder, "data/"+syncedName, change)
		if log, err := opened(t, folder, Options{}); err != nil || !strings.Contains(log, "the ends of the logs are not checked") {
			t.Errorf("%s: Open = %v, and logs\n%s", name, err, log)
		}
		if log, err := opened(t, folder, Options{}); err != nil || log != "" {
			t.Errorf("%s: the second Open = %v, and logs\n%s", name, err, log)
		}
	}
}

// TestAnOlderProgramInBetween opens a folder by Pebble alone, as programs without the file of synced lengths do. The
// file then has lengths of logs that were removed since, and must be ignored.
func TestAnOlderProgramInBetween(t *testing.T) {
	folder := killedFolder(t)
	db, err := pebble.Open("data", &pebble.Options{FS: folder, FormatMajorVersion: pebble.FormatNewest, Logger: logger{slog.New(slog.DiscardHandler)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Set([]byte("older"), nil, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if log, err := opened(t, folder, Options{}); err != nil || log != "" {
		t.Errorf("Open after another program = %v, and logs\n%s", err, log)
	}
}

// TestAHoleIsRefused empties a log that is not the newest one: Pebble would apply the later log without it. Data that
// are durable elsewhere would have a hole, too.
func TestAHoleIsRefused(t *testing.T) {
	mem := vfs.NewCrashableMem()
	o := Options{FS: mem, MemTableBytes: 1 << 20}
	s, err := Open("data", o)
	if err != nil {
		t.Fatal(err)
	}
	var after *vfs.MemFS
	for i := 0; after == nil; i++ {
		if i == 2000 {
			t.Fatal("there were never two logs in use")
		}
		writeKeys(t, s, fmt.Sprintf("%04d", i))
		s.space.synced.mu.Lock()
		if len(s.space.synced.mu.logs) > 1 {
			after = mem.CrashClone(killed)
		}
		s.space.synced.mu.Unlock()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := after.List("data")
	if err != nil {
		t.Fatal(err)
	}
	oldest := ""
	for _, name := range names {
		if isLogFile(name) && (oldest == "" || name < oldest) {
			oldest = name
		}
	}
	rewrite(t, after, "data/"+oldest, func([]byte) []byte { return nil })
	for _, derived := range []bool{false, true} {
		if _, err := opened(t, after, Options{Derived: derived}); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), oldest) {
			t.Errorf("Open with the emptied log %s, derived %t = %v, want DATA_LOSS", oldest, derived, err)
		}
	}
}

// TestCrashesKeepSyncedLengths crashes a store at many moments, with some of the unsynced data lost, again and again.
// Each folder must open without a message about damage, and have all acknowledged writes.
func TestCrashesKeepSyncedLengths(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	folder := vfs.NewCrashableMem()
	acknowledged := make(map[string]bool)
	for round := range 12 {
		var text bytes.Buffer
		s, err := Open("data", Options{FS: folder, MemTableBytes: 64 << 10, Log: slog.New(slog.NewTextHandler(&text, nil))})
		if err != nil {
			t.Fatalf("Open after %d crashes = %v", round, err)
		}
		if strings.Contains(text.String(), "synced") {
			t.Errorf("after %d crashes the store logs\n%s", round, text.String())
		}
		for key := range acknowledged {
			if _, found, err := s.Get([]byte(key)); !found || err != nil {
				t.Fatalf("after %d crashes Get(%s): found %t, %v", round, key, found, err)
			}
		}
		var mu sync.Mutex
		var group sync.WaitGroup
		var next *vfs.MemFS
		until := 1 + rnd.IntN(160)
		for w := range 4 {
			group.Go(func() {
				for i := range 40 {
					key := fmt.Sprintf("r%02dw%di%03d", round, w, i)
					if err := write(t.Context(), s, key, 2000); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if next == nil {
						acknowledged[key] = true
					}
					if until--; until == 0 {
						next = folder.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rnd.IntN(101), RNG: rnd})
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if next != nil {
			folder = next
		}
	}
}

// limitedDisk is a file system on which logs have a maximum size, as with a limit of the process.
type limitedDisk struct{ vfs.FS }

// Create implements vfs.FS.
func (d limitedDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	if err != nil || !isLogFile(name) {
		return f, err
	}
	return &limitedFile{File: f, left: 100_001}, nil
}

// limitedFile is a file that takes a limited number of bytes.
type limitedFile struct {
	vfs.File
	left int
}

// Write implements io.Writer.
func (f *limitedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p[:min(len(p), f.left)])
	if f.left -= n; err == nil && n < len(p) {
		err = syscall.EFBIG
	}
	return n, err
}

// TestALogThatCouldNotBeWritten writes until a log takes a part of a record only, and opens the folder of the killed
// process. It lacks nothing that was acknowledged, so it must open.
func TestALogThatCouldNotBeWritten(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s, err := Open("data", Options{FS: limitedDisk{mem}})
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	for err == nil {
		if err = write(t.Context(), s, fmt.Sprintf("k%03d", acknowledged), 3000); err == nil {
			acknowledged++
		}
	}
	if !errors.Is(err, syscall.EFBIG) || acknowledged < 20 {
		t.Fatalf("%d writes were acknowledged before %v; want more, and EFBIG", acknowledged, err)
	}
	_ = s.Close() // fails, and closes the log
	after := mem.CrashClone(killed)
	again, err := Open("data", Options{FS: after})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	for i := range acknowledged {
		if _, found, err := again.Get(fmt.Appendf(nil, "k%03d", i)); !found || err != nil {
			t.Errorf("Get(k%03d): found %t, %v", i, found, err)
		}
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
