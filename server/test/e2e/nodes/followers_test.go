package nodes

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
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

// measured is a node with a port of metrics.
type measured struct {
	*node
	metrics int
}

// newMeasured starts a node with a port of metrics.
func newMeasured(t *testing.T, store string) measured {
	t.Helper()
	port := harness.FreePorts(t, 1)[0]
	return measured{newNode(t, store, "", "--metrics", fmt.Sprintf("127.0.0.1:%d", port)), port}
}

// addr is the address of a node's Firestore.
func (n *node) addr() string { return fmt.Sprintf("127.0.0.1:%d", n.port) }

// reads returns the number of read calls that a node has answered over gRPC.
func (m measured) reads(t *testing.T) (n float64) {
	t.Helper()
	metrics := scrape(t, m.metrics)
	for _, method := range []string{"BatchGetDocuments", "RunQuery", "RunAggregationQuery", "ListDocuments", "GetDocument"} {
		for _, transport := range []string{"grpc", "rest"} {
			n += metrics.value(t, fmt.Sprintf(`clave_calls_total{code="OK",method=%q,transport=%q}`, method, transport))
		}
	}
	return n
}

// awaitLocal waits until a node answers a read without forwarding it.
func (m measured) awaitLocal(t *testing.T, c *firestore.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for before := m.reads(t); ; {
		if _, err := c.Doc("kept/one").Get(ctx); err != nil {
			t.Fatal(err)
		}
		if m.reads(t) > before {
			return
		}
		if err := clock.Sleep(ctx, clock.System(), 20*time.Millisecond); err != nil {
			t.Fatal("the node forwards its reads")
		}
	}
}

// twoMeasured starts a leader with one document, and a follower that answers reads without forwarding them.
func twoMeasured(t *testing.T, leaderStore, followerStore string) (leader, follower measured, at [2]*firestore.Client) {
	t.Helper()
	leader = newMeasured(t, leaderStore)
	leader.await("Clave ready")
	leader.wantPut(t, "one")
	follower = newMeasured(t, followerStore)
	follower.await("Follower: ")
	at = [2]*firestore.Client{harness.ClientAt(t, leader.addr()), harness.ClientAt(t, follower.addr())}
	follower.awaitLocal(t, at[1])
	return leader, follower, at
}

// testFollowersRead writes at the leader and then reads at a follower, with each read call. The follower must answer
// all of them and forward none.
func testFollowersRead(t *testing.T, store string) {
	leader, follower, at := twoMeasured(t, store, store)
	ctx := t.Context()
	leaderReads, followerReads := leader.reads(t), follower.reads(t)
	const rounds = 50
	for i := range rounds {
		if _, err := at[0].Doc("strong/counter").Set(ctx, map[string]any{"n": i}); err != nil {
			t.Fatal(err)
		}
		if doc, err := at[1].Doc("strong/counter").Get(ctx); err != nil || doc.Data()["n"] != int64(i) {
			t.Fatalf("a get at the follower after the write of %d: %v, %v", i, doc.Data(), err)
		}
		q := at[1].Collection("strong").Where("n", "==", i)
		if docs, err := q.Documents(ctx).GetAll(); err != nil || len(docs) != 1 {
			t.Fatalf("a query at the follower after the write of %d: %d documents, %v", i, len(docs), err)
		}
		counted, err := q.NewAggregationQuery().WithCount("n").Get(ctx)
		if err != nil || counted["n"].(interface{ GetIntegerValue() int64 }).GetIntegerValue() != 1 {
			t.Fatalf("a count at the follower after the write of %d: %v, %v", i, counted, err)
		}
		for _, call := range [][2]string{
			{http.MethodGet, documents + "/strong/counter"}, {http.MethodGet, documents + "/strong"},
		} {
			want := fmt.Sprintf(`"integerValue":"%d"`, i)
			if code, text := follower.request(t, call[0], call[1], ""); code != http.StatusOK || !strings.Contains(strings.ReplaceAll(text, " ", ""), want) {
				t.Fatalf("%s %s at the follower after the write of %d: %d %s", call[0], call[1], i, code, text)
			}
		}
	}
	if n := leader.reads(t) - leaderReads; n != 0 {
		t.Errorf("the leader has answered %v of the follower's reads, want none", n)
	}
	if n := follower.reads(t) - followerReads; n < 5*rounds {
		t.Errorf("the follower has answered %v reads, want %d", n, 5*rounds)
	}
	err := at[1].RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		doc, err := tx.Get(at[1].Doc("strong/counter"))
		if err != nil {
			return err
		}
		return tx.Set(doc.Ref, map[string]any{"n": doc.Data()["n"].(int64) + 1})
	})
	if doc, read := at[1].Doc("strong/counter").Get(ctx); err != nil || read != nil || doc.Data()["n"] != int64(rounds) {
		t.Errorf("after a transaction at the follower (%v) the counter is %v (%v), want %d", err, doc.Data(), read, rounds)
	}
	past := time.Now()
	if docs, err := at[1].Collection("strong").WithReadOptions(firestore.ReadTime(past)).Documents(ctx).GetAll(); err != nil || len(docs) != 1 {
		t.Errorf("a query of a moment at the follower: %d documents, %v", len(docs), err)
	}
}

// testListenersContinueAcrossLeaders listens at followers while documents are created one after another and the leader
// is killed. Each snapshot must be a consistent state: all documents up to some number, and never fewer than before.
func testListenersContinueAcrossLeaders(t *testing.T, store string) {
	nodes, b := threeNodes(t, store)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const all = 200
	var listening sync.WaitGroup
	for i, n := range nodes[1:] {
		it := harness.ClientAt(t, n.addr()).Collection("made").OrderBy("n", firestore.Asc).Snapshots(ctx)
		defer it.Stop()
		listening.Go(func() {
			for last := 0; last < all; {
				snapshot, err := it.Next()
				if err != nil {
					t.Errorf("the listener at follower %d: %v", i, err)
					return
				}
				docs, err := snapshot.Documents.GetAll()
				for k, doc := range docs {
					if doc.Data()["n"] != int64(k) {
						t.Errorf("follower %d shows %v where document %d was created", i, doc.Data(), k)
						return
					}
				}
				if err != nil || len(docs) < last {
					t.Errorf("follower %d shows %d documents after %d (%v)", i, len(docs), last, err)
					return
				}
				last = len(docs)
			}
		})
	}
	writer := harness.ClientAt(t, b.Addr())
	for i := range all {
		if i == all/3 {
			nodes[0].kill(t)
		}
		for {
			_, err := writer.Doc(fmt.Sprintf("made/%d", i)).Set(ctx, map[string]any{"n": i})
			if err == nil {
				break
			}
			if code := status.Code(err); code != codes.Unavailable && code != codes.Aborted {
				t.Fatalf("create %d: %v", i, err)
			}
		}
	}
	listening.Wait()
}

// testCutOffFollower disconnects a follower from PostgreSQL and the leader. Its streams must end with UNAVAILABLE, and
// its reads fail with the same code. Its sessions of WebChannel must end.
func testCutOffFollower(t *testing.T, store string) {
	at, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	way := link.New(t, at.Host)
	at.Host = way.Addr()
	leader, follower, _ := twoMeasured(t, store, at.String())
	end := harness.OverGRPC(t, follower.addr(), "Bearer owner")
	end.Send(&pb.ListenRequest{Database: harness.ChannelDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
		TargetId: 2, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{harness.ChannelDatabase + "/documents/kept/one"}}},
	}}})
	for current := false; !current; {
		m, failed := end.Receive()
		if failed != nil {
			t.Fatalf("the stream ended: %v", failed)
		}
		current = m.GetTargetChange().GetTargetChangeType() == pb.TargetChange_CURRENT
	}
	follower.awaitSessions(t)
	session := harness.OverWebChannel(true)(t, follower.addr(), "Bearer owner")
	addDocument(session, "kept/one")
	if _, failed := session.Receive(); failed != nil || follower.channels(t) != 1 {
		t.Fatalf("the follower serves %v sessions: %v", follower.channels(t), failed)
	}
	if err := leader.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	way.Cut(link.Both)
	way.Reset()
	began := clock.System().Now()
	for {
		_, failed := end.Receive()
		if failed == nil {
			continue
		}
		if failed.Code() != codes.Unavailable {
			t.Errorf("the stream ended with %v, want Unavailable", failed)
		}
		t.Logf("the stream ended after %v", clock.System().Now().Sub(began))
		break
	}
	for {
		if _, failed := session.Receive(); failed != nil {
			t.Logf("the session of WebChannel ended after %v: %v", clock.System().Now().Sub(began), failed.Message())
			break
		}
	}
	if code, text := follower.request(t, http.MethodGet, documents+"/kept/one", ""); code != http.StatusServiceUnavailable {
		t.Errorf("a read at the follower that is cut off: %d %s, want 503", code, text)
	}
}
