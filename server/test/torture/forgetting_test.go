package torture

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"
)

// disconnected ends all connections to the cluster's database in PostgreSQL and returns the database's name.
func (c *cluster) disconnected() (name string) {
	c.t.Helper()
	name = c.url[strings.LastIndex(c.url, "/")+1 : strings.Index(c.url, "?")]
	c.pg.Exec(c.pg.URL("postgres"), "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1", name)
	return name
}

// TestTheChecksDetectLostCommitsOfNodes makes PostgreSQL lose acknowledged commits: its database is restored to an
// earlier copy while no node runs. The ledger, the histories and the listener must each detect it.
func TestTheChecksDetectLostCommitsOfNodes(t *testing.T) {
	c := newCluster(t, false)
	all := newWorkload(t, c)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	restart := func(between func(name string)) {
		c.each(func(m *member) { m.srv.kill() })
		between(c.disconnected())
		launchAgain(c, 0)
	}
	work := func() {
		ctx, stop := context.WithCancel(ctx)
		var working sync.WaitGroup
		for _, w := range all.works {
			w.connect(t)
			working.Go(func() { w.endure(ctx) })
		}
		all.progress(t, "at work", 20)
		stop()
		working.Wait()
	}
	work()
	postgres := c.pg.URL("postgres")
	restart(func(name string) { c.pg.Exec(postgres, fmt.Sprintf("create database saved template %s", name)) })
	work()
	w := all.works[count]
	for _, h := range []struct {
		*history
		collection string
		n          int
	}{{w.one, "one", 1}, {w.four, "four", documents}} {
		op := operation{value: all.number(), writes: [documents]bool{true, h.n > 1, h.n > 1, h.n > 1}}
		called := h.now()
		o, read := w.attempt(ctx, op, h.collection, h.n)
		h.add(op, called, o, read)
	}
	restart(func(name string) {
		c.pg.Exec(postgres, "drop database "+name)
		c.pg.Exec(postgres, "alter database saved rename to "+name)
	})
	if wrong := compareLedger(t, w.client, all.ledger); len(wrong) == 0 {
		t.Error("the ledger detects no loss")
	}
	var found map[string]fields
	if err := bridged(func() (err error) {
		found, err = w.query(ctx, nil, "entries", "", "", 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if wrong := all.moving.check(t, found, all.acknowledgedAt()); len(wrong) == 0 {
		t.Error("the listener detects no loss")
	}
	for name, result := range checkHistories(t, ctx, w) {
		if result != porcupine.Illegal {
			t.Errorf("the history of %s is %v, want illegal", name, result)
		}
	}
}
