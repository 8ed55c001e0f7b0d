package pebble

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// left lists the goroutines that the check for leaks ignores: that of Pebble's compaction scheduler, which a failed
// Open does not stop, and those that tests have abandoned.
var left = []goleak.Option{goleak.IgnoreAnyFunction("github.com/cockroachdb/pebble/v2.(*ConcurrencyLimitScheduler).periodicGranter")}

// TestMain fails if the tests leak goroutines.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(left...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// abandons lets a test leak the goroutines of a Pebble whose write waits for a full disk while the store is opened or
// closed. The write does not return until the process ends (space.park). Earlier tests must not have leaked goroutines.
func abandons(t *testing.T) {
	t.Helper()
	goleak.VerifyNone(t, left...)
	t.Cleanup(func() { left = append(left, goleak.IgnoreCurrent()) })
}
