package production

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/auth"

	"clave/server/internal/base/clock"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// written is a document, and an account of the same name, with the time before it was written and that after it was
// acknowledged.
type written struct {
	name         string
	begun, acked time.Time
}

// writeSome writes numbered documents and accounts.
func writeSome(t *testing.T, accounts *auth.Client, documents *firestore.Client, from, to int) (all []written) {
	t.Helper()
	for i := from; i < to; i++ {
		w := written{name: fmt.Sprintf("n%03d", i), begun: clock.System().Now()}
		if _, err := documents.Doc("open/"+w.name).Set(t.Context(), map[string]any{"n": i}); err != nil {
			t.Fatal(err)
		}
		if _, err := accounts.CreateUser(t.Context(), (&auth.UserToCreate{}).UID(w.name)); err != nil {
			t.Fatal(err)
		}
		w.acked = clock.System().Now()
		all = append(all, w)
	}
	return all
}

// killed ends a server as a failure of its machine does.
func killed(t *testing.T, p *harness.Production) {
	t.Helper()
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Cmd.Wait() // It reports the signal.
}

// shippedUntil returns the time up to which the log in a folder of backups is complete, by the names of its segments.
func shippedUntil(t *testing.T, backups string) time.Time {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(backups, "log", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return harness.ShippedUntil(t, all)
}

// TestTheLogOutlivesTheMachine writes documents and accounts while the server is killed, and loses its data folder. Its
// state at random times between the writes is restored from the backups and the log: it has all that was acknowledged
// before, and nothing that was begun later.
func TestTheLogOutlivesTheMachine(t *testing.T) {
	harness.Alone(t, "the log of a data folder is shipped")
	dir, backups := harness.ProductionFolder(t), filepath.Join(t.TempDir(), "backups")
	key := harness.CreateKey(t, dir, "backend")
	var all []written
	var begin time.Time
	for phase := range 3 {
		p := harness.Serve(t, dir, true, "--backup-to", backups, "--backup-every", "1h", "--backup-verify", "0")
		if phase == 0 {
			wait.Until(t, "the first backup", func() bool {
				made, err := filepath.Glob(filepath.Join(backups, "backups", "*.json"))
				return err == nil && len(made) == 1
			})
			begin = clock.System().Now()
		}
		accounts, documents := p.Admin(t, key)
		all = append(all, writeSome(t, accounts, documents, 30*phase, 30*phase+30)...)
		if last := all[len(all)-1].acked; phase == 2 {
			wait.Until(t, "the last commits to be shipped", func() bool { return shippedUntil(t, backups).After(last) })
			t.Logf("the last commit was shipped within %v", clock.System().Now().Sub(last))
		}
		killed(t, p)
	}
	if err := os.Rename(filepath.Join(dir, ".clave"), filepath.Join(dir, "lost")); err != nil {
		t.Fatal(err)
	}
	if out, err := harness.Command(t, dir, "backups", "verify", "--from", backups).CombinedOutput(); err != nil || strings.Count(string(out), "complete") != 2 {
		t.Errorf("backups verify: %v\n%s", err, out)
	}
	length := all[len(all)-1].acked.Sub(begin)
	for _, at := range []time.Time{begin.Add(rand.N(length)), begin.Add(rand.N(length)), all[29].acked, all[len(all)-1].acked} {
		wantStateAt(t, dir, backups, key, at, all)
	}
	out, err := harness.Command(t, dir, "backups", "restore", "--from", backups, "--data", filepath.Join(dir, "late"), "--at", "2126-11-27T00:00:00Z").CombinedOutput()
	if _, left := os.Stat(filepath.Join(dir, "late")); err == nil || left == nil || !strings.Contains(string(out), "does not reach") || !strings.Contains(string(out), "up to "+shippedUntil(t, backups).UTC().Format("2006-01-02T15:04:05Z")) {
		t.Errorf("a restore of a time that has not come: %v\n%s", err, out)
	}
}

// wantStateAt restores the state at a time, serves it, and compares it with what was written.
func wantStateAt(t *testing.T, dir, backups string, key []byte, at time.Time, all []written) {
	t.Helper()
	data := filepath.Join(dir, ".clave")
	defer func() { _ = os.RemoveAll(data) }()
	cmd := harness.Command(t, dir, "backups", "restore", "--from", backups, "--data", data, "--at", at.UTC().Format(time.RFC3339Nano))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("restore as of %v: %v\n%s", at, err, out)
	}
	p := harness.Serve(t, dir, true)
	defer p.Stop(t)
	accounts, documents := p.Admin(t, key)
	found := make(map[string]bool)
	docs, err := documents.Collection("open").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		found[d.Ref.ID] = true
	}
	for _, w := range all {
		_, err := accounts.GetUser(t.Context(), w.name)
		if w.acked.Before(at) && (!found[w.name] || err != nil) {
			t.Errorf("the state at %v lacks the document (%t) or the account (%v) of %v", at, !found[w.name], err, w)
		}
		if w.begun.After(at) && (found[w.name] || err == nil) {
			t.Errorf("the state at %v has %v", at, w)
		}
	}
	if names := slices.Sorted(maps.Keys(found)); len(names) > len(all) {
		t.Errorf("the state at %v has %q", at, names)
	}
}
