package pebblestore

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// left is what is not looked for at the end of the tests: the goroutine of Pebble's scheduler of compactions, which an Open that fails
// does not stop, and what tests have abandoned.
var left = []goleak.Option{goleak.IgnoreAnyFunction("github.com/cockroachdb/pebble/v2.(*ConcurrencyLimitScheduler).periodicGranter")}

// TestMain fails when the tests leave goroutines behind.
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

// abandons lets a test leave Pebble behind with a write that waits for a disk that is full while the store is opened or closed: it does
// not return until the process ends (space.park). The tests before must have left nothing.
func abandons(t *testing.T) {
	t.Helper()
	goleak.VerifyNone(t, left...)
	t.Cleanup(func() { left = append(left, goleak.IgnoreCurrent()) })
}
