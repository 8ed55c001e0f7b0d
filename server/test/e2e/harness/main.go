package harness

import (
	"fmt"
	"os"
	"testing"
)

// Main runs the tests of a package below e2e, for its TestMain. The working directory is e2e, which has the data and
// the Node programs of all these packages. The tests have a temporary folder of their own, which is removed afterwards.
// It holds the built program and the files of killed programs. Its name is short, because the length of a socket's path
// is limited.
//
// A test binary that is started again with CLAVE_AS_NODES runs the named program as several nodes instead.
func Main(m *testing.M) {
	if path := os.Getenv(asNodesVariable); path != "" {
		if err := startAsNodes(path, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(run(m))
}

// run runs the tests and removes the temporary folder.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err == nil {
		err = os.Chdir("..")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // on failure the operating system cleans up
	return m.Run()
}
