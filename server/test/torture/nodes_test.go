package torture

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/program"
)

// count is the number of nodes that a cluster of these tests has.
const count = 3

// member is a node of a cluster with its incoming and outgoing links.
type member struct {
	site *site
	srv  *server
	// clients is the link of its clients. inner holds the links to the other nodes' inner listeners, nil for itself, and
	// pg those to PostgreSQL and its standby, if there is one.
	clients *link.Link
	inner   []*link.Link
	pg      []*link.Link
	// metrics is the address of its metrics.
	metrics string
	// disk is the mount point of the node's disk, empty if it has none.
	disk string
}

// cluster is a set of nodes on one PostgreSQL with links between all of them.
type cluster struct {
	t           *testing.T
	pg, standby *pgtest.Server
	url         string
	members     []*member
	// balancer forwards connections to all nodes, independently of the links of their clients.
	balancer *link.Balancer
}

// ahead lists how far the nodes' clocks are ahead of the machine's clock, which PostgreSQL uses.
var ahead = [count]string{"5s", "-5s", "0s"}

// newCluster starts nodes on a new PostgreSQL, with a synchronous standby if one is requested.
func newCluster(t *testing.T, withStandby bool) *cluster {
	t.Helper()
	c := &cluster{t: t, pg: pgtest.New(t)}
	c.url = c.pg.Database()
	if !withStandby {
		c.start("", c.pg.Addr())
		return c
	}
	c.standby = c.pg.Standby()
	c.start("&target_session_attrs=read-write", c.pg.Addr(), c.standby.Addr())
	return c
}

// start starts the nodes, each with its own links to the servers of PostgreSQL, of which the cluster's URL names the
// first. parameters are added to the nodes' URLs.
func (c *cluster) start(parameters string, servers ...string) {
	t := c.t
	t.Helper()
	ports := program.FreePorts(t, 2*count)
	inner := make([]string, count)
	for i, port := range ports[:count] {
		inner[i] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	var targets []string
	for i := range count {
		m := &member{site: newSite(t), inner: make([]*link.Link, count)}
		m.clients = link.New(t, m.site.addr)
		var hosts []string
		for _, s := range servers {
			link := link.New(t, s)
			m.pg, hosts = append(m.pg, link), append(hosts, link.Addr())
		}
		for j := range inner {
			if j == i {
				continue
			}
			// Nodes read each other's addresses from PostgreSQL. The addresses that this node reads are replaced, so that each
			// pair has its own link.
			m.inner[j] = link.New(t, inner[j])
			for _, link := range m.pg {
				link.Replace(inner[j], m.inner[j].Addr())
			}
		}
		own := strings.Replace(c.url, servers[0], strings.Join(hosts, ","), 1) + parameters
		m.site.env = []string{"CLAVE_STORE=" + own, "CLAVE_CLOCK_AHEAD=" + ahead[i]}
		m.metrics = fmt.Sprintf("127.0.0.1:%d", ports[count+i])
		m.site.args = append(m.site.args, "--cluster-listen", inner[i], "--metrics", m.metrics)
		c.members = append(c.members, m)
		targets = append(targets, m.site.addr)
	}
	for _, m := range c.members {
		m.onDisk()
		m.launch()
		m.await("answers", func() bool { return m.role() != "" })
	}
	c.balancer = link.NewBalancer(t, 0, targets...)
}

// onDisk moves a node's data to its own small disk if the test runs as root.
func (m *member) onDisk() {
	if os.Geteuid() != 0 {
		return
	}
	mount := filepath.Join(m.site.dir, "disk")
	if err := os.Mkdir(mount, 0o700); err != nil {
		m.site.t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "torture", mount).CombinedOutput(); err != nil {
		m.site.t.Logf("no small disk can be mounted, no disk gets full: %v: %s", err, out)
		return
	}
	m.site.t.Cleanup(func() { _ = exec.Command("umount", "-l", mount).Run() })
	m.site.data, m.disk = filepath.Join(mount, "data"), mount
}

// fill fills a node's disk.
func (m *member) fill() {
	if m.disk != "" {
		fillDisk(m.site.t, filepath.Join(m.disk, "fill"))
	}
}

// free frees a disk that fill has filled.
func (m *member) free() {
	if m.disk == "" {
		return
	}
	if err := os.Remove(filepath.Join(m.disk, "fill")); err != nil {
		m.site.t.Error(err)
	}
}

// launch starts a node's program without waiting for it.
func (m *member) launch() {
	m.site.t.Helper()
	m.srv, _ = m.site.launch()
}

// role returns the role that a node reports, leader or follower, and "" if the node is unhealthy.
func (m *member) role() string {
	ctx, cancel := context.WithTimeout(m.site.t.Context(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.site.http+"/__/health", http.NoBody)
	if err != nil {
		return ""
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return ""
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	role, well := strings.CutPrefix(strings.TrimSpace(string(text)), "ok ")
	if err != nil || res.StatusCode != http.StatusOK || !well {
		return ""
	}
	return role
}

// leases returns the number of reads by a lease that the nodes report, except one that leads; without it -1. Nodes
// count from the time at which they began to follow.
func (c *cluster) leases(leader int) (sum int64) {
	c.others(leader, func(m *member) { sum += m.leases() })
	return sum
}

// leases returns the number of reads by a lease that a node reports, and 0 if it does not respond.
func (m *member) leases() (n int64) {
	ctx, cancel := context.WithTimeout(m.site.t.Context(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.metrics+"/metrics", http.NoBody)
	if err != nil {
		m.site.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(text), `clave_node_reads_total{by="lease"} `)
	if !found {
		return 0
	}
	if _, err := fmt.Sscan(rest, &n); err != nil {
		var many float64 // such as 1e+06
		_, _ = fmt.Sscan(rest, &many)
		n = int64(many)
	}
	return n
}

// await waits for a condition of a node.
func (m *member) await(what string, is func() bool) {
	m.site.t.Helper()
	limit := time.Now().Add(timeLimit)
	for !is() {
		if time.Now().After(limit) {
			m.site.t.Fatalf("waited %v: the node %s\n%s", timeLimit, what, m.srv.logged())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// roles returns the number of the node that leads, -1 if none or several report so, and the number of healthy nodes.
func (c *cluster) roles() (leader, well int) {
	leader = -1
	leaders := 0
	for i, m := range c.members {
		role := m.role()
		if role != "" {
			well++
		}
		if role == "leader" {
			leader = i
			leaders++
		}
	}
	if leaders != 1 {
		leader = -1
	}
	return leader, well
}

// leader waits until one node leads and all are healthy, and returns the leader's number.
func (c *cluster) leader() int {
	c.t.Helper()
	limit := time.Now().Add(timeLimit)
	for {
		leader, well := c.roles()
		if leader >= 0 && well == count {
			return leader
		}
		if time.Now().After(limit) {
			c.t.Fatalf("after %v the leader is %d, %d nodes are healthy\n%s", timeLimit, leader, well, c.logged())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// logged returns the latest output of the nodes.
func (c *cluster) logged() string {
	var all strings.Builder
	for i, m := range c.members {
		lines := strings.Split(m.srv.logged(), "\n")
		fmt.Fprintf(&all, "node %d:\n%s\n", i, strings.Join(lines[max(0, len(lines)-40):], "\n"))
	}
	return all.String()
}

// heal ends the faults of all links.
func (c *cluster) heal() {
	for _, link := range c.links() {
		link.Heal()
	}
}

// links returns all links.
func (c *cluster) links() []*link.Link {
	var all []*link.Link
	for _, m := range c.members {
		all = append(append(all, m.clients), m.pg...)
		for _, link := range m.inner {
			if link != nil {
				all = append(all, link)
			}
		}
	}
	return all
}
