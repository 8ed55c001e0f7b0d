package series_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
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
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/bucketserver"
)

// writerVariable is the environment variable with the folder of the data of which a process of this test program makes
// backups, and endpointVariable that with the server of the bucket for them; without it they are in a folder.
const (
	writerVariable   = "CLAVE_TEST_BACKUP_WRITER"
	endpointVariable = "CLAVE_TEST_BACKUP_ENDPOINT"
)

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
			if !fault.Is(err, fault.Unavailable) {
				return err
			}
			continue // The server of the bucket refuses now and then.
		}
		if _, err := at.Prune(ctx, lock, series.Keep{Days: 1}, time.Now().Add(48*3600*second)); err != nil && !fault.Is(err, fault.Unavailable) {
			return err
		}
	}
}

// writersSeries returns the backups that a process makes.
func writersSeries(dir string) (*series.Series, error) {
	endpoint := os.Getenv(endpointVariable)
	if endpoint == "" {
		return series.New(series.Options{Target: target.Folder{Dir: filepath.Join(dir, "backups")}}), nil
	}
	b, err := faultless(&bucketserver.Server{URL: endpoint})
	return series.New(series.Options{Target: b}), err
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
	at := series.New(series.Options{Target: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}})
	killRounds(t, filepath.Dir(at.String()), at, 6, func() error { return nil })
}

// TestKilledBackupsToABucket is TestKilledBackups with a bucket whose server ends connections and refuses requests at
// random.
func TestKilledBackupsToABucket(t *testing.T) {
	p := places["gofakes3"](t)
	t.Setenv(endpointVariable, p.server.URL)
	p.server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "series.lock.json") {
			return false
		}
		switch rand.IntN(30) {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			bucketserver.Refuse(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		}
		return false
	})
	b, err := faultless(p.server)
	if err != nil {
		t.Fatal(err)
	}
	killRounds(t, t.TempDir(), series.New(series.Options{Target: b}), 4, func() error {
		return b.Remove(t.Context(), "series.lock.json") // or the next process waits for a minute
	})
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
	if os.Getenv("CLAVE_TORTURE_ROUNDS") != "" {
		rounds = 200
	}
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	listed := 0
	for range rounds {
		killWriter(t, dir)
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		listed += checkListed(t, at)
	}
	if listed == 0 {
		t.Error("no backup was complete before a kill")
	}
	t.Logf("%d backups were listed after %d kills", listed, rounds)
	wantNothingLeft(t, dir, at)
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
