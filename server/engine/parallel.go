package engine

import (
	"sync"
	"sync/atomic"
)

// maxParallel is how many of the writes of a BatchWrite are on their way at once; they share flushes of the disk.
const maxParallel = 64

// inParallel calls do for 0 to n-1, several at once, and returns when all have returned.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, maxParallel) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
}
