package engine

import (
	"runtime"
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

// inShares calls do for shares of 0 to n-1 that are next to each other, one for each processor but none smaller than
// least, and returns when all have returned.
func inShares(n, least int, do func(from, to int)) {
	shares := min(runtime.GOMAXPROCS(0), n/least)
	if shares < 2 {
		do(0, n)
		return
	}
	var wg sync.WaitGroup
	for i := 1; i < shares; i++ {
		wg.Go(func() { do(i*n/shares, (i+1)*n/shares) })
	}
	do(0, n/shares)
	wg.Wait()
}
