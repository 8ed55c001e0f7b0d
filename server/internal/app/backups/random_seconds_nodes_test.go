package backups

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/wait"
)

// modelNodes are the nodes of a modelSite, which lead in turn.
type modelNodes struct {
	s    *modelSite
	pg   *pgtest.Server
	url  string
	next int
	// link connects the node that leads with PostgreSQL, and leading is its store.
	link    *link.Link
	leading *postgres.Store
	// noLog is set if the place takes no segments.
	noLog bool
	// killed counts the nodes that were killed.
	killed int
	// late carry out the writes of killed nodes.
	late []func() error
}

// newModelNodes returns nodes of which the first one leads and has made a backup.
func newModelNodes(t *testing.T, seed uint64) *modelNodes {
	t.Helper()
	n := &modelNodes{s: newModelSite(t, seed, clock.System().Now()), pg: pgtest.New(t)}
	n.url, n.s.nodes = n.pg.Database(), n
	n.start()
	n.s.begin()
	return n
}

// start makes the next node lead and ship the log.
func (n *modelNodes) start() {
	s := n.s
	s.t.Helper()
	name := fmt.Sprint("node-", n.next%3)
	n.next++
	s.data = filepath.Join(s.t.TempDir(), name)
	s.place = &mortal{Folder: s.place.Folder, held: make(chan func() error, 1), noLog: n.noLog}
	s.series = series.New(series.Options{Target: s.place, Open: openStore})
	n.link = link.New(s.t, n.pg.Addr())
	at, err := url.Parse(n.url)
	if err != nil {
		s.t.Fatal(err)
	}
	at.Host = n.link.Addr()
	st, err := postgres.Open(s.t.Context(), postgres.Options{
		URL: at.String(), Dir: filepath.Join(s.data, "replica"), Node: name, Retention: time.Millisecond, Derived: derive.IsEntry, Derive: derive.Entries,
		Local: pebble.Options{Scanned: derive.IsEntry, Region: keys.Region, CacheBytes: 8 << 20, MemTableBytes: 1 << 20},
	})
	if err == nil {
		err = st.Lead(s.t.Context())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	n.leading, s.store = st, st
	s.log = changelog.New(changelog.Options{Dir: s.data, Shared: st, Clock: st.Clock()})
	row, err := s.log.Continue(s.t.Context())
	if err == nil {
		err = st.Pass(s.t.Context(), row, s.log)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.serve(st.Clock())
}

// past returns a time of the leader's clock that is after all commits so far, and before the next one.
func (n *modelNodes) past() time.Time {
	now := n.leading.Clock().Now()
	for !n.leading.Clock().Now().After(now.Add(time.Millisecond)) {
	}
	return now.Truncate(time.Microsecond).Add(time.Microsecond)
}

// ship waits until the log is shipped.
func (n *modelNodes) ship() {
	s := n.s
	s.t.Helper()
	s.commit()
	n.pass("the log to be shipped", func() bool {
		st := s.shipper.Status()
		if st.Failures > 0 {
			s.t.Fatalf("the log could not be shipped: %+v", st)
		}
		return st.Waiting == 0
	})
}

// pass advances the clock, each time that the shipper waits, until a condition is met. The clock of a commit may have
// let the shipper go on, so that it does not wait yet.
func (n *modelNodes) pass(what string, met func() bool) {
	s := n.s
	s.t.Helper()
	wait.Until(s.t, what, func() bool {
		if met() {
			return true
		}
		if s.clock.Timers() == 1 {
			s.clock.Advance(shipping.Every)
		}
		return false
	})
}

// kill cuts the node that leads off from PostgreSQL, ends its shipping, each second time from the first on in the
// middle of a segment, and lets another node lead.
func (n *modelNodes) kill() {
	s := n.s
	s.t.Helper()
	s.settle()
	n.killed++
	within := n.killed%2 == 1
	s.place.hold.Store(within)
	s.commit()
	if within {
		n.pass("the writing of a segment", func() bool {
			select {
			case late := <-s.place.held:
				n.late = append(n.late, late)
				return true
			default:
				return false
			}
		})
	}
	n.link.Cut(link.Both)
	s.end()
	was, engine, cut := n.leading, s.engine, n.link
	if err := <-s.ended; err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cut.Heal()
		_ = errors.Join(engine.Close(), was.Close()) // It is not the one that leads.
	})
	n.start()
}

// stop ends the node that leads in an orderly way.
func (n *modelNodes) stop() {
	s := n.s
	s.t.Helper()
	s.end()
	if err := errors.Join(<-s.ended, s.engine.Close(), n.leading.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// TestRandomSecondsOfNodes is TestRandomSeconds for nodes that share PostgreSQL: between the commits, and within the
// writes of segments, another node leads, and no second is lost. What a killed node was writing arrives later.
func TestRandomSecondsOfNodes(t *testing.T) {
	commits, times := 40, 9
	if os.Getenv("CLAVE_TORTURE_ROUNDS") != "" {
		commits, times = 3000, 199
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	n := newModelNodes(t, seed)
	s := n.s
	first, stopped := len(s.model)-1, 0
	s.model[first].at = n.past()
	period := max(30, commits/20)
	for i := range commits {
		s.commit()
		switch i % period {
		case period / 6:
			n.ship()
		case period / 3:
			n.kill()
		case period / 2:
			n.ship()
			for _, late := range n.late {
				if err := late(); err != nil {
					t.Fatal(err)
				}
			}
			n.late = nil
		case period * 2 / 3:
			n.stop()
			n.start()
			stopped++
		case period * 5 / 6:
			s.backup()
		}
	}
	n.ship()
	last := len(s.model) - 1
	for range times {
		s.want(s.model[first+s.random.IntN(last-first)].at)
		if t.Failed() {
			return
		}
	}
	s.want(s.model[last].at)
	if gaps := s.shipper.Status().Gaps; gaps != 0 {
		t.Errorf("%d gaps", gaps)
	}
	all, err := s.series.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.Log.Log != all[0].Log.Log {
			t.Errorf("the backup %s has the log %q, want that of the first", b.Name, b.Log.Log)
		}
	}
	n.stop()
	t.Logf("%d states of %d commits are those of the model, with %d nodes killed and %d stopped", times+1, commits, n.killed, stopped)
}

// TestPostgresIsReset restores PostgreSQL to an earlier state, with a backup of later data but no later segment in the
// place. The log ends, and what the next backup and its log restore is the present state.
func TestPostgresIsReset(t *testing.T) {
	n := newModelNodes(t, 1)
	s := n.s
	n.ship()
	n.stop()
	tables := []string{"clave_log", "clave_state", "clave_applied", "clave_shipped"}
	for _, table := range tables {
		n.pg.Exec(n.url, "create table saved_"+table+" as table "+table)
	}
	earlier := len(s.model)
	n.noLog = true
	n.start()
	s.settle()
	s.commit()
	s.backup()
	n.stop()
	for _, table := range tables {
		n.pg.Exec(n.url, "delete from "+table)
		n.pg.Exec(n.url, "insert into "+table+" select * from saved_"+table)
	}
	s.model = s.model[:earlier]
	n.noLog = false
	n.start()
	s.settle()
	s.commit()
	n.pass("the end of the log", func() bool { id, _ := s.log.ID(); return id == "" })
	if _, why := s.log.ID(); !strings.Contains(why, "which was reset to an earlier state") {
		t.Errorf("the log has ended because %q", why)
	}
	s.backup()
	n.ship()
	s.want(s.model[len(s.model)-1].at)
	n.stop()
}
