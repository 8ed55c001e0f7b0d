package engine_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// waitTimers waits until n calls wait for locks. A result in ended means that one of them didn't wait.
func waitTimers(t *testing.T, manual *clocktest.Manual, n int, ended <-chan error) {
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
	manual := clocktest.NewManual(time.Now())
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
	if err := e.Rollback(t.Context(), testDB, reader, ""); err != nil {
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
	manual := clocktest.NewManual(time.Now())
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

// TestAQueryFollowsAWaitingWriter shows that the query of a transaction does not overtake a commit that waits because
// another transaction has read a document.
func TestAQueryFollowsAWaitingWriter(t *testing.T) {
	tests := []struct {
		name   string
		read   string // the document that keeps the commit waiting
		writes []document.Write
		from   int
		waits  bool
		want   int
	}{
		{"the document that was read", "c/a", []document.Write{set("c/a", n(30))}, 10, true, 1},
		{"another document of the commit", "d/b", []document.Write{set("c/a", n(1)), set("d/b", n(2))}, 10, true, 0},
		{"a document outside the range", "c/a", []document.Write{set("c/a", n(1))}, 13, false, 0},
		{"a document of another collection", "d/b", []document.Write{set("d/b", n(2))}, 10, false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			manual := clocktest.NewManual(time.Now())
			e := open(t, engine.Options{Clock: manual})
			put(t, e, set("c/a", n(12)), set("d/b", n(1)))
			reader, behind := begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{})
			if _, err := get(t, e, request.At{Transaction: reader}, tt.read); err != nil {
				t.Fatal(err)
			}
			written, queried := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: tt.writes}, engine.Unrestricted())
				written <- err
			}()
			waitTimers(t, manual, 1, written)
			found := 0
			go func() {
				var err error
				found, err = runIn(t, e, request.At{Transaction: behind}, byN(t, tt.from, query.NoLimit))
				queried <- err
			}()
			if tt.waits {
				waitTimers(t, manual, 2, queried)
			} else if err := <-queried; err != nil || found != tt.want {
				t.Errorf("the query = %d documents, %v; want %d at once", found, err, tt.want)
			}
			if err := e.Rollback(t.Context(), testDB, reader, ""); err != nil {
				t.Fatal(err)
			}
			if !tt.waits {
				return
			}
			if err := <-written; err != nil {
				t.Errorf("the commit = %v", err)
			}
			if err := <-queried; err != nil || found != tt.want {
				t.Errorf("the query = %d documents, %v; want %d after the commit", found, err, tt.want)
			}
		})
	}
}

// TestAQueryDoesNotFollowAWriterThatWaitsForIt shows that a transaction for which a commit waits queries the documents
// of this commit at once, whichever is older.
func TestAQueryDoesNotFollowAWriterThatWaitsForIt(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	put(t, e, set("c/a", n(12)), set("d/b", n(1)))
	older, reader := begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{})
	if _, err := get(t, e, request.At{Transaction: reader}, "d/b"); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- commitIn(t.Context(), e, older, set("c/a", n(1)), set("d/b", n(2))) }()
	waitTimers(t, manual, 1, written)
	if found, err := runIn(t, e, request.At{Transaction: reader}, byN(t, 10, query.NoLimit)); err != nil || found != 1 {
		t.Errorf("the query = %d documents, %v; want 1 before the commit", found, err)
	}
	if err := commitIn(t.Context(), e, reader, set("d/c", n(3))); err != nil {
		t.Errorf("the commit of the transaction that has queried = %v", err)
	}
	if err := <-written; err != nil {
		t.Errorf("the commit behind it = %v", err)
	}
}

// TestACommitWaitsForARangeBeforeItsDocuments shows that a transaction writes a document that it has found by a query
// although a commit waits to write it, whichever is older, and that the commit's precondition is evaluated afterwards.
func TestACommitWaitsForARangeBeforeItsDocuments(t *testing.T) {
	remove := document.Write{Op: document.Delete, Name: doc("c/a")}
	create := set("c/a", n(15))
	create.Precondition.Exists = new(bool)
	for _, olderWrites := range []bool{false, true} {
		manual := clocktest.NewManual(time.Now())
		e := open(t, engine.Options{Clock: manual})
		put(t, e, set("c/a", n(12)))
		writer, reader := begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{})
		if !olderWrites {
			writer, reader = reader, writer
		}
		if _, err := runIn(t, e, request.At{Transaction: reader}, byN(t, 10, query.NoLimit)); err != nil {
			t.Fatal(err)
		}
		written := make(chan error, 1)
		go func() { written <- commitIn(t.Context(), e, writer, create) }()
		waitTimers(t, manual, 1, written)
		if err := commitIn(t.Context(), e, reader, remove); err != nil {
			t.Errorf("the commit of the transaction that has queried = %v, the other one is older: %v", err, olderWrites)
		}
		if err := <-written; err != nil {
			t.Errorf("the commit of the other transaction = %v, it is older: %v", err, olderWrites)
		}
		wantN(t, e, request.At{}, "c/a", value.Int(15))
	}
}
