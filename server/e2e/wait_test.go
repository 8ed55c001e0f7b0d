package e2e

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// waitLimit is the time for which a test waits for a program to begin, to end or to print a line: many times what they
// take.
const waitLimit = time.Minute

// limited ends a program with a dump of its goroutines unless stop is called within the limit; a program that ignores that is
// killed. stop reports whether the program was ended.
func limited(cmd *exec.Cmd) (stop func() bool) {
	kill := time.AfterFunc(waitLimit+5*time.Second, func() { _ = cmd.Process.Kill() })
	dump := time.AfterFunc(waitLimit, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	return func() bool {
		ended := !dump.Stop()
		kill.Stop()
		return ended
	}
}

// wait waits for a program's end and returns what it ended with. A program that goes on is ended, and the test with it.
func wait(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	stop := limited(cmd)
	err := cmd.Wait()
	if stop() {
		t.Fatalf("%v did not end within %v", cmd.Args, waitLimit)
	}
	return err
}

// TestWaitingHasALimit keeps programs that tests run from running for ever: whatever runs one is ended with the test.
func TestWaitingHasALimit(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip("no sleep: ", err)
	}
	stop := limited(cmd)
	_ = cmd.Process.Signal(syscall.SIGQUIT) // as the limit does
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) {
		t.Errorf("Wait = %v, want the signal", err)
	}
	if stop() {
		t.Error("the limit has passed already")
	}
}
