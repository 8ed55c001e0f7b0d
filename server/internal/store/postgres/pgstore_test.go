package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/internal/store/storetest"
	"clave/server/test/kit/wait"
)

// timeLimit is the time limit of each wait.
const timeLimit = time.Minute

// small holds options for small replicas.
var small = pebble.Options{CacheBytes: 8 << 20, MemTableBytes: 1 << 20}

// openOnly opens a store that does not lead.
func openOnly(t *testing.T, o postgres.Options) *postgres.Store {
	t.Helper()
	o.Local = small
	if o.Node == "" {
		o.Node = "node"
	}
	s, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return s
}

// lead opens a store that leads.
func lead(t *testing.T, o postgres.Options) *postgres.Store {
	t.Helper()
	s := openOnly(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	if err := s.Lead(ctx); err != nil {
		t.Fatalf("Lead = %v", err)
	}
	return s
}

// set sets a key.
func set(t *testing.T, s store.Store, key, value string) {
	t.Helper()
	var b store.Batch
	b.Set([]byte(key), []byte(value))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatalf("set %s = %v", key, err)
	}
}

// wantAll checks all keys and values.
func wantAll(t *testing.T, s store.Store, want string) {
	t.Helper()
	var got []string
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(it.Key())+"="+string(v))
	}
	if err := it.Err(); err != nil || strings.Join(got, " ") != want {
		t.Errorf("the store has %q (%v), want %q", strings.Join(got, " "), err, want)
	}
}

// TestNodes runs the tests that share one PostgreSQL and do not restart it.
func TestNodes(t *testing.T) {
	pg := pgtest.New(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *pgtest.Server)
	}{
		{"store", testStore},
		{"replicas", testReplicas},
		{"one leads", testOneLeads},
		{"an empty database is filled", testFill},
		{"a key is changed without a replica", testAlone},
		{"a start waits for a slow database", testStartsBehindALock},
		{"a stop waits for a slow database", testStopsBehindALock},
		{"an old leader is fenced", testAnOldLeaderIsFenced},
		{"hand-overs don't move the clock", testHandOversDontMoveTheClock},
		{"a full disk hands over", testAFullDiskHandsOver},
		{"mistakes are named without secrets", testMistakesAreNamedWithoutSecrets},
		{"servers of other versions are refused", testServersOfOtherVersions},
		{"a late replica is built again", testALateReplicaIsBuiltAgain},
		{"a damaged replica is built again", testADamagedReplicaIsBuiltAgain},
		{"leases for reading", testLeasesForReading},
		{"broken connections are replaced", testBrokenConnectionsAreReplaced},
		{"writes end within the timeout", testWritesEndWithinTheTimeout},
		{"a replica is read", testAReplicaIsRead},
		{"a replica without contact is not read", testAReplicaWithoutContact},
		{"a replica that is read is not built again", testAReadReplicaIsNotBuiltAgain},
		{"a replica rests while it is built again", testAReplicaRestsWhileItIsBuiltAgain},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, pg) })
	}
}

// testStore runs the suite of all stores.
func testStore(t *testing.T, pg *pgtest.Server) {
	storetest.Run(t, func(t *testing.T) store.Store { return lead(t, postgres.Options{URL: pg.Database()}) })
}

// testReplicas restarts a node on its folder, on an empty one, and on an empty one after the log was dropped.
func testReplicas(t *testing.T, pg *pgtest.Server) {
	url, dir := pg.Database(), t.TempDir()
	folder := func(i int) string { return filepath.Join(dir, fmt.Sprint(i)) }
	derived := func(key []byte) bool { return key[0] == 'i' }
	derive := func(ctx context.Context, s store.Store) error {
		var b store.Batch
		b.Set([]byte("i"), []byte("made"))
		return s.Apply(ctx, &b)
	}
	o := postgres.Options{URL: url, Dir: folder(0), Derived: derived, Derive: derive, Retention: time.Millisecond}
	s := lead(t, o)
	wantAll(t, s, "i=made")
	for i := range 10 {
		set(t, s, fmt.Sprint(i), "x")
	}
	var b store.Batch
	b.DeleteRange([]byte("2"), []byte("5"))
	b.Set([]byte("3"), []byte("again"))
	b.Set([]byte("i"), []byte("written"))
	b.Delete([]byte("9"))
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	set(t, s, "empty", "")
	const want, others = "0=x 1=x 3=again 5=x 6=x 7=x 8=x empty= ", "i="
	wantAll(t, s, want+others+"written")
	wait.Until(t, "the state is written and the log dropped", func() bool {
		return pg.Number(url, "select seq from clave_applied") == 12 && pg.Number(url, "select count(*) from clave_log") == 1
	})
	set(t, s, "tail", "y")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for i, made := range []string{"written", "made"} {
		o.Dir = folder(i)
		s := lead(t, o)
		wantAll(t, s, want+others+made+" tail=y")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if keys := pg.Number(url, "select count(*) from clave_state where key = 'i'"); keys != 0 {
		t.Errorf("the state has %d derived keys", keys)
	}
	o.URL, o.Dir = pg.Database(), folder(0) // another cluster
	wantAll(t, lead(t, o), "i=made")
}

// testOneLeads opens two nodes. The second leads immediately after the first is closed, and has all data.
func testOneLeads(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	if _, err := postgres.ReadStatus(t.Context(), url); !fault.Is(err, fault.NotFound) {
		t.Errorf("ReadStatus of a new database = %v, want NotFound", err)
	}
	first := lead(t, postgres.Options{URL: url, Node: "first"})
	waiting := make(chan string, 1)
	second := openOnly(t, postgres.Options{URL: url, Node: "second", Waiting: func(leader string) { waiting <- leader }})
	led := make(chan error, 1)
	go func() { led <- second.Lead(t.Context()) }()
	if leader := <-waiting; leader != "first" {
		t.Errorf("the second waits for %q, want first", leader)
	}
	if _, _, err := second.Get([]byte("a")); !errors.Is(err, store.ErrMoved) || fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Get at a follower = %v, want an ErrMoved that is Unavailable", err)
	}
	if err := second.Apply(t.Context(), &store.Batch{Ops: []store.Op{{Key: []byte("a")}}}); !errors.Is(err, store.ErrMoved) {
		t.Errorf("Apply at a follower = %v, want ErrMoved", err)
	}
	third := openOnly(t, postgres.Options{URL: url, Node: "third"})
	if err := third.TryLead(t.Context()); err == nil || !strings.Contains(err.Error(), "node first is serving") {
		t.Errorf("TryLead beside a leader = %v, want that the node first is serving", err)
	}
	set(t, first, "a", "1")
	st, err := postgres.ReadStatus(t.Context(), url)
	if err != nil || st.Leader != "first" || !st.Held || st.Epoch != 1 || st.Log != 1 || len(st.Nodes) == 0 {
		t.Errorf("status = %+v, %v", st, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-led; err != nil {
		t.Fatalf("Lead = %v", err)
	}
	wantAll(t, second, "a=1")
	set(t, second, "b", "2")
	// A node that stops removes its row. These are of killed nodes: one led, and one followed.
	pg.Exec(url, `insert into clave_node (node, address, role, seq, seen, inner_address) values
		('killed', '', 'leader', 1, clock_timestamp() - interval '1 second', ''), ('lost', '', 'follower', 1, clock_timestamp() - interval '20 seconds', '')`)
	const want = "killed absent, lost absent, second leader"
	if st, err = postgres.ReadStatus(t.Context(), url); err != nil || roles(st) != want {
		t.Errorf("the status has %s, %v; want %s", roles(st), err, want)
	}
}

// roles returns the nodes of a status with their roles.
func roles(st *postgres.Status) string {
	var out []string
	for _, n := range st.Nodes {
		out = append(out, n.Name+" "+n.Role)
	}
	return strings.Join(out, ", ")
}

// testHandOversDontMoveTheClock stops leaders one after the other without a failure. The clock of the last one is
// correct, and its first version is later than all others.
func testHandOversDontMoveTheClock(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	last := clock.Version(0)
	for i := range 3 {
		s := lead(t, postgres.Options{URL: url, Node: fmt.Sprint(i)})
		given := clock.NewVersions(s.Clock(), 0)
		first := given.Next()
		if first <= last {
			t.Errorf("leader %d begins with %d, want more than %d, which the one before has given", i, first, last)
		}
		if ahead := s.Clock().Now().Sub(clock.System().Now()); ahead > time.Second {
			t.Errorf("the clock of leader %d is %v ahead", i, ahead)
		}
		last = given.Next()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// limited is a file system that reports a given amount of free space.
type limited struct {
	vfs.FS
	full atomic.Bool
}

// GetDiskUsage implements vfs.FS.
func (l *limited) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	usage, err := l.FS.GetDiskUsage(path)
	if l.full.Load() {
		usage.AvailBytes = 0
	}
	return usage, err
}

// testAFullDiskHandsOver fills the disk of a leader. It refuses writes while it is the only node or the other node's
// disk is full as well, and hands over if the other node has space.
func testAFullDiskHandsOver(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	disks := []*limited{{FS: vfs.Default}, {FS: vfs.Default}}
	open := func(i int) *postgres.Store {
		o := postgres.Options{URL: url, Node: fmt.Sprint(i), Dir: filepath.Join(t.TempDir(), "replica"), Lease: 4 * time.Second, Local: small}
		o.Local.FS = disks[i]
		s, err := postgres.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	write := func(s *postgres.Store) error {
		var b store.Batch
		b.Set([]byte("a"), []byte("1"))
		return s.Apply(t.Context(), &b)
	}
	first := open(0)
	if err := first.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := write(first); err != nil {
		t.Fatal(err)
	}
	second, led := open(1), make(chan error, 1)
	disks[0].full.Store(true)
	disks[1].full.Store(true)
	go func() { led <- second.Lead(t.Context()) }()
	wait.Until(t, "the second reports its disk", func() bool {
		return pg.Number(url, "select count(*) from clave_node where role = 'disk full'") == 1
	})
	renewed := pg.Number(url, "select (extract(epoch from until) * 1000)::bigint from clave_lease")
	wait.Until(t, "the lease is renewed", func() bool {
		return pg.Number(url, "select (extract(epoch from until) * 1000)::bigint from clave_lease") > renewed+500
	})
	if err := write(first); !errors.Is(err, store.ErrFull) {
		t.Errorf("Apply on a full disk where no node has space = %v, want ErrFull", err)
	}
	disks[1].full.Store(false)
	wait.Until(t, "the leader hands over", func() bool {
		err := write(first)
		if !errors.Is(err, store.ErrFull) && (!errors.Is(err, store.ErrMoved) || !fault.Is(err, fault.Unavailable)) {
			t.Fatalf("Apply on a full disk = %v, want ErrFull, or an ErrMoved that is Unavailable", err)
		}
		return errors.Is(err, store.ErrMoved)
	})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-led; err != nil {
		t.Fatalf("Lead of the node that has space = %v", err)
	}
	wantAll(t, second, "a=1")
	if err := write(second); err != nil {
		t.Errorf("Apply at the node that has space = %v", err)
	}
}

// shifted is a clock that is wrong.
type shifted struct {
	clock.Clock
	by time.Duration
}

// Now implements clock.Clock.
func (s shifted) Now() time.Time { return s.Clock.Now().Add(s.by) }

// testAnOldLeaderIsFenced moves the lease under load to a node whose clock is wrong.
func testAnOldLeaderIsFenced(t *testing.T, pg *pgtest.Server) {
	for _, by := range []time.Duration{-5 * time.Second, 5 * time.Second} {
		url := pg.Database()
		first := lead(t, postgres.Options{URL: url, Node: "first", Clock: shifted{clock.System(), -by}})
		set(t, first, "a", "1")
		given := clock.NewVersions(first.Clock(), 0)
		given.Next()
		second := openOnly(t, postgres.Options{URL: url, Node: "second", Clock: shifted{clock.System(), by}})
		led := make(chan error, 1)
		go func() { led <- second.Lead(t.Context()) }()
		wait.Until(t, "the second node leads", func() bool {
			// The first node may renew its lease before the second one takes it.
			pg.Exec(url, "update clave_lease set until = clock_timestamp() - interval '1 second' where node = 'first'")
			select {
			case err := <-led:
				if err != nil {
					t.Fatalf("Lead = %v", err)
				}
				return true
			default:
				return false
			}
		})
		last := given.Next()
		if now := clock.VersionOf(second.Clock().Now()); now <= last {
			t.Errorf("the new leader's clock (%v) shows %d, want more than %d, which the old one has given", by, now, last)
		}
		var b store.Batch
		b.Set([]byte("a"), []byte("stale"))
		if err := first.Apply(t.Context(), &b); !errors.Is(err, store.ErrMoved) || fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("Apply by an old leader = %v, want an ErrMoved that is Unavailable", err)
		}
		if err := first.Held(); !errors.Is(err, store.ErrMoved) {
			t.Errorf("Held of an old leader = %v, want ErrMoved", err)
		}
		if err := first.Run(t.Context()); !errors.Is(err, store.ErrMoved) {
			t.Errorf("Run of an old leader = %v, want ErrMoved", err)
		}
		wantAll(t, second, "a=1")
	}
}

// TestPostgreSQLRestarts kills PostgreSQL several times while batches are written. Each batch must succeed exactly
// once.
func TestPostgreSQLRestarts(t *testing.T) {
	pg := pgtest.New(t)
	url := pg.Database()
	s := lead(t, postgres.Options{URL: url, Dir: t.TempDir(), Timeout: timeLimit})
	ctx, stop := context.WithCancel(t.Context())
	const writers = 8
	acknowledged := make([]int, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 1; ctx.Err() == nil; i++ {
				var b store.Batch
				b.Set(fmt.Appendf(nil, "w%d-%06d", w, i), nil)
				if err := s.Apply(t.Context(), &b); err != nil {
					t.Errorf("Apply under a restart = %v", err)
					return
				}
				acknowledged[w] = i
			}
		})
	}
	for _, how := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGINT, syscall.SIGQUIT} {
		rows := pg.Number(url, "select max(seq) from clave_log")
		wait.Until(t, "writes go on", func() bool { return pg.Number(url, "select max(seq) from clave_log") > rows+20 })
		pg.Stop(how)
		pg.Start()
	}
	stop()
	wg.Wait()
	wait.Until(t, "the lease is renewed", func() bool { return s.Held() == nil })
	copied := lead(t, postgres.Options{URL: url}) // has the same name, so it takes over the lease
	for w, last := range acknowledged {
		it := copied.Scan(store.Prefix(fmt.Appendf(nil, "w%d-", w)))
		n := 0
		for ; it.Next(); n++ {
			if want := fmt.Sprintf("w%d-%06d", w, n+1); string(it.Key()) != want {
				t.Fatalf("writer %d: found %s, want %s", w, it.Key(), want)
			}
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil || n != last {
			t.Errorf("writer %d: %d keys (%v), acknowledged were %d", w, n, err, last)
		}
	}
}

// TestALeaderStepsDown makes PostgreSQL unreachable for longer than a leader waits.
func TestALeaderStepsDown(t *testing.T) {
	pg := pgtest.New(t)
	s := lead(t, postgres.Options{URL: pg.Database(), Lease: time.Second, Timeout: time.Second})
	pg.Stop(syscall.SIGQUIT)
	wait.Until(t, "reads are refused", func() bool { _, _, err := s.Get([]byte("a")); return fault.Is(err, fault.Unavailable) })
	var b store.Batch
	b.Set([]byte("a"), nil)
	if err := s.Apply(t.Context(), &b); !errors.Is(err, store.ErrMoved) || !fault.Is(err, fault.Unavailable) {
		t.Errorf("Apply without PostgreSQL = %v, want an ErrMoved that is Unavailable", err)
	}
	if err := s.Run(t.Context()); !errors.Is(err, store.ErrMoved) {
		t.Errorf("Run = %v, want ErrMoved", err)
	}
	pg.Start()
}

// testMistakesAreNamedWithoutSecrets opens stores with wrong URLs.
func testMistakesAreNamedWithoutSecrets(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	for _, tt := range []struct{ name, url, want string }{
		{"no URL", "postgres://clave:hunter2@[::1", "not a URL of PostgreSQL"},
		{"wrong password", strings.Replace(url, pg.Password(), "hunter2", 1), "refuses the user or the password"},
		{"no server", "postgres://clave:hunter2@127.0.0.1:1/d", "does not respond"},
		{"no database", strings.Replace(pg.URL("hunter3"), pg.Password(), pg.Password(), 1), "does not exist"},
	} {
		var log bytes.Buffer
		_, err := postgres.Open(t.Context(), postgres.Options{URL: tt.url, Node: "n", Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Open = %v, want %q", tt.name, err, tt.want)
			continue
		}
		if said := fmt.Sprintf("%v %+v %s", err, err, log.String()); strings.Contains(said, "hunter2") || strings.Contains(said, pg.Password()) {
			t.Errorf("%s: the password is in %q", tt.name, said)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := postgres.Open(stopped, postgres.Options{URL: url, Node: "n"}); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), pg.Password()) {
		t.Errorf("Open of a program that is stopped = %v, want context.Canceled", err)
	}
	pg.Exec(url, "alter database "+url[strings.LastIndex(url, "/")+1:strings.Index(url, "?")]+" set synchronous_commit = off")
	if _, err := postgres.Open(t.Context(), postgres.Options{URL: url, Node: "n"}); err == nil || !strings.Contains(err.Error(), "synchronous_commit") {
		t.Errorf("Open of a database that loses commits = %v, want it refused", err)
	}
}

// testALateReplicaIsBuiltAgain drops rows that a follower has not received.
func testALateReplicaIsBuiltAgain(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	first := lead(t, postgres.Options{URL: url, Node: "first", Retention: time.Millisecond})
	set(t, first, "a", "1")
	late := openOnly(t, postgres.Options{URL: url, Node: "late", Dir: filepath.Join(t.TempDir(), "replica")})
	for i := range 5 {
		set(t, first, "a", fmt.Sprint(i))
	}
	wait.Until(t, "the log is dropped", func() bool { return pg.Number(url, "select min(seq) from clave_log") > 2 })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := late.Lead(t.Context()); err != nil {
		t.Fatalf("Lead = %v", err)
	}
	wantAll(t, late, "a=4")
}
