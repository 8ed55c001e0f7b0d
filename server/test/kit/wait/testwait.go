// Package wait waits for conditions in tests.
package wait

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/base/clock"
)

// limit is the time within which a condition must be met, on a loaded machine too.
const limit = 30 * time.Second

// Until waits until met returns true, and fails the test if it takes too long. what describes the condition. Cleanups
// may call it.
func Until(t testing.TB, what string, met func() bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // which has ended when cleanups run
	late, stop := clock.System().After(limit)
	defer stop()
	for !met() {
		select {
		case <-late:
			t.Fatalf("after %v still waiting for: %s", limit, what)
		default:
		}
		if err := clock.Sleep(ctx, clock.System(), time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}
