package e2e

import (
	"os/exec"
	"syscall"
)

// endWithParent has a command killed when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
