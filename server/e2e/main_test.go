package e2e

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests with a folder of temporary files of their own, which goes with them: the built program, and what killed
// programs leave. Its name is short, for sockets below it.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run runs the tests and removes what they left.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what can't be removed is the system's to clean
	return m.Run()
}
