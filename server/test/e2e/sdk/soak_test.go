package sdk

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// The sizes of the soak test.
const (
	soakListeners = 2000
	soakQueries   = 40
	soakDocuments = 5 // of each query
	soakPerConn   = 50
	soakSamples   = 40
)

// TestSoak runs 2,000 listeners for the duration of CLAVE_SOAK while four writers commit without a pause. Listeners
// disconnect and reconnect, most of them with resume tokens. Memory and goroutines must not grow, no listener may
// receive an older state of a document, and in the end all have the last commit.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("CLAVE_SOAK"))
	if err != nil {
		t.Skip("CLAVE_SOAK is no duration (make soak sets it)")
	}
	addresses := harness.Start(t, map[string]string{"firestore.rules": `rules_version = '2';
		service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write; } } }`,
		"firebase.json": `{"firestore": {"rules": "firestore.rules"}}`},
		"--memory=false", "--data", t.TempDir(), "--only", "firestore")
	s := &soak{t: t, complete: make(chan struct{}, soakListeners), final: make(chan struct{})}
	for range soakListeners / soakPerConn {
		s.conns = append(s.conns, s.dial(addresses.Firestore))
	}
	writer := s.dial(addresses.Firestore)
	s.commit(writer, 0, 0)
	idle := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	for i := range soakListeners {
		s.running.Go(func() { s.listener(ctx, i) })
	}
	s.watch(writer, length)
	s.finish(writer)
	cancel()
	s.running.Wait()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	s.wait("goroutines to end", func() bool { return runtime.NumGoroutine() <= idle+10 })
	t.Logf("%d commits, %d changes received, %d streams opened; %d goroutines before, %d after", s.commits.Load(), s.received.Load(), s.opened.Load(), idle, runtime.NumGoroutine())
}

// soak is a running soak test.
type soak struct {
	t       *testing.T
	conns   []*grpc.ClientConn
	running sync.WaitGroup
	// commits, received and opened are counters.
	commits, received, opened atomic.Int64
	// next is each query's next number, which a commit writes to all documents of the query. last is the number of the
	// final commit.
	next, last [soakQueries]atomic.Int64
	// final is closed when last is set. complete receives from each listener that has received it.
	final    chan struct{}
	complete chan struct{}
}

// dial connects to the server.
func (s *soak) dial(address string) *grpc.ClientConn {
	s.t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// soakDatabase is the database of the soak test.
const soakDatabase = "projects/" + harness.Project + "/databases/(default)"

// commit writes the next number of a query, or a given one, to all its documents.
func (s *soak) commit(conn *grpc.ClientConn, query int, number int64) {
	s.t.Helper()
	r := &pb.CommitRequest{Database: soakDatabase}
	for i := range soakDocuments {
		r.Writes = append(r.Writes, &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{
			Name: fmt.Sprintf("%s/documents/soak/q%d-%d", soakDatabase, query, i),
			Fields: map[string]*pb.Value{
				"query": {ValueType: &pb.Value_IntegerValue{IntegerValue: int64(query)}},
				"n":     {ValueType: &pb.Value_IntegerValue{IntegerValue: number}},
			},
		}}})
	}
	if err := conn.Invoke(s.t.Context(), "/google.firestore.v1.Firestore/Commit", r, &pb.CommitResponse{}); err != nil {
		s.t.Errorf("commit: %v", err)
	}
	s.commits.Add(1)
}

// watch runs writers for a time and samples memory and goroutines.
func (s *soak) watch(conn *grpc.ClientConn, length time.Duration) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), length)
	defer cancel()
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for q := w; ctx.Err() == nil && !s.t.Failed(); q = (q + 4) % soakQueries { // Each query has one writer.
				s.commit(conn, q, s.next[q].Add(1))
			}
		})
	}
	var heaps, routines []int
	tick := time.NewTicker(length / soakSamples)
	defer tick.Stop()
	for ctx.Err() == nil && !s.t.Failed() {
		select {
		case <-ctx.Done():
		case <-tick.C:
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			heaps, routines = append(heaps, int(m.HeapAlloc>>10)), append(routines, runtime.NumGoroutine())
			s.t.Logf("%d KiB of heap, %d KiB of stacks, %d goroutines, %d commits, %d changes received", m.HeapAlloc>>10, m.StackInuse>>10,
				runtime.NumGoroutine(), s.commits.Load(), s.received.Load())
		}
	}
	cancel()
	writers.Wait()
	s.flat("KiB of heap", heaps, 8<<10)
	s.flat("goroutines", routines, 200)
}

// flat checks that the last quarter of samples exceeds the second by at most a tenth and a constant.
func (s *soak) flat(what string, samples []int, slack int) {
	s.t.Helper()
	quarter := len(samples) / 4
	if quarter == 0 {
		s.t.Fatalf("%d samples of %s", len(samples), what)
	}
	early, late := slices.Max(samples[quarter:2*quarter]), slices.Max(samples[3*quarter:])
	if late > early+early/10+slack {
		s.t.Errorf("%s grew from %d to %d: %v", what, early, late, samples)
	}
}

// finish makes one last commit of each query and waits until all listeners have them.
func (s *soak) finish(conn *grpc.ClientConn) {
	s.t.Helper()
	for q := range soakQueries {
		s.last[q].Store(s.next[q].Add(1))
	}
	close(s.final)
	for q := range soakQueries {
		s.commit(conn, q, s.last[q].Load())
	}
	late := time.After(time.Minute)
	for i := range soakListeners {
		select {
		case <-s.complete:
		case <-late:
			s.t.Fatalf("%d of %d listeners have what was written last", i, soakListeners)
		}
	}
}

// wait polls a condition for which there is no signal.
func (s *soak) wait(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			buf := make([]byte, 1<<20)
			s.t.Fatalf("waited for %s: %d\n%s", what, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
	}
}
