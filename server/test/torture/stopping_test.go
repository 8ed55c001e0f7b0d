package torture

import (
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
)

// TestALeaderStopsWhileACommitWaits stops a leader while a commit waits for the lock of a transaction whose client does
// not continue. The commit must succeed, and the leader must not wait for it: no request can continue the transaction
// any more.
func TestALeaderStopsWhileACommitWaits(t *testing.T) {
	url := pgtest.New(t).Database()
	var nodes []*member
	for _, role := range []string{"leader", "follower"} {
		m := &member{site: newSite(t)}
		m.site.args = append(m.site.args, "--store", url)
		m.launch()
		m.await("has the role "+role, func() bool { return m.role() == role })
		nodes = append(nodes, m)
	}
	c := newClient(t, nodes[1].site.addr)
	c.connect(t)
	if _, err := c.commit(t.Context(), nil, set("docs/1", fields{"v": 1})); err != nil {
		t.Fatal(err)
	}
	tx, err := c.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.get(t.Context(), tx, nil, "docs/1"); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := c.commit(t.Context(), nil, set("docs/1", fields{"v": 2}))
		waited <- err
	}()
	<-time.After(300 * time.Millisecond) // the commit waits at the leader
	began := time.Now()
	nodes[0].srv.stop()
	t.Logf("the leader has stopped after %v", time.Since(began))
	if err := <-waited; err != nil {
		t.Errorf("a commit that waited for a transaction = %v", err)
	}
	if found, err := c.get(t.Context(), nil, nil, "docs/1"); err != nil || found["docs/1"]["v"] != 2 {
		t.Errorf("after the hand-over the document is %v, %v", found, err)
	}
}
