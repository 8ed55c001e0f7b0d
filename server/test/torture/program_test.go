package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"clave/server/test/kit/program"
)

// timeLimit is the time limit of each wait.
const timeLimit = 2 * time.Minute

// TestMain runs the tests and removes the built program afterwards. It is also the entry point of the receiver of
// events.
func TestMain(m *testing.M) {
	if addr := os.Getenv(receiverAddr); addr != "" {
		os.Exit(receiveEvents(addr, os.Getenv(receiverLog)))
	}
	code := m.Run()
	if path, err := program.Clave(); err == nil && os.Getenv("CLAVE_BIN") == "" {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// site is a folder with a firebase.json and a replaceable data folder.
type site struct {
	t    *testing.T
	dir  string
	data string
	addr string
	http string
	// auth is the address of Auth, if it runs.
	auth string
	// args and env are the program's arguments and additional environment variables.
	args, env []string
}

// newSite creates a folder with free ports.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	s.data = filepath.Join(s.dir, "data")
	ports := program.FreePorts(t, 3)
	s.addr = fmt.Sprintf("127.0.0.1:%d", ports[0])
	s.http = "http://" + s.addr
	s.auth = fmt.Sprintf("http://127.0.0.1:%d", ports[2])
	s.args = []string{"start", "--only", "firestore", "--project", project}
	text := fmt.Sprintf(`{"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}}}`, ports[0], ports[1], ports[2])
	if err := os.WriteFile(filepath.Join(s.dir, "firebase.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a command of the program to its end and returns its output.
func (s *site) run(args ...string) (string, error) {
	s.t.Helper()
	path, err := program.Clave()
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), timeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// begin starts a command of the program and returns it at once. The caller must wait for it.
func (s *site) begin(args ...string) *exec.Cmd {
	s.t.Helper()
	path, err := program.Clave()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = s.dir
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// server is a running program.
type server struct {
	site *site
	cmd  *exec.Cmd
	done chan struct{}
	err  error
	mu   sync.Mutex
	log  bytes.Buffer
}

// Write implements io.Writer and records the program's standard error.
func (s *server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

// logged returns the program's standard error so far.
func (s *server) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// launch starts the program on the data folder. ready receives true when the program answers, or false if it ends
// before.
func (s *site) launch() (srv *server, ready <-chan bool) {
	s.t.Helper()
	path, err := program.Clave()
	if err != nil {
		s.t.Fatal(err)
	}
	srv = &server{site: s, done: make(chan struct{})}
	srv.cmd = exec.Command(path, append(slices.Clone(s.args), "--data", s.data)...)
	srv.cmd.Dir, srv.cmd.Stderr, srv.cmd.Env = s.dir, srv, append(os.Environ(), s.env...)
	out, err := srv.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := srv.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = srv.cmd.Process.Kill() })
	answers := make(chan bool, 1)
	go func() {
		_, found := program.ReadyLine(out)
		answers <- found
		_, _ = io.Copy(io.Discard, out) // until the program ends
		srv.err = srv.cmd.Wait()
		close(srv.done)
	}()
	return srv, answers
}

// start starts the program and waits until it answers.
func (s *site) start() *server {
	s.t.Helper()
	srv, ready := s.launch()
	select {
	case ok := <-ready:
		if ok {
			return srv
		}
		<-srv.done
		s.t.Fatalf("the program has ended before it was ready: %v\n%s", srv.err, srv.logged())
	case <-time.After(timeLimit):
		s.t.Fatalf("the program is not ready after %v\n%s", timeLimit, srv.logged())
	}
	return nil
}

// wait waits for the end of the program.
func (s *server) wait() error {
	select {
	case <-s.done:
		return s.err
	case <-time.After(timeLimit):
		s.site.t.Fatalf("the program has not ended after %v\n%s", timeLimit, s.logged())
		return nil
	}
}

// kill kills the program.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // fails if the program has ended
	_ = s.wait()             // signal: killed
}

// stop stops the program, which must end without an error.
func (s *server) stop() {
	s.site.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.site.t.Fatal(err)
	}
	if err := s.wait(); err != nil {
		s.site.t.Errorf("after SIGTERM the program ended with %v\n%s", err, s.logged())
	}
}
