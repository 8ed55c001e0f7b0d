package bench_test

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/test/kit/cert"
)

// programTurns is the number of turns of TestPrograms.
const programTurns = 20

// TestPrograms logs the servers' processor time for a call of several programs in turns, each with the same number of
// calls and its ratio to the first one's. CLAVE_BENCH_PROGRAMS has their paths, separated by spaces; the path «bare» is
// a bare server of gRPC and of WebChannel. CLAVE_BENCH_CASE is a pattern that selects loads. Background work after the
// calls counts, too: a program that merges its tables later does not look faster.
func TestPrograms(t *testing.T) {
	paths := strings.Fields(os.Getenv("CLAVE_BENCH_PROGRAMS"))
	if len(paths) == 0 {
		t.Skip("CLAVE_BENCH_PROGRAMS is not set")
	}
	var plain, secure []*program
	for _, l := range programLoads() {
		if !regexp.MustCompile(os.Getenv("CLAVE_BENCH_CASE")).MatchString(l.name) {
			continue
		}
		programs := &plain
		if l.secure {
			programs = &secure
		}
		if *programs == nil {
			*programs = startPrograms(t, paths, l.secure)
		}
		l.compare(t, *programs)
	}
}

// program is a server of TestPrograms.
type program struct {
	path string
	*server
	// config is the client's for TLS, nil without it.
	config *tls.Config
	// filled is set once the server has the events of fillEvents.
	filled bool
}

// events creates the events of fillEvents, unless the server has them.
func (p *program) events(t *testing.T) {
	t.Helper()
	if !p.filled {
		p.filled = true
		p.fillEvents(t, p.config)
	}
}

// startPrograms starts a server of each program and sends each the batches of warm.
func startPrograms(t *testing.T, paths []string, secure bool) []*program {
	t.Helper()
	out := make([]*program, len(paths))
	for i, path := range paths {
		p := &program{path: path}
		out[i] = p
		t.Setenv("CLAVE_BENCH_BIN", path)
		switch {
		case path == "bare" && secure:
			c := cert.In(t.TempDir())
			cert.Write(t, c, cert.Options{})
			p.server, p.config = startBareTLS(t, c), c.Client(t)
		case path == "bare":
			p.server = startBare(t)
		case secure:
			s, c := startServe(t)
			p.server, p.config = s, c.Client(t)
		default:
			p.server = startClave(t)
		}
		if path != "bare" {
			warm(t, p.grpc(t, p.config, batchCall))
		}
	}
	return out
}

// programLoad is a load with a number of calls in a turn.
type programLoad struct {
	name           string
	workers, calls int
	// secure is set for a load over TLS.
	secure bool
	load   func(*testing.T, *program) costLoad
}

// programLoads returns the loads of TestPrograms.
func programLoads() []programLoad {
	calls := func(call grpcCall) func(*testing.T, *program) costLoad {
		return func(t *testing.T, p *program) costLoad { t.Helper(); return p.grpc(t, p.config, call) }
	}
	streams := func(own bool) func(*testing.T, *program) costLoad {
		return func(t *testing.T, p *program) costLoad { t.Helper(); return p.grpcStream(t, p.config, own) }
	}
	onEvents := func(call grpcCall) func(*testing.T, *program) costLoad {
		return func(t *testing.T, p *program) costLoad { t.Helper(); p.events(t); return p.grpc(t, p.config, call) }
	}
	channels := func(http2 bool) func(*testing.T, *program) costLoad {
		return func(t *testing.T, p *program) costLoad { t.Helper(); return p.channels(t, http2) }
	}
	return []programLoad{
		{"batch of 500", 1, 50, false, calls(batchCall)},
		{"create c=16", 16, 125, false, calls(createCall)},
		{"get c=16", 16, 125, false, calls(getCall)},
		{"create c=64", 64, 60, false, calls(createCall)},
		{"write WebChannel", 16, 125, false, channels(false)},
		{"write gRPC stream", 16, 125, false, streams(false)},
		{"write gRPC, a connection each", 16, 125, false, streams(true)},
		{"query of 20", 16, 30, false, onEvents(queryCall)},
		{"count of 10,000", 4, 3, false, onEvents(aggregateCall("count"))},
		{"count of 200 in an index", 16, 30, false, onEvents(aggregateCall("indexed"))},
		{"sum of 10,000", 4, 3, false, onEvents(aggregateCall("sum"))},
		{"listen: a query of 20 begins and ends", 16, 30, false, func(t *testing.T, p *program) costLoad { t.Helper(); p.events(t); return p.listens(t) }},
		{"listen: a commit reaches its listener", 16, 60, false, func(t *testing.T, p *program) costLoad { t.Helper(); return p.notices(t) }},
		{"TLS write WebChannel", 16, 125, true, channels(false)},
		{"TLS write WebChannel over HTTP/2", 16, 125, true, channels(true)},
		{"TLS write gRPC stream", 16, 125, true, streams(false)},
		{"TLS write gRPC, a connection each", 16, 125, true, streams(true)},
	}
}

// channels returns the load of WebChannel at a program.
func (p *program) channels(t *testing.T, http2 bool) costLoad {
	t.Helper()
	s := p.server
	if p.path == "bare" {
		s = s.atSite()
	}
	return s.channel(t, p.config, http2)
}

// compare measures a load at all servers and logs the results.
func (l programLoad) compare(t *testing.T, programs []*program) {
	t.Helper()
	workers := make([][]func() error, len(programs))
	for i, p := range programs {
		load := l.load(t, p)
		for range l.workers {
			workers[i] = append(workers[i], load.begin())
		}
	}
	before := restingTicks(t, programs)
	for turn := range programTurns {
		for i := range workers {
			l.turn(t, workers[(turn+i)%len(workers)])
		}
	}
	after := restingTicks(t, programs)
	line := ""
	for i, p := range programs {
		used := float64(after[i]-before[i]) * tick / float64(programTurns*l.workers*l.calls)
		line += fmt.Sprintf("  %s %.0f µs (%.2f)", filepath.Base(p.path), used, float64(after[i]-before[i])/float64(after[0]-before[0]))
	}
	t.Logf("%-34s%s", l.name, line)
}

// turn makes the calls of one turn.
func (l programLoad) turn(t *testing.T, workers []func() error) {
	t.Helper()
	var wg sync.WaitGroup
	for _, do := range workers {
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
func restingTicks(t *testing.T, programs []*program) []int {
	t.Helper()
	out := make([]int, len(programs))
	for {
		used := 0
		for i, p := range programs {
			now := p.ticks(t)
			used += now - out[i]
			out[i] = now
		}
		if used <= len(programs) {
			return out
		}
		time.Sleep(time.Second)
	}
}
