package series_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests, or, as a process of its own that a test kills, makes backups (kill_test.go).
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}
