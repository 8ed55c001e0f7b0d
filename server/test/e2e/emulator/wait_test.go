package emulator

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestWaitingHasALimit checks that the signal of limited ends a program, and that stop reports no end by the limit
// before it.
func TestWaitingHasALimit(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip("the command sleep is missing: ", err)
	}
	stop := harness.Limited(cmd)
	_ = cmd.Process.Signal(syscall.SIGQUIT) // the same signal as after the limit
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) {
		t.Errorf("Wait = %v, want the signal", err)
	}
	if stop() {
		t.Error("the limit has passed already")
	}
}
