package lint_test

import (
	"log"
	"os"
	"testing"
)

// TestMain runs the tests in the folder server, so that "." is server and ".." the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}
