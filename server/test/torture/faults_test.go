package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"clave/server/test/kit/link"
)

// fault is a fault of nodes or their environment. begin starts it and end ends it; they receive the number of the node
// that led before.
type fault struct {
	name       string
	begin, end func(c *cluster, leader int)
	// bridged is set if clients at the balancer have no errors later than graceTime after the beginning.
	bridged bool
}

// short lists the faults of a short run.
var short = map[string]bool{
	"the leader is killed": true, "the leader is stopped for a while": true, "the leader is cut from PostgreSQL": true,
}

// lasts returns the duration of a fault: longer than a lease, and for a bridged fault longer than graceTime.
func (f fault) lasts() time.Duration {
	if f.bridged {
		return graceTime() + time.Second
	}
	return 6 * time.Second
}

// faults lists the faults in the order of the rounds.
func faults() []fault {
	all := []fault{
		{"the leader is killed", func(c *cluster, leader int) { c.members[leader].srv.kill() }, launchAgain, true},
		{"the leader is stopped for a while", func(c *cluster, leader int) { c.signal(leader, syscall.SIGSTOP) }, func(c *cluster, leader int) { c.signal(leader, syscall.SIGCONT) }, false},
		{"PostgreSQL restarts", func(c *cluster, _ int) { c.pg.Stop(syscall.SIGQUIT) }, func(c *cluster, _ int) { c.pg.Start() }, false},
		{"followers are killed", func(c *cluster, leader int) { c.others(leader, func(m *member) { m.srv.kill() }) }, launchAgain, false},
		{"all nodes are killed", func(c *cluster, _ int) { c.each(func(m *member) { m.srv.kill() }) }, launchAgain, false},
		{"the leader is stopped", func(c *cluster, leader int) { c.members[leader].srv.stop() }, launchAgain, true},
		{"a follower is stopped for a while", func(c *cluster, leader int) { c.signal(leader+1, syscall.SIGSTOP) }, func(c *cluster, leader int) { c.signal(leader+1, syscall.SIGCONT) }, false},
		{"all connections break", func(c *cluster, _ int) {
			for _, link := range c.links() {
				link.Reset()
			}
		}, healed, false},
		{"all links are slow", func(c *cluster, _ int) {
			for _, link := range c.links() {
				link.Slow(20 * time.Millisecond)
			}
		}, healed, false},
		{"the leader's disk is full", func(c *cluster, leader int) { c.members[leader].fill() }, func(c *cluster, leader int) { c.members[leader].free() }, false},
		{"a follower's disk is full", func(c *cluster, leader int) { c.at(leader + 1).fill() }, func(c *cluster, leader int) { c.at(leader + 1).free() }, false},
		{"PostgreSQL is restarted at once", func(c *cluster, _ int) {
			c.pg.Stop(syscall.SIGINT)
			c.pg.Start()
		}, healed, false},
	}
	for _, of := range []struct {
		name string
		link func(c *cluster, leader int) *link.Link
	}{
		{"the leader is cut from PostgreSQL", func(c *cluster, leader int) *link.Link { return c.members[leader].pg[0] }},
		{"a follower is cut from PostgreSQL", func(c *cluster, leader int) *link.Link { return c.at(leader + 1).pg[0] }},
		{"a follower is cut from the leader", func(c *cluster, leader int) *link.Link { return c.at(leader + 1).inner[leader] }},
		{"the leader's clients are cut", func(c *cluster, leader int) *link.Link { return c.members[leader].clients }},
		{"a follower's clients are cut", func(c *cluster, leader int) *link.Link { return c.at(leader + 1).clients }},
	} {
		for _, way := range []struct {
			link.Way
			name string
		}{{link.Both, ""}, {link.ToTarget, ", in sending"}, {link.FromTarget, ", in receiving"}} {
			all = append(all, fault{of.name + way.name, func(c *cluster, leader int) { of.link(c, leader).Cut(way.Way) }, healed, false})
		}
	}
	return all
}

// healed restores all links.
func healed(c *cluster, _ int) { c.heal() }

// launchAgain restarts the nodes that have ended.
func launchAgain(c *cluster, _ int) {
	c.each(func(m *member) {
		select {
		case <-m.srv.done:
			m.launch()
		default:
		}
	})
	c.leader()
}

// at returns a node by its number modulo the number of nodes.
func (c *cluster) at(i int) *member { return c.members[i%count] }

// signal sends a signal to a node.
func (c *cluster) signal(i int, s syscall.Signal) {
	c.t.Helper()
	if err := c.at(i).srv.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// each calls a function for all nodes.
func (c *cluster) each(do func(m *member)) { c.others(-1, do) }

// others calls a function for all nodes except one.
func (c *cluster) others(but int, do func(m *member)) {
	for i, m := range c.members {
		if i != but {
			do(m)
		}
	}
}

// workload is a set of concurrent clients of all nodes and of the balancer, which share a ledger.
type workload struct {
	*cluster
	*ledger
	errs    *errorLog
	clients []client
	// works holds the work of one round, in the order of clients.
	works  []*work
	moving *moving
}

// newWorkload returns clients of a cluster with a listener that moves between the nodes until the test ends.
func newWorkload(t *testing.T, c *cluster) *workload {
	t.Helper()
	all := &workload{cluster: c, ledger: newLedger(), errs: &errorLog{}}
	for i, m := range c.members {
		all.clients = append(all.clients, newClient(t, m.clients.Addr(), all.errs.watch(fmt.Sprintf("node %d", i))...))
	}
	all.moving = newMoving(all.clients...)
	all.clients = append(all.clients, newClient(t, c.balancer.Addr(), all.errs.watch(balanced)...))
	all.begin(t)
	ctx, stop := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { all.moving.run(ctx) })
	t.Cleanup(func() {
		stop()
		listening.Wait()
	})
	return all
}

// balanced is the name of the balancer's clients.
const balanced = "the balancer"

// begin begins a round with new histories and their first documents.
func (all *workload) begin(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	all.works = nil
	for _, c := range all.clients {
		c.connect(t)
		w := newWork(c, all.ledger)
		w.one.pace, w.four.pace = 15, 10
		if len(all.works) > 0 {
			w.one, w.four = all.works[0].one, all.works[0].four
		}
		all.works = append(all.works, w)
	}
	if err := all.works[0].prepare(ctx); err != nil {
		t.Fatalf("the round can't begin: %v\n%s", err, all.logged())
	}
}

// endure works until ctx ends, regardless of the outcomes.
func (w *work) endure(ctx context.Context) {
	rnd := rand.New(rand.NewPCG(rand.Uint64(), 0))
	steps := w.steps()
	for ctx.Err() == nil {
		// The outcome of the call is recorded even if ctx ends.
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
		now := steps
		if quietTime(time.Now()) {
			now = w.reads()
		}
		o := now[rnd.IntN(len(now))](call, rnd)
		cancel()
		if o == acknowledged {
			w.done.Add(1)
		}
		if o == unknown && len(steps) == len(w.steps()) {
			steps = steps[2:] // More unknown outcomes would make the histories hard to check.
		}
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(20 * time.Millisecond)):
		}
	}
}

// quietTime reports whether all clients only read at a time, so that nodes get leases for reading, which the writes
// after it end.
func quietTime(now time.Time) bool {
	const period = 250 * time.Millisecond
	return now.Sub(now.Truncate(period)) < period/2
}

// progress waits until each client has a number of further acknowledged commits.
func (all *workload) progress(t *testing.T, when string, n int64) {
	t.Helper()
	limit := time.Now().Add(timeLimit)
	for i, w := range all.works {
		for want := w.done.Load() + n; w.done.Load() < want; {
			if time.Now().After(limit) {
				t.Fatalf("%s client %d has %d commits after %v\n%s", when, i, w.done.Load(), timeLimit, all.logged())
			}
			<-time.After(5 * time.Millisecond)
		}
	}
}

// quiet waits until clients have had no outage for a second, and returns the beginning of that second. On an overloaded
// machine nodes may be late without a fault, which must not count.
func (all *workload) quiet(t *testing.T) time.Time {
	t.Helper()
	began := time.Now()
	for since := began; ; {
		for _, m := range all.errs.between(since, time.Now()) {
			if outage(m.err) {
				since = m.at.Add(1)
			}
		}
		switch now := time.Now(); {
		case now.Sub(since) >= time.Second:
			return since
		case now.Sub(began) > timeLimit:
			t.Fatalf("clients have outages for %v without a fault\n%s", timeLimit, all.logged())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// round causes and ends a fault under load, and runs all checks.
func (all *workload) round(t *testing.T, f fault) {
	t.Helper()
	leader := all.leader()
	all.begin(t)
	var began time.Time
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for _, w := range all.works {
		for range 2 {
			working.Go(func() { w.endure(ctx) })
		}
	}
	all.progress(t, "before the fault", 10)
	await(t, "a read by a lease", func() bool { return all.leases(leader) > 0 })
	began = all.quiet(t)
	for i, m := range all.members {
		if i != leader && m.inner[leader].Conns() == 0 {
			t.Errorf("node %d does not use its link to the leader, %d", i, leader)
		}
	}
	leases := all.leases(leader)
	at := faultTime{began: time.Now()}
	opened := all.openedBefore(t)
	f.begin(all.cluster, leader)
	<-time.After(f.lasts())
	during := all.leases(-1)
	waited := opened.read(t)
	f.end(all.cluster, leader)
	at.ended = time.Now()
	<-time.After(graceTime())
	all.progress(t, "after the fault", 10)
	answered := waited()
	stop()
	working.Wait()
	now := all.leader()
	for _, wrong := range all.errs.wrong(began, at, time.Now()) {
		t.Error(wrong)
	}
	total := int64(0)
	for _, w := range all.works {
		total += w.done.Load()
	}
	last := at.began
	for _, m := range all.errs.between(at.began, time.Now()) {
		if m.client == balanced && outage(m.err) {
			last = m.at
		}
	}
	if f.bridged && last.Sub(at.began) > graceTime() {
		t.Errorf("the last error at the balancer came %v after the beginning of the fault", last.Sub(at.began))
	}
	all.check(t, f.name)
	outages := 0
	for _, m := range all.errs.between(began, time.Now()) {
		if outage(m.err) {
			outages++
		}
	}
	t.Logf("%s: %d commits, the leader was %d and is %d, %d calls had no answer, the last at the balancer after %v; %d reads over older connections answered; reads by a lease before the fault %d, at its end %d, after it %d",
		f.name, total, leader, now, outages, last.Sub(at.began).Round(10*time.Millisecond), answered, leases, during, all.leases(now))
	if t.Failed() {
		t.Log(all.logged())
	}
}

// check compares the ledgers of all clients with the stored documents.
func (all *workload) check(t *testing.T, when string) {
	t.Helper()
	for _, w := range all.works[:count] {
		for _, wrong := range w.failures() {
			t.Errorf("%s: %s", when, wrong)
		}
	}
	w := all.works[count]
	check(t, w, when)
	found, err := w.query(t.Context(), nil, "entries", "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range all.moving.check(t, found, all.acknowledgedAt()) {
		t.Errorf("%s: a listener: %s", when, wrong)
	}
}

// TestFaults causes faults of three nodes under load, and checks the errors that clients receive and the stored
// documents afterwards.
func TestFaults(t *testing.T) {
	all := newWorkload(t, newCluster(t, false))
	only := os.Getenv("CLAVE_TORTURE_FAULT")
	turns := 1
	long := longRun()
	if long {
		turns = (rounds(t) + len(faults()) - 1) / len(faults())
	}
	for range turns {
		for _, f := range faults() {
			if f.name == only || only == "" && (long || short[f.name]) {
				t.Run(f.name, func(t *testing.T) { all.round(t, f) })
			}
		}
	}
	t.Logf("%d snapshots on %d streams", all.moving.snapshots, all.moving.moves)
}

// TestPromotedStandby kills PostgreSQL's primary under load and promotes its synchronous standby, which the nodes find
// without a restart.
func TestPromotedStandby(t *testing.T) {
	if !longRun() {
		t.Skip("in make torture only: it takes half a minute")
	}
	all := newWorkload(t, newCluster(t, true))
	all.round(t, fault{"the standby is promoted", func(c *cluster, _ int) { c.pg.Stop(syscall.SIGKILL) }, func(c *cluster, _ int) { c.standby.Promote() }, false})
}
