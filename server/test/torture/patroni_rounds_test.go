package torture

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/test/kit/link"
)

// patroniFault is a fault of the primary. begin starts it, and end ends it.
type patroniFault struct {
	name       string
	begin, end func(p *patroni, m *pgMember)
}

// patroniFaults lists the faults. In both the primary has commits that no standby has, which are not acknowledged, so
// it must be rewound before it can follow.
func patroniFaults() []patroniFault {
	return []patroniFault{
		{"the primary's machine is lost", func(p *patroni, m *pgMember) {
			p.diverge(m)
			m.kill()
		}, func(_ *patroni, m *pgMember) {
			m.replication.Heal()
			m.start()
		}},
		// Clients still reach it, so writes arrive there until it notices that it may not be the primary any more.
		{"the primary is cut off from etcd and the standbys", func(p *patroni, m *pgMember) {
			m.etcd.Cut(link.Both)
			p.diverge(m)
		}, func(_ *patroni, m *pgMember) {
			m.etcd.Heal()
			m.replication.Heal()
		}},
	}
}

// diverge cuts the primary off from its standbys, and waits until it has a row of Clave's log that they lack.
func (p *patroni) diverge(m *pgMember) {
	p.t.Helper()
	m.replication.Cut(link.Both)
	p.await("a write that waits for the standby", func() bool {
		return m.number("select count(*) from pg_stat_activity where wait_event = 'SyncRep' and query like 'insert into clave_log%'") > 0
	})
}

// newPatroniCluster starts Clave's nodes on PostgreSQL with Patroni.
func newPatroniCluster(t *testing.T, settings patroniSettings) (*cluster, *patroni) {
	t.Helper()
	p := newPatroni(t, settings)
	p.await("HAProxy to have found the standbys, to which it connects first", func() bool {
		for range 2 * count {
			if p.number(p.balancer, "select count(*) where not pg_is_in_recovery()") != 1 {
				return false
			}
		}
		return true
	})
	p.exec("create database clave")
	c := &cluster{t: t, url: p.url(p.balancer, "clave")}
	c.start("", p.balancer)
	return c, p
}

// TestPatroni runs three nodes under load on PostgreSQL with Patroni, a synchronous standby and HAProxy, while the
// primary is lost, or cut off, and comes back by pg_rewind. Nothing that was acknowledged may be lost.
func TestPatroni(t *testing.T) {
	if !longRun() && os.Getenv("CLAVE_NODES") == "" {
		t.Skip("in make torture and make test-nodes only: it takes a minute")
	}
	settings := hurriedPatroni
	if os.Getenv("CLAVE_TORTURE_PATRONI") == "ordinary" {
		settings = ordinaryPatroni
	}
	c, p := newPatroniCluster(t, settings)
	all := newWorkload(t, c)
	turns := 1
	if longRun() {
		turns = (rounds(t) + len(faults()) - 1) / len(faults())
	}
	for range turns {
		for _, f := range patroniFaults() {
			t.Run(f.name, func(t *testing.T) { all.patroniRound(t, p, f) })
		}
	}
}

// patroniRound causes a fault of the primary under load, waits until all clients continue, brings the former primary
// back, and runs all checks.
func (all *workload) patroniRound(t *testing.T, p *patroni, f patroniFault) {
	t.Helper()
	all.leader()
	all.begin(t)
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	for _, w := range all.works {
		for range 2 {
			working.Go(func() { w.endure(ctx) })
		}
	}
	all.progress(t, "before the fault", 10)
	began := all.quiet(t)
	former := p.primary()
	if former == nil {
		t.Fatal("there is not one primary")
	}
	rewound := strings.Count(former.logged(), "running pg_rewind")
	at := faultTime{began: time.Now()}
	f.begin(p, former)
	p.await("another primary", func() bool { now := p.primary(); return now != nil && now != former })
	promoted := time.Since(at.began)
	all.progress(t, "after the failover", 1)
	recovered := time.Since(at.began)
	f.end(p, former)
	p.await("the former primary's return", func() bool { return former.is("replica") && p.whole() })
	if strings.Count(former.logged(), "running pg_rewind") == rewound {
		t.Errorf("the former primary was not rewound\n%s", lastLines(former.logged(), 30))
	}
	at.ended = time.Now() // the return of a member may interrupt commits: the standby is chosen anew
	<-time.After(graceTime())
	all.progress(t, "after the return", 10)
	stop()
	working.Wait()
	all.leader()
	for _, wrong := range all.errs.wrong(began, at, time.Now()) {
		t.Error(wrong)
	}
	all.check(t, f.name)
	t.Logf("%s: another primary after %v, all clients continued after %v, the former primary followed after %v",
		f.name, promoted.Round(100*time.Millisecond), recovered.Round(100*time.Millisecond), at.ended.Sub(at.began).Round(100*time.Millisecond))
	if t.Failed() {
		t.Log(all.logged())
	}
}
