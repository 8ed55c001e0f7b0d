package torture

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// mostFailOver is the goal for the duration of a fail-over after a kill, at the 99th percentile.
const mostFailOver = 5 * time.Second

// TestFailOver kills the leader repeatedly and measures how long no write through the balancer is acknowledged.
func TestFailOver(t *testing.T) {
	text := os.Getenv("CLAVE_TORTURE_KILLS")
	if text == "" {
		t.Skip("in make torture only: TestFaults kills a leader too")
	}
	kills, err := strconv.Atoi(text)
	if err != nil || kills < 1 {
		t.Fatalf("CLAVE_TORTURE_KILLS=%q, want a number from 1", text)
	}
	c := newCluster(t, false)
	var took []time.Duration
	for i := range kills {
		leader := c.leader()
		gap := c.killUnderWrites(t, i, leader)
		took = append(took, gap)
		t.Logf("kill %d, of node %d: no write was acknowledged for %v", i+1, leader, gap.Round(time.Millisecond))
		launchAgain(c, leader)
	}
	slices.Sort(took)
	at := func(part float64) time.Duration {
		return took[min(len(took)-1, int(part*float64(len(took))))].Round(time.Millisecond)
	}
	t.Logf("%d kills: p50 %v, p99 %v, most %v", kills, at(0.5), at(0.99), at(1))
	if at(0.99) > mostFailOver {
		t.Errorf("the fail-over took %v, want at most %v", at(0.99), mostFailOver)
	}
}

// killUnderWrites kills a node while clients of the balancer write, and returns the time between the last acknowledged
// write before and the first after.
func (c *cluster) killUnderWrites(t *testing.T, round, leader int) time.Duration {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), timeLimit)
	var mu sync.Mutex
	var times []time.Time
	var writing sync.WaitGroup
	for w := range 4 {
		writer := newClient(t, c.balancer.Addr())
		writing.Go(func() {
			defer func() { _ = writer.conn.Close() }()
			for i := 0; ctx.Err() == nil; i++ {
				call, cancel := context.WithTimeout(ctx, callTime)
				_, err := writer.commit(call, nil, create(fmt.Sprintf("kills/%d-%d-%d", round, w, i), fields{"v": 1}))
				cancel()
				if err == nil {
					mu.Lock()
					times = append(times, time.Now())
					mu.Unlock()
				}
				<-time.After(5 * time.Millisecond)
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(times)
	}
	await(t, "writes before the kill", func() bool { return count() > 50 })
	c.members[leader].srv.kill()
	killed := time.Now()
	before := count()
	await(t, "writes after the kill", func() bool { return count() > before+20 })
	stop()
	writing.Wait()
	slices.SortFunc(times, time.Time.Compare)
	most := time.Duration(0) // the longest gap that ends after the kill
	for i := 1; i < len(times); i++ {
		if times[i].After(killed) {
			most = max(most, times[i].Sub(times[i-1]))
		}
	}
	return most
}
