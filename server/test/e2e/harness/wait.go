package harness

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// WaitLimit is how long a test waits for a program to start, to end or to print a line. It is many times the usual
// duration.
const WaitLimit = time.Minute

// ScriptLimit is how long a test waits for a script or a suite of an SDK that makes many calls.
const ScriptLimit = 10 * time.Minute

// Limited ends a program with a dump of its goroutines unless stop is called within the limit. If the program does not
// end, it is killed. stop reports whether the program was ended.
func Limited(cmd *exec.Cmd) (stop func() bool) {
	kill := time.AfterFunc(WaitLimit+5*time.Second, func() { _ = cmd.Process.Kill() })
	dump := time.AfterFunc(WaitLimit, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	return func() bool {
		ended := !dump.Stop()
		kill.Stop()
		return ended
	}
}

// wait waits for a program's end and returns its error. After the limit it ends the program and fails the test.
func WaitForExit(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	stop := Limited(cmd)
	err := cmd.Wait()
	if stop() {
		t.Fatalf("%v did not end within %v", cmd.Args, WaitLimit)
	}
	return err
}
