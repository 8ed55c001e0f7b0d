package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// maxParallel is the maximum number of concurrent writes of a BatchWrite. Concurrent writes share flushes of the disk.
const maxParallel = 64

// inParallel calls do for 0 to n-1 concurrently, and returns when all calls have returned.
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

// inShares divides 0 to n-1 into consecutive shares, one for each processor but none smaller than least. It calls do
// for the shares concurrently and returns when all calls have returned.
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
