package torture

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// maxKills is how often a migration is killed before one may end.
const maxKills = 6

// TestKilledMigrations kills migrations of a live project at random times, during the download, the load and the
// comparison. The same command must continue each time, and at the end both sides are the same and no download is left.
func TestKilledMigrations(t *testing.T) {
	from := newSite(t)
	live := from.start()
	from.fillExported()
	args := []string{"migrate", "from-firebase", "--project", project, "--endpoint", "firestore=http://" + from.addr}
	timed := newSite(t)
	began := time.Now()
	if out, err := timed.run(append(args, "--data", timed.data)...); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	whole, kills := time.Since(began), 0
	n := 1
	if longRun() {
		n = tries(t)
	}
	for range n {
		to := newSite(t)
		for range maxKills {
			killWithin(to.begin(append(args, "--data", to.data)...), whole)
			kills++
		}
		out, err := to.run(append(args, "--data", to.data)...)
		if err != nil || !strings.Contains(out, "finished") {
			t.Fatalf("a migration after killed ones: %v\n%s", err, out)
		}
		if _, err := os.Stat(filepath.Join(to.data, "firebase-download")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the download is left: %v", err)
		}
		srv := to.start()
		c := newClient(t, to.addr)
		c.connect(t)
		if found, err := c.query(t.Context(), nil, "docs", "", "", 0); err != nil || len(found) != exported {
			t.Errorf("after %d killed migrations there are %d documents, %v, want %d", kills, len(found), err, exported)
		}
		srv.stop()
	}
	live.stop()
}
