package bench_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	pb "clave/server/internal/model/wire/firestorepb"
)

// fanQueries is the number of different queries in the second half of the figures.
const fanQueries = 1000

// TestFanOut logs the time from a commit to its listeners over gRPC, the memory of idle listeners, and the cost of a
// commit that matches no listener.
func TestFanOut(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_LISTEN") == "" {
		t.Skip("CLAVE_BENCH_LISTEN is not set")
	}
	for _, perConn := range []int{100, 1} {
		for _, n := range []int{1, 100, 1000, 10_000} {
			if perConn == 1 && n != 1000 {
				continue
			}
			t.Run(fmt.Sprintf("one query/listeners=%d/per connection=%d", n, perConn), func(t *testing.T) {
				fanOut(t, startClave(t), n, perConn, 1)
			})
		}
	}
	t.Run("bare/listeners=1000/per connection=1", func(t *testing.T) { fanOut(t, startBare(t), 1000, 1, 1) })
	for _, n := range []int{1000, 10_000} {
		t.Run(fmt.Sprintf("1,000 queries/listeners=%d", n), func(t *testing.T) { fanOut(t, startClave(t), n, 100, fanQueries) })
	}
	t.Run("beside 100 k documents/listeners=1000", func(t *testing.T) {
		s := startClave(t)
		load(t, connect(t, s.address), "unrelated", 100_000)
		fanOut(t, s, 1000, 100, 1)
	})
}

// fanOut measures n listeners with a number of different queries.
func fanOut(t *testing.T, s *server, n, perConn, queries int) {
	t.Helper()
	w := &writer{conn: dial(t, s.address), t: t}
	idle := func() error { return w.set("elsewhere", "d", 0, time.Now().UnixNano()) }
	alone := s.commitCost(t, idle)
	before := s.memory(t)
	began := time.Now()
	c := gather(t, s.address, n, perConn, func(i int) *pb.Target_QueryTarget { return numbered(i%queries, queries) })
	opening := time.Since(began)
	defer c.close()
	memory := float64(s.memory(t)-before) / float64(n)
	crowded := s.commitCost(t, idle)
	rounds := min(max(200_000/n, 20), 200)
	var delays []time.Duration
	cpu := s.ticks(t)
	for i := range rounds {
		k := i % queries
		listeners := n / queries
		if k < n%queries {
			listeners++
		}
		delays = c.round(t, func() error { return w.set("listened", "d"+strconv.Itoa(k), int64(k), int64(i)) }, listeners, delays)
	}
	perMessage := float64(s.ticks(t)-cpu) * tick / float64(len(delays))
	p50, p99 := quantiles(delays)
	t.Logf("%d commits: p50 %.1f ms, p99 %.1f ms, %.1f µs server CPU a listener; opened in %v; %.1f KiB a listener; commit without matches %.0f µs CPU, %.0f without listeners",
		rounds, ms(p50), ms(p99), perMessage, opening.Round(time.Millisecond), memory, crowded, alone)
}

// ms returns a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// numbered returns a query for the documents with one number, or for all documents if there is only one query.
func numbered(k, queries int) *pb.Target_QueryTarget {
	q := &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "listened"}}}
	if queries > 1 {
		q.Where = &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: "k"}, Op: pb.StructuredQuery_FieldFilter_EQUAL,
			Value: &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(k)}},
		}}}
	}
	return &pb.Target_QueryTarget{
		Parent:    benchDatabase + "/documents",
		QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: q},
	}
}

// commitCost returns the server's processor time in microseconds for a commit.
func (s *server) commitCost(t *testing.T, commit func() error) float64 {
	t.Helper()
	const commits = 2000
	before := s.ticks(t)
	for range commits {
		if err := commit(); err != nil {
			t.Fatal(err)
		}
	}
	return float64(s.ticks(t)-before) * tick / commits
}

// resident and residentPeak match the resident memory in /proc/N/status.
var (
	resident     = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	residentPeak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
)

// memory returns the server's resident memory in KiB.
func (s *server) memory(t *testing.T) int { return s.status(t, resident) }

// peak returns the server's maximum resident memory in KiB.
func (s *server) peak(t *testing.T) int { return s.status(t, residentPeak) }

// status returns a number from the status of the server's process.
func (s *server) status(t *testing.T, number *regexp.Regexp) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		t.Skip("no memory figures: ", err)
	}
	m := number.FindSubmatch(text)
	if m == nil {
		t.Fatalf("no %v in %q", number, text)
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}
