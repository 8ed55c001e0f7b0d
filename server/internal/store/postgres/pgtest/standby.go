package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"clave/server/internal/base/clock"
)

// Standby creates and starts a synchronous standby of the server: from then on everything that the server acknowledges
// is on both. The standby is read-only until Promote.
func (s *Server) Standby() *Server {
	s.t.Helper()
	c := &Server{t: s.t, bin: s.bin, as: s.as, password: s.password}
	var err error
	c.dir, err = os.MkdirTemp("/tmp", "pg")
	s.must(err)
	s.t.Cleanup(func() { _ = os.RemoveAll(c.dir) })
	if c.as != nil {
		s.must(os.Chown(c.dir, int(c.as.Uid), int(c.as.Gid)))
	}
	copying := c.command("pg_basebackup", "--pgdata", filepath.Join(c.dir, "data"), "--dbname", s.URL("postgres"), "--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
	if out, err := copying.CombinedOutput(); err != nil {
		s.t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	c.configure()
	c.Start()
	s.t.Cleanup(func() { c.Stop(syscall.SIGQUIT) })
	s.Exec(s.URL("postgres"), "alter system set synchronous_standby_names = '*'")
	s.Exec(s.URL("postgres"), "select pg_reload_conf()")
	deadline, stop := clock.System().After(limit)
	defer stop()
	for s.Number(s.URL("postgres"), "select count(*) from pg_stat_replication where sync_state = 'sync'") == 0 {
		pause, stop := clock.System().After(50 * time.Millisecond)
		select {
		case <-deadline:
			s.t.Fatalf("the standby does not follow:\n%s", c.log.String())
		case <-pause:
		}
		stop()
	}
	return c
}

// Promote makes a standby take the place of the server that it followed.
func (s *Server) Promote() {
	s.t.Helper()
	if s.Number(s.URL("postgres"), "select pg_promote()::int") != 1 {
		s.t.Fatalf("the standby is not promoted:\n%s", s.log.String())
	}
}

// Addr returns the address of the server.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }
