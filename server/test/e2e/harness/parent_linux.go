package harness

import (
	"os/exec"
	"syscall"
)

// endWithParent sets that a command is killed when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
