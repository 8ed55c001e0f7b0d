package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"
)

// waiting starts Lead of a store until the test ends, and returns a channel for its error.
func waiting(t *testing.T, s *postgres.Store) <-chan error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended, out := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(ended)
		out <- s.Lead(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return out
}

// testAReplicaIsRead reads a replica while another node writes. After Reach the replica has the awaited rows, and each
// row is delivered once and in order.
func testAReplicaIsRead(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	leader := lead(t, postgres.Options{URL: url, Node: "one"})
	set(t, leader, "a", "0")
	second := openOnly(t, postgres.Options{URL: url, Node: "two"})
	waiting(t, second)
	var mu sync.Mutex
	var rows []string
	var replica *postgres.Replica
	stop, err := second.Read(func(r *postgres.Replica) (func([]store.Op), error) {
		replica = r
		return func(ops []store.Op) {
			mu.Lock()
			defer mu.Unlock()
			for _, op := range ops {
				rows = append(rows, string(op.Key)+string(op.Value))
			}
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 50 {
		set(t, leader, "a", fmt.Sprint(i))
		want = append(want, fmt.Sprintf("a%d", i))
		seq, _ := leader.Progress()
		if err := second.Reach(t.Context(), seq, second.Elapsed()); err != nil {
			t.Fatal(err)
		}
		if v, _, err := replica.Get([]byte("a")); err != nil || string(v) != fmt.Sprint(i) {
			t.Fatalf("the replica has %q after the write of %d was reached (%v)", v, i, err)
		}
	}
	mu.Lock()
	if got := strings.Join(rows, " "); !strings.HasSuffix(got, strings.Join(want, " ")) || len(rows) > len(want)+1 {
		t.Errorf("the reader was given %s, want %v", got, want)
	}
	mu.Unlock()
	if err := replica.Apply(t.Context(), &store.Batch{}); !errors.Is(err, store.ErrMoved) {
		t.Errorf("Apply of a replica = %v, want ErrMoved", err)
	}
	stop()
	given := len(rows)
	set(t, leader, "a", "last")
	seq, _ := leader.Progress()
	if err := second.Reach(t.Context(), seq, second.Elapsed()); err != nil {
		t.Fatal(err)
	}
	if len(rows) != given {
		t.Error("a reader that was stopped is given rows")
	}
}

// testAReplicaWithoutContact checks that a replica refuses reads after it had no contact for the duration of a lease.
func testAReplicaWithoutContact(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	leader := lead(t, postgres.Options{URL: url, Node: "one"})
	set(t, leader, "a", "0")
	second := openOnly(t, postgres.Options{URL: url, Node: "two", Lease: 2 * time.Second}) // does not follow
	var replica *postgres.Replica
	stop, err := second.Read(func(r *postgres.Replica) (func([]store.Op), error) {
		replica = r
		return func([]store.Op) {}, r.Held()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	wait.Until(t, "the contact is too long ago", func() bool { return replica.Held() != nil })
	if _, _, err := replica.Get([]byte("a")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Get = %v, want Unavailable", err)
	}
	it := replica.Scan(store.Range{})
	if it.Next() || !fault.Is(it.Err(), fault.Unavailable) {
		t.Errorf("Scan = %v, want Unavailable", it.Err())
	}
	_ = it.Close()
	seq, _ := second.Progress()
	if err := second.Reach(t.Context(), seq, second.Elapsed()); err != nil || replica.Held() != nil {
		t.Errorf("after a contact: %v, %v", err, replica.Held())
	}
}

// testAReadReplicaIsNotBuiltAgain drops the log past a replica that is being read. The replica must not be rebuilt
// under its reader.
func testAReadReplicaIsNotBuiltAgain(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	leader := lead(t, postgres.Options{URL: url, Node: "one", Retention: time.Millisecond})
	set(t, leader, "a", "0")
	second := openOnly(t, postgres.Options{URL: url, Node: "two"})
	stop, err := second.Read(func(*postgres.Replica) (func([]store.Op), error) { return func([]store.Op) {}, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	first, _ := second.Progress()
	wait.Until(t, "the log begins behind the replica", func() bool {
		set(t, leader, "a", "1")
		st, err := postgres.ReadStatus(t.Context(), url)
		return err == nil && st.First > first
	})
	select {
	case err := <-waiting(t, second):
		if !errors.Is(err, store.ErrMoved) {
			t.Errorf("Lead = %v, want ErrMoved", err)
		}
	case <-time.After(timeLimit):
		t.Error("Lead follows a log that does not go on from the replica")
	}
}

// testAReplicaRestsWhileItIsBuiltAgain drops the log past a replica, which is built again. Rest is called meanwhile.
func testAReplicaRestsWhileItIsBuiltAgain(t *testing.T, pg *pgtest.Server) {
	url := pg.Database()
	leader := lead(t, postgres.Options{URL: url, Node: "one", Retention: time.Millisecond})
	set(t, leader, "a", "0")
	second := openOnly(t, postgres.Options{URL: url, Node: "two"})
	first, _ := second.Progress()
	wait.Until(t, "the log begins behind the replica", func() bool {
		set(t, leader, "a", "1")
		st, err := postgres.ReadStatus(t.Context(), url)
		return err == nil && st.First > first
	})
	ctx, stop := context.WithCancel(t.Context())
	var resting sync.WaitGroup
	resting.Go(func() {
		for ctx.Err() == nil {
			second.Rest(ctx)
		}
	})
	ended := waiting(t, second)
	wait.Until(t, "the replica is built again", func() bool {
		seq, _ := second.Progress()
		return seq > first
	})
	stop()
	resting.Wait()
	select {
	case err := <-ended:
		t.Errorf("Lead = %v, want it to follow", err)
	default:
	}
}
