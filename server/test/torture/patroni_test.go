package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/program"
)

// patroni is PostgreSQL on three members that Patroni manages, with a synchronous standby, etcd, and HAProxy in front
// of the primary.
type patroni struct {
	t   *testing.T
	bin string
	as  *syscall.Credential
	dir string
	// password is that of all users.
	password string
	members  []*pgMember
	// balancer is the address at which HAProxy forwards to the primary.
	balancer string
}

// pgMember is a member of Patroni's cluster.
type pgMember struct {
	of *patroni
	// name is the member's name, data the folder of PostgreSQL's data, and config Patroni's file.
	name, data, config string
	// port is PostgreSQL's port, and rest that of Patroni's API.
	port, rest int
	// replication is the link to PostgreSQL that the other members use, and etcd the member's own link to etcd.
	replication, etcd *link.Link
	cmd               *exec.Cmd
}

// patroniSettings are Patroni's times in seconds, which decide how long a failover takes.
type patroniSettings struct{ ttl, loopWait, retryTimeout int }

// The settings of the tests, in which a lost primary is replaced soon, and Patroni's own defaults. In both a primary
// that is cut off goes on for longer than Clave waits for an insert, so that the outcome of writes there is looked up.
var (
	hurriedPatroni  = patroniSettings{20, 2, 8}
	ordinaryPatroni = patroniSettings{30, 10, 10}
)

// newPatroni starts the members. It skips the test if a program is not installed.
func newPatroni(t *testing.T, settings patroniSettings) *patroni {
	t.Helper()
	for _, name := range []string{"patroni", "etcd", "haproxy"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed (.ci/patroni installs Patroni, etcd and HAProxy)", name)
		}
	}
	p := &patroni{t: t, password: "secret"}
	p.bin, p.as = pgtest.Programs(t)
	if _, err := os.Stat(filepath.Join(p.bin, "pg_rewind")); err != nil {
		t.Skipf("PostgreSQL has no pg_rewind: %v", err)
	}
	var err error
	// Not below the test's folder, which the user postgres can't enter.
	if p.dir, err = os.MkdirTemp("/tmp", "patroni"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(p.dir) })
	p.own(p.dir)
	ports := program.FreePorts(t, 3+2*count)
	p.startEtcd(ports[0], ports[1])
	for i := range count {
		m := &pgMember{of: p, name: fmt.Sprintf("m%d", i), port: ports[3+2*i], rest: ports[4+2*i]}
		m.data, m.config = filepath.Join(p.dir, m.name), filepath.Join(p.dir, m.name+".yml")
		m.replication, m.etcd = link.New(t, fmt.Sprintf("127.0.0.1:%d", m.port)), link.New(t, fmt.Sprintf("127.0.0.1:%d", ports[0]))
		m.configure(settings)
		p.members = append(p.members, m)
	}
	t.Cleanup(p.end)
	for i, m := range p.members { // the first initializes the cluster
		m.start()
		if i == 0 {
			p.await("a primary", func() bool { return p.primary() == m })
		}
	}
	p.await("a synchronous standby, and all members", p.whole)
	p.startHAProxy(ports[2])
	return p
}

// own lets PostgreSQL's user write to a path.
func (p *patroni) own(path string) {
	p.t.Helper()
	if p.as != nil {
		if err := os.Chown(path, int(p.as.Uid), int(p.as.Gid)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// write writes a file of PostgreSQL's user.
func (p *patroni) write(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.own(path)
}

// run starts a program as PostgreSQL's user. Its output, and that of the programs that it starts and that may outlive
// it, is appended to a file.
func (p *patroni) run(log, name string, args ...string) *exec.Cmd {
	p.t.Helper()
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = out.Close() }() // the program has its own
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, out, out
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "PATH="+p.bin+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

// service runs a program until the test ends.
func (p *patroni) service(name string, args ...string) {
	p.t.Helper()
	log := filepath.Join(p.dir, name+".log")
	cmd := p.run(log, name, args...)
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if p.t.Failed() {
			p.t.Logf("%s:\n%s", name, lastLines(logged(log), 15))
		}
	})
}

// startEtcd starts etcd on two ports, for clients and for members.
func (p *patroni) startEtcd(clients, peers int) {
	at, peer := fmt.Sprintf("http://127.0.0.1:%d", clients), fmt.Sprintf("http://127.0.0.1:%d", peers)
	p.service("etcd", "--data-dir", filepath.Join(p.dir, "etcd"), "--log-level", "error", "--listen-client-urls", at, "--advertise-client-urls", at,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	p.await("etcd", func() bool { return p.get(at+"/health", nil) == http.StatusOK })
}

// startHAProxy starts HAProxy, configured as server/doc/cluster.md says.
func (p *patroni) startHAProxy(port int) {
	p.balancer = fmt.Sprintf("127.0.0.1:%d", port)
	text := "global\n    maxconn 400\ndefaults\n    mode tcp\n    timeout connect 2s\n    timeout client 1h\n    timeout server 1h\n" +
		"listen primary\n    bind " + p.balancer + "\n    option httpchk OPTIONS /primary\n    http-check expect status 200\n" +
		"    default-server check inter 1s fall 3 rise 1 on-marked-down shutdown-sessions\n"
	for _, m := range p.members {
		text += fmt.Sprintf("    server %s 127.0.0.1:%d port %d\n", m.name, m.port, m.rest)
	}
	file := filepath.Join(p.dir, "haproxy.cfg")
	p.write(file, text)
	p.service("haproxy", "-db", "-f", file)
}

// configure writes the member's configuration.
func (m *pgMember) configure(s patroniSettings) {
	p := m.of
	p.write(m.config, fmt.Sprintf(`
scope: torture
name: %[1]s
restapi: {listen: "127.0.0.1:%[2]d", connect_address: "127.0.0.1:%[2]d"}
etcd3: {hosts: ["%[3]s"], use_proxies: true}
bootstrap:
  dcs:
    ttl: %[4]d
    loop_wait: %[5]d
    retry_timeout: %[6]d
    synchronous_mode: true
    primary_start_timeout: 0
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {wal_log_hints: "on", max_connections: 100, shared_buffers: 32MB}
  initdb: [{encoding: UTF8}, no-locale, {auth: scram-sha-256}]
postgresql:
  listen: "127.0.0.1:%[7]d"
  connect_address: "%[8]s"
  data_dir: %[9]s
  bin_dir: %[10]s
  pgpass: %[9]s.pgpass
  parameters: {unix_socket_directories: "", fsync: "off"}
  pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"]
  authentication:
    superuser: {username: clave, password: %[11]s}
    replication: {username: replicator, password: %[11]s}
    rewind: {username: rewinder, password: %[11]s}
`, m.name, m.rest, m.etcd.Addr(), s.ttl, s.loopWait, s.retryTimeout, m.port, m.replication.Addr(), m.data, p.bin, p.password))
}

// start starts the member's Patroni, which starts PostgreSQL.
func (m *pgMember) start() {
	m.of.t.Helper()
	m.cmd = m.of.run(m.config+".log", "patroni", m.config)
}

// logged returns what the member's Patroni has logged.
func (m *pgMember) logged() string { return logged(m.config + ".log") }

// logged returns the content of a log.
func logged(file string) string {
	text, _ := os.ReadFile(file) // without one it is empty
	return string(text)
}

// kill kills the member's Patroni and PostgreSQL, as if its machine was lost.
func (m *pgMember) kill() {
	if m.cmd == nil {
		return
	}
	_ = m.cmd.Process.Kill() // or it has ended
	_ = m.cmd.Wait()
	m.cmd = nil
	postmaster := m.postmaster()
	if postmaster == 0 {
		return
	}
	all := append(children(postmaster), postmaster)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL) // or it has ended
	}
	for _, pid := range all {
		m.of.await("the end of PostgreSQL", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

// postmaster returns the number of PostgreSQL's first process, and 0 without one.
func (m *pgMember) postmaster() int {
	text, err := os.ReadFile(filepath.Join(m.data, "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		return 0
	}
	return pid
}

// children returns the numbers of the processes that a process has started.
func children(parent int) (all []int) {
	tasks, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	if err != nil {
		return nil
	}
	for _, field := range strings.Fields(string(tasks)) {
		if pid, err := strconv.Atoi(field); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// end ends all members.
func (p *patroni) end() {
	for _, m := range p.members {
		if p.t.Failed() {
			p.t.Logf("Patroni of %s:\n%s", m.name, lastLines(m.logged(), 25))
		}
		m.kill()
	}
}

// lastLines returns the last lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// await waits for a condition.
func (p *patroni) await(what string, is func() bool) {
	p.t.Helper()
	limit := time.Now().Add(timeLimit)
	for !is() {
		if time.Now().After(limit) {
			p.t.Fatalf("waited %v for %s", timeLimit, what)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// get requests a URL and decodes the body into a value, unless that is nil. It returns the status, or 0 without a
// response.
func (p *patroni) get(url string, into any) int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	if into != nil && json.NewDecoder(res.Body).Decode(into) != nil {
		return 0
	}
	return res.StatusCode
}

// is reports whether a member has a role: primary, synchronous or replica.
func (m *pgMember) is(role string) bool {
	return m.of.get(fmt.Sprintf("http://127.0.0.1:%d/%s", m.rest, role), nil) == http.StatusOK
}

// primary returns the only member that is the primary, or nil.
func (p *patroni) primary() (found *pgMember) {
	for _, m := range p.members {
		if m.is("primary") {
			if found != nil {
				return nil
			}
			found = m
		}
	}
	return found
}

// whole reports whether there are a primary and a synchronous standby, and all other members follow.
func (p *patroni) whole() bool {
	primary := p.primary()
	if primary == nil {
		return false
	}
	synchronous := 0
	for _, m := range p.members {
		if m.is("synchronous") {
			synchronous++
		}
	}
	return synchronous == 1 && primary.number("select count(*) from pg_stat_replication where state = 'streaming'") == count-1
}

// url returns the URL of a database at an address.
func (p *patroni) url(address, database string) string {
	return fmt.Sprintf("postgres://clave:%s@%s/%s?sslmode=disable", p.password, address, database)
}

// number returns the number that a query returns at a member, and -1 if there is no answer.
func (m *pgMember) number(query string) int64 {
	return m.of.number(fmt.Sprintf("127.0.0.1:%d", m.port), query)
}

// number returns the number that a query returns at an address, and -1 if there is no answer.
func (p *patroni) number(address, query string) (n int64) {
	err := p.on(address, func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, query).Scan(&n) })
	if err != nil {
		return -1
	}
	return n
}

// exec executes a statement at the primary.
func (p *patroni) exec(statement string) {
	p.t.Helper()
	err := p.on(p.balancer, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// on calls do with a connection to an address.
func (p *patroni) on(address string, do func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.url(address, "postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // a connection that was used
	return do(ctx, conn)
}
