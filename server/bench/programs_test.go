package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// programTurns is the number of turns of TestPrograms.
const programTurns = 20

// TestPrograms logs the servers' processor time for a call of several programs in turns, each with the same number of calls and its ratio to the first one's.
// CLAVE_BENCH_PROGRAMS has their paths, separated by spaces; the path «bare» is a bare gRPC server. CLAVE_BENCH_CASE is a pattern that selects loads. Background work after the
// calls counts, too: a program that merges its tables later does not look faster.
func TestPrograms(t *testing.T) {
	paths := strings.Fields(os.Getenv("CLAVE_BENCH_PROGRAMS"))
	if len(paths) == 0 {
		t.Skip("CLAVE_BENCH_PROGRAMS is not set")
	}
	servers := make([]*server, len(paths))
	for i, path := range paths {
		if path == "bare" {
			servers[i] = startBare(t)
			continue
		}
		t.Setenv("CLAVE_BENCH_BIN", path)
		servers[i] = startClave(t)
		warm(t, servers[i].grpc(t, nil, batchCall))
	}
	for _, l := range programLoads() {
		if regexp.MustCompile(os.Getenv("CLAVE_BENCH_CASE")).MatchString(l.name) {
			l.compare(t, paths, servers)
		}
	}
}

// programLoad is a load with a number of calls in a turn.
type programLoad struct {
	name           string
	workers, calls int
	call           grpcCall
}

// programLoads returns the loads of TestPrograms.
func programLoads() []programLoad {
	return []programLoad{
		{"batch of 500", 1, 50, batchCall},
		{"create c=16", 16, 125, createCall},
		{"get c=16", 16, 125, getCall},
		{"create c=64", 64, 60, createCall},
	}
}

// compare measures a load at all servers and logs the results.
func (l programLoad) compare(t *testing.T, paths []string, servers []*server) {
	t.Helper()
	loads := make([]costLoad, len(servers))
	for i, s := range servers {
		loads[i] = s.grpc(t, nil, l.call)
	}
	before := restingTicks(t, servers)
	for turn := range programTurns {
		for i := range loads {
			l.turn(t, loads[(turn+i)%len(loads)])
		}
	}
	after := restingTicks(t, servers)
	line := ""
	for i, path := range paths {
		used := float64(after[i]-before[i]) * tick / float64(programTurns*l.workers*l.calls)
		line += fmt.Sprintf("  %s %.0f µs (%.2f)", filepath.Base(path), used, float64(after[i]-before[i])/float64(after[0]-before[0]))
	}
	t.Logf("%-14s%s", l.name, line)
}

// turn makes the calls of one turn.
func (l programLoad) turn(t *testing.T, load costLoad) {
	t.Helper()
	var wg sync.WaitGroup
	for range l.workers {
		do := load.begin()
		wg.Go(func() {
			for range l.calls {
				if err := do(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// restingTicks waits until the servers have no work and returns their processor times.
func restingTicks(t *testing.T, servers []*server) []int {
	t.Helper()
	out := make([]int, len(servers))
	for {
		used := 0
		for i, s := range servers {
			now := s.ticks(t)
			used += now - out[i]
			out[i] = now
		}
		if used <= len(servers) {
			return out
		}
		time.Sleep(time.Second)
	}
}
