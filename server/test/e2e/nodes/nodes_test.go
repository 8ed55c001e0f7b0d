package nodes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/test/kit/link"

	"clave/server/test/e2e/harness"
)

// threeNodes starts three nodes, of which the first leads, and a balancer in front of them.
func threeNodes(t *testing.T, url string) ([]*node, *link.Balancer) {
	t.Helper()
	var nodes []*node
	var targets []string
	for i := range 3 {
		n := newNode(t, url, "")
		if i == 0 {
			n.await("Clave ready")
		} else {
			n.await("Follower: ")
		}
		nodes = append(nodes, n)
		targets = append(targets, fmt.Sprintf("127.0.0.1:%d", n.port))
	}
	return nodes, link.NewBalancer(t, 0, targets...)
}

// testAnyNode writes and listens at each node, and spreads the requests of a WebChannel session over all of them.
func testAnyNode(t *testing.T, url string) {
	nodes, b := threeNodes(t, url)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var clients []*firestore.Client
	for _, n := range nodes {
		clients = append(clients, harness.ClientAt(t, fmt.Sprintf("127.0.0.1:%d", n.port)))
	}
	var iterators []*firestore.QuerySnapshotIterator
	for _, c := range clients {
		it := c.Collection("any").Where("n", ">=", 0).Snapshots(ctx)
		defer it.Stop()
		if first, err := it.Next(); err != nil || first.Size != 0 {
			t.Fatalf("first snapshot: %v, %v", first, err)
		}
		iterators = append(iterators, it)
	}
	for i, c := range clients {
		if _, err := c.Collection("any").Doc(fmt.Sprint(i)).Create(ctx, map[string]any{"n": i}); err != nil {
			t.Fatalf("create at node %d: %v", i, err)
		}
		began := clock.System().Now()
		for at, it := range iterators {
			if next, err := it.Next(); err != nil || next.Size != i+1 {
				t.Fatalf("snapshot at node %d after a commit at node %d: %v, %v", at, i, next, err)
			}
		}
		t.Logf("a commit at node %d reached all listeners after %v", i, clock.System().Now().Sub(began))
		for at, reader := range clients { // reads are strongly consistent at every node
			if doc, err := reader.Collection("any").Doc(fmt.Sprint(i)).Get(ctx); err != nil || doc.Data()["n"] != int64(i) {
				t.Errorf("read at node %d after a commit at node %d: %v, %v", at, i, doc, err)
			}
		}
	}
	testChannelOfAllNodes(t, b)
	testResumeElsewhere(t, nodes)
}

// testChannelOfAllNodes listens over WebChannel. Each connection carries one request and goes to the next node.
func testChannelOfAllNodes(t *testing.T, b *link.Balancer) {
	single := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t.Run("WebChannel", func(t *testing.T) {
		end := harness.WebChannel(single, "Listen", true)(t, b.Addr(), "Bearer owner")
		addDocument(end, "any/0")
		for {
			m, failed := end.Receive()
			if failed != nil {
				t.Fatalf("the stream ended: %v", failed)
			}
			if m.GetDocumentChange() != nil {
				break
			}
		}
		if used := b.Used(); len(used) != 3 {
			t.Errorf("connections by target: %v, want some to each node", used)
		}
	})
}

// testResumeElsewhere resumes a listener at another node with the resume token of the first. It must not receive
// documents again.
func testResumeElsewhere(t *testing.T, nodes []*node) {
	target := func(token []byte) *pb.ListenRequest {
		add := &pb.Target{TargetId: 2, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{
			Documents: []string{harness.ChannelDatabase + "/documents/any/0", harness.ChannelDatabase + "/documents/any/1"},
		}}}
		if token != nil {
			add.ResumeType = &pb.Target_ResumeToken{ResumeToken: token}
		}
		return &pb.ListenRequest{Database: harness.ChannelDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: add}}
	}
	var token []byte
	for i, want := range []int{2, 0, 1} {
		if i == 2 {
			if _, err := harness.ClientAt(t, fmt.Sprintf("127.0.0.1:%d", nodes[0].port)).Doc("any/1").Set(t.Context(), map[string]any{"n": 100}); err != nil {
				t.Fatal(err)
			}
		}
		end := harness.OverGRPC(t, fmt.Sprintf("127.0.0.1:%d", nodes[i].port), "Bearer owner")
		end.Send(target(token))
		changes := 0
		for current := false; ; {
			m, failed := end.Receive()
			if failed != nil {
				t.Fatalf("the stream ended: %v", failed)
			}
			if m.GetDocumentChange() != nil {
				changes++
			}
			change := m.GetTargetChange()
			current = current || change.GetTargetChangeType() == pb.TargetChange_CURRENT
			if len(change.GetResumeToken()) > 0 {
				token = change.GetResumeToken()
			}
			if current && change.GetTargetChangeType() == pb.TargetChange_NO_CHANGE && change.GetReadTime() != nil {
				break
			}
		}
		if changes != want {
			t.Errorf("node %d sent %d documents, want %d", i, changes, want)
		}
	}
}

// load runs clients of nodes that increment counters in transactions and create documents, until it is stopped.
type load struct {
	count, created atomic.Int64
	stop           context.CancelFunc
	running        sync.WaitGroup
	mu             sync.Mutex
	errs           []error
}

// newLoad starts workers, each with its own client.
func newLoad(t *testing.T, address string, workers int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	l := &load{stop: stop}
	t.Cleanup(func() { stop(); l.running.Wait() })
	for w := range workers {
		c := harness.ClientAt(t, address)
		l.running.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				l.note(l.once(t.Context(), c, w, i))
			}
		})
	}
	return l
}

// once increments a counter in a transaction and creates a document with a unique name.
func (l *load) once(ctx context.Context, c *firestore.Client, w, i int) error {
	counter := c.Doc(fmt.Sprintf("counters/c%d", w))
	err := c.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		n := int64(0)
		doc, err := tx.Get(counter)
		if status.Code(err) != codes.NotFound && err != nil {
			return err
		}
		if doc.Exists() {
			n = doc.Data()["n"].(int64)
		}
		return tx.Set(counter, map[string]any{"n": n + 1})
	})
	if err != nil {
		return fmt.Errorf("transaction: %w", err)
	}
	l.count.Add(1)
	if _, err := c.Doc(fmt.Sprintf("made/w%d-%d", w, i)).Create(ctx, map[string]any{"n": 1}); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	l.created.Add(1)
	return nil
}

// note records an error.
func (l *load) note(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err)
}

// more waits until a number of further transactions were acknowledged.
func (l *load) more(t *testing.T, n int64) {
	t.Helper()
	late, stop := clock.System().After(time.Minute)
	defer stop()
	for want := l.count.Load() + n; l.count.Load() < want; {
		again, stopAgain := clock.System().After(10 * time.Millisecond)
		select {
		case <-late:
			t.Fatalf("%d transactions and %v in a minute", l.count.Load(), errors.Join(l.errs...))
		case <-again:
		}
		stopAgain()
	}
}

// testHandOver stops one leader after the other by SIGTERM under load, and restarts it. No write may be lost or applied
// twice. The only allowed error is Unavailable, for transactions that the old leader held.
func testHandOver(t *testing.T, url string) {
	nodes, b := threeNodes(t, url)
	l := newLoad(t, b.Addr(), 6)
	l.more(t, 20)
	for range 3 {
		leader := stopLeader(t, nodes)
		l.more(t, 20)
		nodes[leader] = nodes[leader].again(t, url)
		nodes[leader].await("Follower: ")
		l.more(t, 20)
	}
	l.check(t, b.Addr())
}

// check stops the load and reads the acknowledged writes. No write may be lost or applied twice, and clients may
// receive only Unavailable and Aborted.
func (l *load) check(t *testing.T, address string) {
	t.Helper()
	l.stop()
	l.running.Wait()
	for _, err := range l.errs {
		if code := status.Code(err); code != codes.Unavailable && code != codes.Aborted {
			t.Errorf("a client received %v, want Unavailable or Aborted at most", err)
		}
	}
	unsure := int64(len(l.errs)) // a failed call may have been applied once
	c := harness.ClientAt(t, address)
	counters, err := c.Collection("counters").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, doc := range counters {
		sum += doc.Data()["n"].(int64)
	}
	made, err := c.Collection("made").Documents(t.Context()).GetAll()
	lost := func(have, acknowledged int64) bool { return have < acknowledged || have > acknowledged+unsure }
	if err != nil || lost(sum, l.count.Load()) || lost(int64(len(made)), l.created.Load()) {
		t.Errorf("the counters are %d and there are %d documents (%v), acknowledged were %d and %d, and %d calls failed", sum, len(made), err, l.count.Load(), l.created.Load(), unsure)
	}
	t.Logf("%d transactions and %d documents, %d calls failed", sum, len(made), unsure)
}
