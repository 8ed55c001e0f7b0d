package fair

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

// count returns the number of workers that are idle or have a call.
func (q *Queue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.idle + len(q.mu.held)
}

// isWatched reports whether watch runs.
func (q *Queue) isWatched() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.watched
}

// TestATakenTurnIsNoOther lets calls continue at the moment at which the queue takes their turns. A call that has a
// turn again must be among those that have one: otherwise the queue could never take its turn from a client that does
// not read.
func TestATakenTurnIsNoOther(t *testing.T) {
	const workers, callers, rounds = 2, 4, 3_000
	manual := clocktest.NewManual(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
	q := New(Options{Workers: workers, Clock: manual})
	var calls, ticks sync.WaitGroup
	for range callers {
		calls.Go(func() {
			ctx := q.Within(t.Context(), "a", "")
			turn := Of(ctx)
			for range rounds {
				if err := turn.Step(ctx, slice); err != nil {
					t.Error(err)
					return
				}
				turn.Lend()
				if n := q.count(); n != workers {
					t.Errorf("%d workers, want %d", n, workers)
					return
				}
				for range rand.IntN(500) { // the queue takes the turn, or does not
					runtime.Gosched()
				}
				turn.Return()
			}
			turn.Rest()
		})
	}
	done := make(chan struct{})
	ticks.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				manual.Advance(lentTime)
			}
		}
	})
	calls.Wait()
	if n := q.count(); n != workers {
		t.Errorf("%d workers at the end, want %d", n, workers)
	}
	close(done)
	ticks.Wait()
	for q.isWatched() { // once is too little if watch has not begun to wait yet
		manual.Advance(lentTime)
		runtime.Gosched()
	}
}
