package e2e

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests with their own temporary folder and removes it afterwards. It holds the built program and the
// files of killed programs. Its name is short, because the length of a socket's path is limited.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run runs the tests and removes the temporary folder.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // on failure the operating system cleans up
	return m.Run()
}
