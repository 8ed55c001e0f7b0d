package series_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/pebble"
)

// writerVariable is the environment variable with the folder in which a process of this test program makes backups.
const writerVariable = "CLAVE_TEST_BACKUP_WRITER"

// writeUntilKilled writes numbered values to a store and makes backups of it, one after the other, until it is killed.
// It prints a line before each.
func writeUntilKilled(dir string) {
	if err := write(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

// write is writeUntilKilled until the first error.
func write(ctx context.Context, dir string) error {
	data := filepath.Join(dir, "data")
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{MemTableBytes: 256 << 10})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	at := series.New(series.Options{Target: target.Folder{Dir: filepath.Join(dir, "backups")}})
	lock, err := at.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	all, err := at.List(ctx)
	if err != nil {
		return err
	}
	time := clocktest.NewManual(clock.System().Now())
	if newest, ok := series.Newest(all); ok {
		time = clocktest.NewManual(newest.Time)
	}
	for {
		fmt.Println("next")
		next, err := count(s)
		if err != nil {
			return err
		}
		var b store.Batch
		for i := range 20 {
			b.Set(numbered(next+i), []byte(valueOf(next+i)))
		}
		if err := s.Apply(ctx, &b); err != nil {
			return err
		}
		time.Advance(second) // to the next backup's name
		if _, _, err := at.Make(ctx, lock, series.Request{Source: s, Data: data, ID: "a", Inventory: counted, Clock: time}); err != nil {
			return err
		}
		if _, err := at.Prune(ctx, lock, series.Keep{Days: 1}, time.Now().Add(48*3600*second)); err != nil {
			return err
		}
	}
}

// second is the time between two backups.
const second = time.Second

// valueOf returns the value with a number.
func valueOf(n int) string { return strings.Repeat(fmt.Sprint(n, " "), 1000) }

// numbered returns the key with a number.
func numbered(n int) []byte { return fmt.Appendf(nil, "k%09d", n) }

// count returns the number of keys, which have all numbers below it.
func count(s store.Reader) (int, error) {
	it := s.Scan(store.Range{})
	n := 0
	for ; it.Next(); n++ {
		if value, err := it.Value(); err != nil || string(it.Key()) != string(numbered(n)) || string(value) != valueOf(n) {
			return n, errors.Join(fmt.Errorf("the value of %q is not that of %q", it.Key(), numbered(n)), err, it.Close())
		}
	}
	return n, errors.Join(it.Err(), it.Close())
}

// TestKilledBackups kills a process at random moments of its backups. Every listed backup must be complete, its store
// must hold the values of one moment, and the next backup must remove what was left.
func TestKilledBackups(t *testing.T) {
	rounds := 6
	if os.Getenv("CLAVE_TORTURE_ROUNDS") != "" {
		rounds = 200
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	at := series.New(series.Options{Target: target.Folder{Dir: filepath.Join(dir, "backups")}})
	listed, unfinished := 0, 0
	for range rounds {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), writerVariable+"="+dir), os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for range 1 + rand.IntN(3) {
			if line, err := lines.ReadString('\n'); line != "next\n" {
				t.Fatalf("the process that makes backups printed %q, %v", line, err)
			}
		}
		moment, stop := clock.System().After(time.Duration(rand.IntN(int(100 * time.Millisecond))))
		<-moment // a random moment
		stop()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("the process ended by itself: %v", cmd.ProcessState)
		}
		parts, _ := filepath.Glob(filepath.Join(at.String(), "unfinished", "*"))
		unfinished += len(parts)
		listed += checkListed(t, at)
	}
	if listed == 0 {
		t.Error("no backup was complete before a kill")
	}
	t.Logf("%d backups were listed, %d were unfinished", listed, unfinished)
	wantNothingLeft(t, dir, at)
}

// checkListed restores each listed backup, and returns their number.
func checkListed(t *testing.T, at *series.Series) int {
	t.Helper()
	all, err := at.List(t.Context())
	if err != nil {
		if fault.Is(err, fault.NotFound) { // The process was killed before it made the folder.
			return 0
		}
		t.Fatal(err)
	}
	for _, b := range all {
		if err := at.Check(t.Context(), b); err != nil || b.Damage != "" {
			t.Errorf("a listed backup is damaged: %v %s", err, b.Damage)
		}
		if n, err := restored(t, at, b); err != nil || n == 0 || n%20 != 0 {
			t.Errorf("the restored backup %s has %d values, %v; want those of whole batches", b.Name, n, err)
		}
	}
	return len(all)
}

// wantNothingLeft makes a last backup and checks that nothing but backups is left.
func wantNothingLeft(t *testing.T, dir string, at *series.Series) {
	t.Helper()
	data := filepath.Join(dir, "data")
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	lock, err := at.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	later := clocktest.NewManual(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	if _, _, err := at.Make(t.Context(), lock, series.Request{Source: s, Data: data, ID: "a", Inventory: counted, Clock: later}); err != nil {
		t.Fatal(err)
	}
	_, err = at.Prune(t.Context(), lock, series.Keep{Days: 1}, later.Now())
	if err := errors.Join(err, lock.Close()); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{filepath.Join(at.String(), "unfinished", "*"), filepath.Join(data, "*.copy-*")} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("the next backup left %v, %v", left, err)
		}
	}
}
