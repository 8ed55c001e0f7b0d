package series_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/bucketserver"
)

// writerVariable is the environment variable with the folder of the data of which a process of this test program makes
// backups, and endpointVariable that with the server of the bucket for them; without it they are in a folder.
const (
	writerVariable   = "CLAVE_TEST_BACKUP_WRITER"
	endpointVariable = "CLAVE_TEST_BACKUP_ENDPOINT"
)

// writeUntilKilled writes numbered values to a store, ships its log and makes backups of it, one after the other, until
// it is killed. It prints a line before each.
func writeUntilKilled(dir string) {
	if err := write(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

// write is writeUntilKilled until the first error.
func write(ctx context.Context, dir string) error {
	data := filepath.Join(dir, "data")
	at, err := writersSeries(dir)
	if err != nil {
		return err
	}
	lock, err := at.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	all, err := at.List(ctx)
	if err != nil {
		return err
	}
	now := clocktest.NewManual(clock.System().Now())
	if newest, ok := series.Newest(all); ok {
		now = clocktest.NewManual(newest.Time.Add(time.Hour)) // after all that the last process has shipped
	}
	log := changelog.New(changelog.Options{Dir: data, Clock: now})
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{MemTableBytes: 256 << 10, Recorder: log})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	log.Resume(ctx, s)
	shipper := shipping.New(shipping.Options{Series: at, Log: log, Store: s, ID: "a", Clock: now, Logger: slog.New(slog.DiscardHandler)})
	go func() { _ = shipper.Run(ctx) }() // until the process is killed
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
		now.Advance(2 * shipping.Every) // to the next backup's name and the next segment
		if err := shipper.Prepare(ctx); err != nil {
			if !passing(err) {
				return err
			}
			continue
		}
		r := series.Request{Source: s, Data: data, ID: "a", Inventory: counted, Log: shipper, Clock: now}
		if _, _, err := at.Make(ctx, lock, r); err != nil {
			if !passing(err) {
				return err
			}
			continue
		}
		if _, err := at.Prune(ctx, lock, series.Keep{Days: 1}, now.Now().Add(48*3600*second)); err != nil && !passing(err) {
			return err
		}
	}
}

// passing reports whether an error is one of those with which the server of the bucket answers now and then.
func passing(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.ResourceExhausted)
}

// writersSeries returns the backups that a process makes.
func writersSeries(dir string) (*series.Series, error) {
	endpoint := os.Getenv(endpointVariable)
	if endpoint == "" {
		return series.New(series.Options{Target: target.Folder{Dir: filepath.Join(dir, "backups")}, Open: openStore}), nil
	}
	b, err := faultless(&bucketserver.Server{URL: endpoint})
	return series.New(series.Options{Target: b, Open: openStore}), err
}

// second is the time between two backups.
const second = time.Second

// valueOf returns the value with a number.
func valueOf(n int) string { return strings.Repeat(fmt.Sprint(n, " "), 1000) }

// numbered returns the key with a number.
func numbered(n int) []byte { return fmt.Appendf(nil, "k%09d", n) }

// count returns the number of keys, which have all numbers below it.
func count(s store.Reader) (int, error) {
	it := s.Scan(store.Range{From: []byte("k"), To: []byte("l")}) // without the mark of the log
	n := 0
	for ; it.Next(); n++ {
		if value, err := it.Value(); err != nil || string(it.Key()) != string(numbered(n)) || string(value) != valueOf(n) {
			return n, errors.Join(fmt.Errorf("the value of %q is not that of %q", it.Key(), numbered(n)), err, it.Close())
		}
	}
	return n, errors.Join(it.Err(), it.Close())
}

// killedRounds returns the number of kills: 100 at each place if make torture runs the test.
func killedRounds(short int) int {
	if os.Getenv("CLAVE_TORTURE_ROUNDS") != "" {
		return 100
	}
	return short
}

// TestKilledBackups kills a process at random moments of its backups and of the shipping of its log. Every listed
// backup must be complete, its store must hold the values of one moment, the log must continue it, and the next backup
// must remove what was left.
func TestKilledBackups(t *testing.T) {
	at := series.New(series.Options{Target: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}, Open: openStore})
	dir := filepath.Dir(at.String())
	killRounds(t, dir, at, killedRounds(5), func() error { return nil })
	wantNothingLeft(t, dir, at)
}

// TestKilledBackupsToABucket is TestKilledBackups with buckets of two servers, which at random end connections, refuse
// requests, have no space, or can't be reached for a while.
func TestKilledBackupsToABucket(t *testing.T) {
	for _, name := range []string{"gofakes3", "versitygw"} {
		t.Run(name, func(t *testing.T) {
			p := places[name](t)
			t.Setenv(endpointVariable, p.server.URL)
			p.server.Intercept(disturbed())
			b, err := faultless(p.server)
			if err != nil {
				t.Fatal(err)
			}
			dir, at := t.TempDir(), series.New(series.Options{Target: b, Open: openStore})
			killRounds(t, dir, at, killedRounds(3), func() error {
				// or the next process waits for a minute
				return b.Remove(t.Context(), string(target.Backups)+".json", string(target.Log)+".json")
			})
			p.server.Intercept(nil)
			wantNothingLeft(t, dir, at)
		})
	}
}

// disturbed answers some requests with the faults of servers and networks. Requests for the locks have none.
func disturbed() func(w http.ResponseWriter, r *http.Request) bool {
	var cut atomic.Int64 // how many requests find no network from now on
	return func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, ".lock.json") {
			return false
		}
		if cut.Add(-1) >= 0 {
			panic(http.ErrAbortHandler)
		}
		switch rand.IntN(120) {
		case 0, 1, 2, 3:
			panic(http.ErrAbortHandler)
		case 4, 5, 6, 7:
			bucketserver.Refuse(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		case 8:
			if r.Method == http.MethodPut {
				bucketserver.Refuse(w, http.StatusInsufficientStorage, "XMinioStorageFull")
				return true
			}
		case 9:
			cut.Store(4)
		}
		return false
	}
}

// faultless returns the bucket of a server with enough attempts for random faults.
func faultless(s *bucketserver.Server) (target.Target, error) {
	o := bucketOptions(s)
	o.Retries = 12
	return bucket.New(o)
}

// killRounds makes backups of data in a folder in processes that are killed, and checks those that are listed. unlock
// removes the lock of a killed process.
func killRounds(t *testing.T, dir string, at *series.Series, rounds int, unlock func() error) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	listed, shipped := 0, 0
	for range rounds {
		killWriter(t, dir)
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		listed += checkListed(t, at)
		shipped += checkShipped(t, at)
	}
	if rounds > 20 && (listed == 0 || shipped == 0) { // A few kills may all come before the first backup is complete.
		t.Errorf("%d backups were complete before a kill, and %d were continued by the log", listed, shipped)
	}
	t.Logf("%d backups were listed after %d kills, and %d restored to the end of the log", listed, rounds, shipped)
}

// killWriter runs a process that makes backups, and kills it at a random moment.
func killWriter(t *testing.T, dir string) {
	t.Helper()
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

// openStore opens the store in a folder.
func openStore(folder string) (series.Store, error) {
	s, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// checkShipped restores the newest backup with the whole log that continues it, if any, and returns the number of
// restored backups.
func checkShipped(t *testing.T, at *series.Series) int {
	t.Helper()
	all, err := at.List(t.Context())
	if err != nil && !fault.Is(err, fault.NotFound) {
		t.Fatal(err)
	}
	newest, ok := series.Newest(all)
	if !ok {
		return 0
	}
	until, err := at.CheckLog(t.Context(), newest, series.Place{})
	if err != nil {
		t.Errorf("the log that continues %s is damaged: %v", newest.Name, err)
	}
	if until.Before(newest.Log.Time()) { // Nothing was shipped after the backup.
		return 0
	}
	n, before := 0, 0
	counts := func(folder string) error {
		s, err := pebble.Open(folder, pebble.Options{})
		if err != nil {
			return err
		}
		n, err = count(s)
		return errors.Join(err, s.Close())
	}
	err = at.RestoreAt(t.Context(), newest, until, filepath.Join(t.TempDir(), "at"), series.RestoreAtOptions{
		Prepare: func(folder string, _ json.RawMessage) error { err := counts(folder); before = n; return err },
		Verify:  counts,
	})
	if err != nil || n%20 != 0 || n < before {
		t.Errorf("%s, restored to %v, has %d values, and %d before, %v; want those of whole batches", newest.Name, until, n, before, err)
	}
	return 1
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
	for _, pattern := range []string{filepath.Join(dir, "backups", "unfinished", "*"), filepath.Join(data, "*.copy-*")} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("the next backup left %v, %v", left, err)
		}
	}
}
