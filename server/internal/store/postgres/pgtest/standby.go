package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

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
	s.backUp(c)
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

// backUp copies the data of the running server for a standby, as pg_basebackup does, which some packages lack. What the
// server writes meanwhile is in its log, which the standby requests from it.
func (s *Server) backUp(c *Server) {
	s.t.Helper()
	to := filepath.Join(c.dir, "data")
	s.on(s.URL("postgres"), func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "select pg_backup_start('standby', true)"); err != nil {
			return err
		}
		copying := c.command("", "-R", filepath.Join(s.dir, "data"), to)
		copying.Path, copying.Args[0] = "/bin/cp", "cp"
		copying.Stderr = &c.log
		// A file that the server deletes meanwhile is in its log, too. Without the others the standby does not start.
		_ = copying.Run()
		var label string
		if err := conn.QueryRow(ctx, "select labelfile from pg_backup_stop(false)").Scan(&label); err != nil {
			return err
		}
		return errors.Join(c.write("backup_label", label), c.write("standby.signal", ""),
			c.write("postgresql.auto.conf", "primary_conninfo = '"+s.URL("postgres")+"'\n"), os.Remove(filepath.Join(to, "postmaster.pid")))
	})
}

// write writes a file of the server's data.
func (s *Server) write(name, text string) error {
	path := filepath.Join(s.dir, "data", name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil || s.as == nil {
		return err
	}
	return os.Chown(path, int(s.as.Uid), int(s.as.Gid))
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
