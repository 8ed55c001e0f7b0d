package e2e

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// waitLimit is how long a test waits for a program to start, to end or to print a line. It is many times the usual
// duration.
const waitLimit = time.Minute

// scriptLimit is how long a test waits for a script or a suite of an SDK that makes many calls.
const scriptLimit = 10 * time.Minute

// limited ends a program with a dump of its goroutines unless stop is called within the limit. If the program does not
// end, it is killed. stop reports whether the program was ended.
func limited(cmd *exec.Cmd) (stop func() bool) {
	kill := time.AfterFunc(waitLimit+5*time.Second, func() { _ = cmd.Process.Kill() })
	dump := time.AfterFunc(waitLimit, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	return func() bool {
		ended := !dump.Stop()
		kill.Stop()
		return ended
	}
}

// wait waits for a program's end and returns its error. After the limit it ends the program and fails the test.
func waitForExit(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	stop := limited(cmd)
	err := cmd.Wait()
	if stop() {
		t.Fatalf("%v did not end within %v", cmd.Args, waitLimit)
	}
	return err
}

// TestWaitingHasALimit checks that the signal of limited ends a program, and that stop reports no end by the limit
// before it.
func TestWaitingHasALimit(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip("the command sleep is missing: ", err)
	}
	stop := limited(cmd)
	_ = cmd.Process.Signal(syscall.SIGQUIT) // the same signal as after the limit
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) {
		t.Errorf("Wait = %v, want the signal", err)
	}
	if stop() {
		t.Error("the limit has passed already")
	}
}
