package torture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/iterator"

	"clave/server/internal/base/clock"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/program"
	"clave/server/test/kit/wait"
)

// mostLost is the recovery point that operations.md states: of the last commits, those of less than this time are lost
// with the machine.
const mostLost = 10 * time.Second

// The load of TestRecoveryPoint: clients that commit documents, one more that creates accounts, and the lengths of the
// texts of two kinds of commits. Large ones fill segments before their time, small ones wait for it.
const (
	recoveryClients = 4
	largeText       = 32 << 10
	smallText       = 100
)

// recovery is a server that is killed under load, and restored at the time up to which it has shipped its log.
type recovery struct {
	t                     *testing.T
	dir, backups, metrics string
	key                   []byte
	server                *harness.Production
	accounts              *auth.Client
	documents             *firestore.Client
	// killed is set before the server is killed, from when on commits may fail.
	killed atomic.Bool
	// shipped is the time of the metric, age its age at the kill, and behind the greatest one under load.
	shipped     time.Time
	age, behind time.Duration
	// histories are the commits of the clients, and those of accounts last.
	histories [recoveryClients + 1]commits
}

// commits are the times of the numbered commits of a client, from 1 on: before each was sent, and after it was
// acknowledged. acked is shorter by one while the outcome of the last one is unknown.
type commits struct{ begun, acked []time.Time }

// acknowledged returns the number of commits that were acknowledged at a time, and possible that of those that were
// sent.
func (c *commits) acknowledged(at time.Time) (n, possible int) {
	until := func(times []time.Time) int {
		i := slices.IndexFunc(times, func(t time.Time) bool { return t.After(at) })
		if i < 0 {
			return len(times)
		}
		return i
	}
	return until(c.acked), until(c.begun)
}

// keep forgets the commits after the first n, which were lost.
func (c *commits) keep(n int, until time.Time) {
	if len(c.acked) < n { // Its outcome was unknown.
		c.acked = append(c.acked, until)
	}
	c.begun, c.acked = c.begun[:n], c.acked[:n]
}

// TestRecoveryPoint kills the server while clients commit, and throws its data folder away. Before, the metric of the
// shipped log must never be older than the stated recovery point. The state at the time of the metric is restored: it
// must have each commit that was acknowledged until then, none that was sent later, and none without those before it.
// Rounds continue with what was restored.
func TestRecoveryPoint(t *testing.T) {
	harness.Alone(t, "the log of a data folder is shipped")
	r := &recovery{t: t, dir: harness.ProductionFolder(t), backups: filepath.Join(t.TempDir(), "backups")}
	r.key = harness.CreateKey(t, r.dir, "backend")
	n := 1
	if longRun() {
		n = rounds(t)
	}
	for round := range n {
		text, latest := largeText, 300*time.Millisecond
		if round%2 == 1 {
			text, latest = smallText, 6*time.Second
		}
		r.serve()
		r.load(text, rand.N(latest))
		t.Logf("round %d: killed %v after the time of the metric, which was at most %v behind", round+1, r.age, r.behind)
		r.restore()
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("the time of the metric was at most %v behind under load", r.behind)
}

// serve starts the server, and waits for a backup that begins a log.
func (r *recovery) serve() {
	r.t.Helper()
	before := r.made()
	address := fmt.Sprintf("127.0.0.1:%d", program.FreePorts(r.t, 1)[0])
	r.metrics = "http://" + address + "/metrics"
	r.server = harness.Serve(r.t, r.dir, true, "--metrics", address, "--backup-to", r.backups, "--backup-every", "1h", "--backup-verify", "0")
	r.accounts, r.documents = r.server.Admin(r.t, r.key)
	r.killed.Store(false)
	wait.Until(r.t, "a backup", func() bool { return r.made() > before })
}

// made returns the number of backups.
func (r *recovery) made() int {
	r.t.Helper()
	all, err := filepath.Glob(filepath.Join(r.backups, "backups", "*.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	return len(all)
}

// load lets clients commit until two segments were shipped and a time has passed, and kills the server.
func (r *recovery) load(text int, more time.Duration) {
	r.t.Helper()
	ctx, stop := context.WithTimeout(r.t.Context(), timeLimit)
	defer stop()
	var running sync.WaitGroup
	for i := range r.histories {
		running.Go(func() { r.client(ctx, i, text) })
	}
	r.shipped = time.Time{}
	began, segments := clock.System().Now(), 0
	for end := began; (segments < 2 || clock.System().Now().Before(end)) && ctx.Err() == nil && !r.t.Failed(); {
		last := r.shipped
		r.sample(began)
		if r.shipped.After(last) && r.shipped.After(began) {
			if segments++; segments == 2 {
				end = clock.System().Now().Add(more)
			}
		}
		_ = clock.Sleep(ctx, clock.System(), 10*time.Millisecond) // the time between two samples
	}
	r.killed.Store(true)
	if err := r.server.Cmd.Process.Kill(); err != nil {
		r.t.Fatal(err)
	}
	r.age = clock.System().Now().Sub(r.shipped)
	_ = r.server.Cmd.Wait() // It reports the signal.
	stop()                  // The SDK would try again.
	running.Wait()
	if segments < 2 {
		r.t.Fatalf("%d segments were shipped", segments)
	}
}

// sample reads the metric under a load that has begun at a time.
func (r *recovery) sample(began time.Time) {
	r.t.Helper()
	now := clock.System().Now()
	r.shipped = time.UnixMicro(int64(math.Round(1e6 * metricsOf(r.t, r.metrics)["clave_backup_log_timestamp_seconds"]))).UTC()
	since := r.shipped
	if since.Before(began) { // What was committed before is shipped, or nothing was.
		since = began
	}
	r.behind = max(r.behind, now.Sub(since))
	if age := now.Sub(since); age > mostLost {
		r.t.Errorf("under load the shipped log is %v behind, more than %v", age, mostLost)
	}
}

// client commits until the server is killed: a numbered document, together with one that has the same number and a
// text, or an account.
func (r *recovery) client(ctx context.Context, i, text int) {
	c := &r.histories[i]
	for n := len(c.begun) + 1; ctx.Err() == nil; n++ {
		c.begun = append(c.begun, clock.System().Now())
		var err error
		if i < recoveryClients {
			err = r.documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
				if err := tx.Create(r.documents.Doc(fmt.Sprintf("entries/%d-%06d", i, n)), map[string]any{"client": i, "n": n}); err != nil {
					return err
				}
				return tx.Set(r.documents.Doc(fmt.Sprintf("clients/%d", i)), map[string]any{"n": n, "text": strings.Repeat("x", text)})
			}, firestore.MaxAttempts(1))
		} else {
			_, err = r.accounts.CreateUser(ctx, (&auth.UserToCreate{}).UID(fmt.Sprintf("user-%06d", n)))
		}
		if r.killed.Load() {
			return // An answer that has come after the kill was sent before it, but its time is not known.
		}
		if err != nil {
			r.t.Errorf("commit %d of client %d: %v", n, i, err)
			return
		}
		c.acked = append(c.acked, clock.System().Now())
	}
}

// restore throws the data folder away, restores the state at the time of the metric, and compares it with the commits.
func (r *recovery) restore() {
	r.t.Helper()
	data := filepath.Join(r.dir, ".clave")
	if err := os.RemoveAll(data); err != nil {
		r.t.Fatal(err)
	}
	out, err := harness.Command(r.t, r.dir, "backups", "restore", "--from", r.backups, "--data", data, "--at", r.shipped.Format(time.RFC3339Nano)).CombinedOutput()
	if err != nil {
		r.t.Fatalf("restore as of %v: %v\n%s", r.shipped, err, out)
	}
	r.server = harness.Serve(r.t, r.dir, true)
	defer r.server.Stop(r.t)
	r.accounts, r.documents = r.server.Admin(r.t, r.key)
	found := r.found()
	for i := range r.histories {
		acked, possible := r.histories[i].acknowledged(r.shipped)
		n := len(found[i])
		if n < acked || n > possible {
			r.t.Errorf("the state at %v has %d commits of client %d, of which %d were acknowledged until then and %d sent", r.shipped, n, i, acked, possible)
		}
		slices.Sort(found[i])
		for k, is := range found[i] {
			if is != int64(k+1) {
				r.t.Fatalf("the state at %v has commit %d of client %d, but not %d", r.shipped, is, i, k+1)
			}
		}
		r.histories[i].keep(n, clock.System().Now())
	}
}

// found returns the numbers of the commits of each client that the server has.
func (r *recovery) found() (numbers [recoveryClients + 1][]int64) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), timeLimit)
	defer cancel()
	entries, err := r.documents.Collection("entries").Documents(ctx).GetAll()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range entries {
		i, n := d.Data()["client"].(int64), d.Data()["n"].(int64)
		numbers[i] = append(numbers[i], n)
	}
	last, err := r.documents.Collection("clients").Documents(ctx).GetAll()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range last {
		var i int
		if _, err := fmt.Sscan(d.Ref.ID, &i); err != nil || d.Data()["n"] != int64(len(numbers[i])) {
			r.t.Errorf("the document of client %s is of commit %v, beside %d documents of one commit each (%v)", d.Ref.ID, d.Data()["n"], len(numbers[i]), err)
		}
	}
	for all := r.accounts.Users(ctx, ""); ; {
		u, err := all.Next()
		if errors.Is(err, iterator.Done) {
			return numbers
		}
		var n int64
		if err == nil {
			_, err = fmt.Sscanf(u.UID, "user-%d", &n)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		numbers[recoveryClients] = append(numbers[recoveryClients], n)
	}
}
