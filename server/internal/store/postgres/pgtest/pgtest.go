// Package pgtest runs PostgreSQL for tests: a separate server for each test, in a temporary folder, which ends with the
// test.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
)

// limit is the time limit for starting or stopping PostgreSQL.
const limit = time.Minute

// Server is a server of PostgreSQL. Its superuser is clave.
type Server struct {
	t        testing.TB
	bin, dir string
	port     int
	password string
	as       *syscall.Credential
	cmd      *exec.Cmd
	ended    chan struct{}
	log      Log
}

// Log is a buffer that one goroutine writes and another reads.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *Log) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String returns what was written.
func (b *Log) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// variable is the environment variable with the folder of PostgreSQL's programs. Without it they are the newest of the
// machine.
const variable = "CLAVE_TEST_POSTGRES"

// binaries returns the folder of PostgreSQL's programs, or an error if there is none.
func binaries() (string, error) {
	if dir := os.Getenv(variable); dir != "" {
		return dir, nil
	}
	if path, err := exec.LookPath("initdb"); err == nil { // which may be a link to where the others are
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", err
		}
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("PostgreSQL is not installed here (apt-get install postgresql)")
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

// version returns the version in the path of a Debian package's program.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // a path without a number counts as the oldest
	return n
}

// credential returns the user to run PostgreSQL as, because PostgreSQL refuses root.
func credential() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres")
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// Programs returns the folder of PostgreSQL's programs, and the user to run them as; nil for the present one. It skips
// the test if PostgreSQL is not installed.
func Programs(t testing.TB) (bin string, as *syscall.Credential) {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		t.Skip(err)
	}
	if as, err = credential(); err != nil {
		t.Skip(err)
	}
	return bin, as
}

// New creates and starts a server. It skips the test if PostgreSQL is not installed. settings are lines of the
// configuration; without fsync=on the server does not wait for the disk.
func New(t testing.TB, settings ...string) *Server {
	t.Helper()
	bin, as := Programs(t)
	s := &Server{t: t, bin: bin, as: as, password: "secret-" + randid.New(16)}
	var err error
	// Not below the test's folder, which the user postgres can't enter.
	if s.dir, err = os.MkdirTemp("/tmp", "pg"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	passwords := filepath.Join(s.dir, "pw")
	s.must(os.WriteFile(passwords, []byte(s.password+"\n"), 0o600))
	if as != nil {
		s.must(os.Chown(s.dir, int(as.Uid), int(as.Gid)))
		s.must(os.Chown(passwords, int(as.Uid), int(as.Gid)))
	}
	init := s.command("initdb", "-D", filepath.Join(s.dir, "data"), "-U", "clave", "-A", "scram-sha-256", "--pwfile", passwords, "-E", "UTF8", "--no-locale", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.configure(append([]string{"listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", "fsync = off"}, settings...)...)
	s.Start()
	t.Cleanup(func() { s.Stop(syscall.SIGQUIT) })
	return s
}

// configure chooses a free port for the server, and adds lines to its configuration.
func (s *Server) configure(settings ...string) {
	s.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	s.port = ln.Addr().(*net.TCPAddr).Port
	s.must(ln.Close())
	f, err := os.OpenFile(filepath.Join(s.dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	s.must(err)
	_, err = f.WriteString("\nport = " + strconv.Itoa(s.port) + "\n" + strings.Join(settings, "\n") + "\n")
	s.must(errors.Join(err, f.Close()))
}

// must ends the test on an error.
func (s *Server) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// command returns a command of PostgreSQL that runs as the permitted user.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	if s.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	}
	return cmd
}

// Start starts the server and waits until it accepts connections.
func (s *Server) Start() {
	s.t.Helper()
	s.cmd = s.command("postgres", "-D", filepath.Join(s.dir, "data"))
	s.cmd.Stderr = &s.log
	s.must(s.cmd.Start())
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait() // however it ended
		close(ended)
	}(s.cmd, s.ended)
	deadline, stop := clock.System().After(limit)
	defer stop()
	for !s.answers() {
		pause, stop := clock.System().After(50 * time.Millisecond)
		select {
		case <-s.ended:
			s.t.Fatalf("PostgreSQL has ended:\n%s", s.log.String())
		case <-deadline:
			s.t.Fatalf("PostgreSQL does not answer:\n%s", s.log.String())
		case <-pause:
		}
		stop()
	}
}

// answers reports whether a connection can be made.
func (s *Server) answers() bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}

// Stop ends the server by a signal and waits: SIGTERM waits for sessions, SIGINT ends them, SIGQUIT leaves recovery to
// the next start.
func (s *Server) Stop(how syscall.Signal) {
	s.t.Helper()
	_ = s.cmd.Process.Signal(how) // unless it has ended
	deadline, stop := clock.System().After(limit)
	defer stop()
	select {
	case <-s.ended:
	case <-deadline:
		s.t.Errorf("PostgreSQL did not stop:\n%s", s.log.String())
	}
}

// URL returns the URL of a database.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://clave:%s@127.0.0.1:%d/%s?sslmode=disable", s.password, s.port, database)
}

// Password returns the password in the URLs.
func (s *Server) Password() string { return s.password }

// Database creates a database and returns its URL.
func (s *Server) Database() string {
	s.t.Helper()
	name := "d" + strings.ToLower(randid.New(12))
	s.Exec(s.URL("postgres"), "create database "+name)
	return s.URL(name)
}

// Exec executes a statement in a database.
func (s *Server) Exec(url, statement string, args ...any) {
	s.t.Helper()
	s.on(url, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement, args...)
		return err
	})
}

// on calls do with a connection to a database, and fails the test on an error.
func (s *Server) on(url string, do func(ctx context.Context, conn *pgx.Conn) error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	s.must(err)
	defer func() { _ = conn.Close(ctx) }() // a connection that was used
	s.must(do(ctx, conn))
}

// Number returns the number that a query returns.
func (s *Server) Number(url, query string, args ...any) (n int64) {
	s.t.Helper()
	s.on(url, func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, query, args...).Scan(&n) })
	return n
}
