package engine_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// waitTimers waits until n calls wait for locks. A result in ended means that one of them didn't wait.
func waitTimers(t *testing.T, manual *clock.Manual, n int, ended <-chan error) {
	t.Helper()
	for manual.Timers() < n {
		select {
		case err := <-ended:
			t.Fatalf("a call ended with %v, want %d calls that wait", err, n)
		default:
			runtime.Gosched()
		}
	}
}

func TestAQueryQueuesBehindAWaitingWriter(t *testing.T) {
	manual := clock.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	put(t, e, set("c/a", n(12)))
	older, reader, younger := begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{})
	if _, err := runIn(t, e, request.At{Transaction: reader}, byN(t, 10, query.NoLimit)); err != nil {
		t.Fatal(err)
	}
	written, queried := make(chan error, 1), make(chan error, 1)
	go func() { written <- commitIn(t.Context(), e, older, set("c/new", n(15))) }()
	waitTimers(t, manual, 1, written)
	found := 0
	go func() {
		var err error
		found, err = runIn(t, e, request.At{Transaction: younger}, byN(t, 10, query.NoLimit))
		queried <- err
	}()
	waitTimers(t, manual, 2, queried)
	if n, err := runIn(t, e, request.At{Transaction: reader}, byN(t, 10, query.NoLimit)); err != nil || n != 1 {
		t.Errorf("the transaction that the writer waits for queries again: %d documents, %v; want 1", n, err)
	}
	if err := e.Rollback(t.Context(), testDB, reader); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Errorf("commit of the older transaction = %v", err)
	}
	if err := <-queried; err != nil || found != 2 {
		t.Errorf("the query behind it: %d documents, %v; want 2", found, err)
	}
}

func TestACancelledWriterUnblocksQueries(t *testing.T) {
	manual := clock.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	put(t, e, set("c/a", n(12)))
	reader, behind := begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{})
	if _, err := runIn(t, e, request.At{Transaction: reader}, byN(t, 10, query.NoLimit)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	written, queried := make(chan error, 1), make(chan error, 1)
	go func() { written <- commitIn(ctx, e, begin(t, e, request.TransactionOptions{}), set("c/new", n(15))) }()
	waitTimers(t, manual, 1, written)
	go func() {
		_, err := runIn(t, e, request.At{Transaction: behind}, byN(t, 10, query.NoLimit))
		queried <- err
	}()
	waitTimers(t, manual, 2, queried)
	cancel()
	if err := <-written; err == nil {
		t.Error("the commit succeeded though its caller had gone")
	}
	if err := <-queried; err != nil {
		t.Errorf("the query behind a cancelled commit = %v", err)
	}
	wantN(t, e, request.At{}, "c/a", value.Int(12))
}
