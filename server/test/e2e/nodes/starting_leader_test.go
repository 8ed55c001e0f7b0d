package nodes

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// TestALeaderThatIsSuspendedWhileItStarts suspends a node when it begins to lead, before it is ready, until another
// node leads. The node must become a follower.
func TestALeaderThatIsSuspendedWhileItStarts(t *testing.T) {
	url := pgtest.New(t).Database()
	folder, port := harness.ProjectFolder(t, nil)
	dir := t.TempDir()
	first := &node{cmd: harness.Command(t, folder, "start", "--verbose", "--project", harness.Project, "--data", dir), folder: folder, dir: dir, port: port}
	first.cmd.Env = append(os.Environ(), "CLAVE_STORE="+url)
	log, err := first.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	first.await = harness.AwaitLine(t, first.cmd)
	t.Cleanup(func() {
		_ = first.cmd.Process.Kill()
		_ = first.cmd.Wait()
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "this node leads") {
		fmt.Fprintln(os.Stderr, lines.Text())
	}
	if err := first.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(os.Stderr, log) }() // until the process ends
	second := newNode(t, url, "")
	second.await("Clave ready")
	second.wantPut(t, "one")
	if err := first.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	first.await("Follower: ")
	first.wantAll(t, "one")
}
