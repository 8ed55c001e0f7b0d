// Package testwait waits for conditions in tests.
package testwait

import (
	"testing"
	"time"

	"clave/server/clock"
)

// limit is the time within which a condition must be met, on a loaded machine too.
const limit = 30 * time.Second

// Until waits until met returns true, and fails the test if it takes too long. what describes the condition.
func Until(t testing.TB, what string, met func() bool) {
	t.Helper()
	late, stop := clock.System().After(limit)
	defer stop()
	for !met() {
		select {
		case <-late:
			t.Fatalf("after %v still waiting for: %s", limit, what)
		default:
		}
		if err := clock.Sleep(t.Context(), clock.System(), time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}
