package engine_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// begin begins a transaction.
func begin(t testing.TB, e *engine.Engine, o request.TransactionOptions) []byte {
	t.Helper()
	id, err := e.Begin(t.Context(), testDB, o)
	if err != nil {
		t.Fatalf("Begin = %v", err)
	}
	return id
}

// commitIn commits writes in a transaction.
func commitIn(ctx context.Context, e *engine.Engine, id []byte, writes ...document.Write) error {
	_, err := e.Commit(ctx, testDB, request.Commit{Writes: writes, Transaction: id}, engine.Unrestricted())
	return err
}

// wantCode checks the code of an error.
func wantCode(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s = %v, want %v", what, err, want)
	}
}

// increment adds one to n of a document in transactions until one succeeds, and returns how many it took.
func increment(ctx context.Context, e *engine.Engine, path string, o request.TransactionOptions) (int, error) {
	for tries := 1; ; tries++ {
		id, err := e.Begin(ctx, testDB, o)
		if err != nil {
			return tries, err
		}
		err = func() error {
			r, err := e.Read(ctx, testDB, request.At{Transaction: id})
			if err != nil {
				return err
			}
			defer r.Close()
			d, err := r.Get(ctx, doc(path))
			if err != nil {
				return err
			}
			return commitIn(ctx, e, id, set(path, value.Map{"n": d.Fields["n"].(value.Int) + 1}))
		}()
		if !fault.Is(err, fault.Aborted) {
			return tries, err
		}
		o.Retry = id
	}
}

func TestCounterLosesNothing(t *testing.T) {
	for _, o := range []request.TransactionOptions{{}, {Optimistic: true}} {
		t.Run(fmt.Sprintf("optimistic=%t", o.Optimistic), func(t *testing.T) {
			e := open(t, engine.Options{})
			put(t, e, set("c/counter", n(0)))
			const workers, rounds = 16, 25
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					for range rounds {
						if _, err := increment(t.Context(), e, "c/counter", o); err != nil {
							t.Errorf("increment = %v", err)
							return
						}
					}
				})
			}
			wg.Wait()
			wantN(t, e, request.At{}, "c/counter", value.Int(workers*rounds))
		})
	}
}

func TestTheYoungerOfADeadlockIsAborted(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(0)))
	older, younger := begin(t, e, request.TransactionOptions{}), begin(t, e, request.TransactionOptions{})
	for _, id := range [][]byte{younger, older} {
		if _, err := get(t, e, request.At{Transaction: id}, "c/a"); err != nil {
			t.Fatalf("read in a transaction = %v", err)
		}
	}
	done := make(chan error)
	go func() { done <- commitIn(t.Context(), e, older, set("c/a", n(1))) }()
	wantCode(t, "commit of the younger", commitIn(t.Context(), e, younger, set("c/a", n(2))), fault.Aborted)
	if err := <-done; err != nil {
		t.Errorf("commit of the older = %v", err)
	}
	wantN(t, e, request.At{}, "c/a", value.Int(1))
}

// TestOptimisticTransactionsHaveTheirOwnAge lets an optimistic transaction name an old id, as any client may, in a
// deadlock with an older transaction.
func TestOptimisticTransactionsHaveTheirOwnAge(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	named := begin(t, e, request.TransactionOptions{Optimistic: true})
	older := begin(t, e, request.TransactionOptions{})
	if _, err := get(t, e, request.At{Transaction: older}, "c/y"); err != nil {
		t.Fatal(err)
	}
	younger := begin(t, e, request.TransactionOptions{Optimistic: true, Retry: named})
	done := make(chan error)
	go func() { done <- commitIn(t.Context(), e, younger, set("c/x", n(1)), set("c/y", n(1))) }()
	for manual.Timers() == 0 { // The commit does not wait for c/y yet.
		runtime.Gosched()
	}
	if _, err := get(t, e, request.At{Transaction: older}, "c/x"); err != nil {
		t.Errorf("a read of the older transaction = %v", err)
	}
	wantCode(t, "commit of the younger", <-done, fault.Aborted)
}

func TestAReadKeepsWritersOutUntilTheDeadline(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	put(t, e, set("c/a", n(0)))
	id := begin(t, e, request.TransactionOptions{})
	if _, err := get(t, e, request.At{Transaction: id}, "c/a"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(1))}}, engine.Unrestricted())
		done <- err
	}()
	for manual.Timers() == 0 { // The writer hasn't begun to wait.
		runtime.Gosched()
	}
	manual.Advance(20 * time.Second)
	wantCode(t, "outside write", <-done, fault.Aborted)
	if err := commitIn(t.Context(), e, id, set("c/a", n(2))); err != nil {
		t.Errorf("commit of the reader = %v", err)
	}
	wantN(t, e, request.At{}, "c/a", value.Int(2))
}

// byN is the query of the documents of c with n in a range, in order.
func byN(t testing.TB, from, limit int) *query.Query {
	t.Helper()
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: limit,
		Where: query.Field{Path: value.FieldPath{"n"}, Op: query.GreaterThanOrEqual, Value: value.Int(from)}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// runIn runs a query in a transaction and returns the number of results.
func runIn(t testing.TB, e *engine.Engine, at request.At, q *query.Query) (int, error) {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, at)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	count := 0
	_, err = r.Query(t.Context(), q, func(*document.Document) error { count++; return nil })
	return count, err
}

func TestARangeIsLocked(t *testing.T) {
	tests := []struct {
		name  string
		limit int
		write document.Write
		waits bool
	}{
		{"joining the range", query.NoLimit, set("c/new", n(15)), true},
		{"leaving the range", query.NoLimit, set("c/a", n(1)), true},
		{"deleted from the range", query.NoLimit, document.Write{Op: document.Delete, Name: doc("c/a")}, true},
		{"outside the range", query.NoLimit, set("c/new", n(5)), false},
		{"outside before and after", query.NoLimit, set("c/small", n(6)), false},
		{"other collection", query.NoLimit, set("d/new", n(15)), false},
		{"behind a full page", 1, set("c/new", n(30)), false},
		{"into a full page", 1, set("c/new", n(11)), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			manual := clocktest.NewManual(time.Now())
			e := open(t, engine.Options{Clock: manual})
			put(t, e, set("c/a", n(12)), set("c/b", n(20)), set("c/small", n(1)))
			id := begin(t, e, request.TransactionOptions{})
			if _, err := runIn(t, e, request.At{Transaction: id}, byN(t, 10, tt.limit)); err != nil {
				t.Fatalf("query in a transaction = %v", err)
			}
			done := make(chan error, 1)
			go func() {
				_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{tt.write}}, engine.Unrestricted())
				done <- err
			}()
			if !tt.waits {
				if err := <-done; err != nil {
					t.Errorf("write = %v", err)
				}
				return
			}
			for manual.Timers() == 0 {
				select {
				case err := <-done:
					t.Fatalf("write = %v before the transaction ended", err)
				default:
				}
			}
			if err := e.Rollback(t.Context(), testDB, id, ""); err != nil {
				t.Errorf("Rollback = %v", err)
			}
			if err := <-done; err != nil {
				t.Errorf("write after the transaction = %v", err)
			}
		})
	}
}

func TestTransactionsEnd(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	first := put(t, e, set("c/a", n(0)))
	ctx := t.Context()

	id := begin(t, e, request.TransactionOptions{})
	if err := commitIn(ctx, e, id, set("c/a", n(1))); err != nil {
		t.Errorf("commit = %v", err)
	}
	wantCode(t, "second commit", commitIn(ctx, e, id, set("c/a", n(2))), fault.Aborted)
	wantCode(t, "rollback of an ended one", e.Rollback(ctx, testDB, id, ""), fault.OK)
	wantCode(t, "commit of an unknown one", commitIn(ctx, e, []byte("12345678")), fault.InvalidArgument)
	wantCode(t, "rollback of an unknown one", e.Rollback(ctx, testDB, []byte("12345678"), ""), fault.InvalidArgument)

	idle := begin(t, e, request.TransactionOptions{})
	manual.Advance(61 * time.Second)
	_, err := get(t, e, request.At{Transaction: idle}, "c/a")
	wantCode(t, "read in an idle one", err, fault.Aborted)

	long := begin(t, e, request.TransactionOptions{})
	for range 5 {
		manual.Advance(50 * time.Second)
		if _, err := get(t, e, request.At{Transaction: long}, "c/a"); err != nil {
			t.Errorf("read = %v", err)
		}
	}
	manual.Advance(50 * time.Second)
	wantCode(t, "commit after 300 s", commitIn(ctx, e, long, set("c/a", n(3))), fault.Aborted)

	ro := begin(t, e, request.TransactionOptions{ReadOnly: true, ReadTime: first.Version})
	wantN(t, e, request.At{Transaction: ro}, "c/a", value.Int(0))
	wantCode(t, "write in a read-only one", commitIn(ctx, e, ro, set("c/a", n(4))), fault.InvalidArgument)
	wantCode(t, "commit of an ended read-only one", commitIn(ctx, e, ro), fault.InvalidArgument)
	wantN(t, e, request.At{}, "c/a", value.Int(1))
}

// TestEndTransactions ends the transactions while a commit waits for the lock of one. The commit succeeds, and the
// transaction and new ones are aborted.
func TestEndTransactions(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/d", n(0)))
	id := begin(t, e, request.TransactionOptions{})
	r, err := e.Read(t.Context(), testDB, request.At{Transaction: id})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Get(t.Context(), doc("c/d")); err != nil {
		t.Fatal(err)
	}
	r.Close()
	written := make(chan error, 1)
	go func() { written <- commitIn(t.Context(), e, nil, set("c/d", n(1))) }()
	e.EndTransactions()
	if err := <-written; err != nil {
		t.Errorf("the commit that waited = %v", err)
	}
	wantCode(t, "the transaction's commit", commitIn(t.Context(), e, id, set("c/d", n(2))), fault.Aborted)
	_, err = e.Begin(t.Context(), testDB, request.TransactionOptions{})
	wantCode(t, "a new transaction", err, fault.Aborted)
	put(t, e, set("c/d", n(3)))
}

func TestReadOnlyTransactionReadsOneVersion(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(12)))
	id := begin(t, e, request.TransactionOptions{ReadOnly: true})
	put(t, e, set("c/a", n(1)), set("c/b", n(15)))
	wantN(t, e, request.At{Transaction: id}, "c/a", value.Int(12))
	if got, err := runIn(t, e, request.At{Transaction: id}, byN(t, 10, query.NoLimit)); got != 1 || err != nil {
		t.Errorf("query in a read-only transaction = %d results, %v, want 1", got, err)
	}
	if err := commitIn(t.Context(), e, id); err != nil {
		t.Errorf("commit = %v", err)
	}
}

func TestOptimisticTransactionComparesQueries(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(12)))
	for _, tt := range []struct {
		n    int
		want fault.Code
	}{{5, fault.OK}, {15, fault.Aborted}} {
		id := begin(t, e, request.TransactionOptions{Optimistic: true})
		if _, err := runIn(t, e, request.At{Transaction: id}, byN(t, 10, query.NoLimit)); err != nil {
			t.Fatal(err)
		}
		put(t, e, set(fmt.Sprintf("c/new%d", tt.n), n(tt.n)))
		wantCode(t, fmt.Sprintf("commit after another with n = %d", tt.n), commitIn(t.Context(), e, id, set("d/a", n(0))), tt.want)
	}
}

// TestTransfersKeepTheSum moves amounts between accounts in transactions of all kinds, which find the accounts by
// queries and by name. Meanwhile readers check that the sum is the same at every version.
func TestTransfersKeepTheSum(t *testing.T) {
	e := open(t, engine.Options{})
	const accounts, workers, rounds, start = 6, 8, 40, 100
	var writes []document.Write
	for i := range accounts {
		writes = append(writes, set(fmt.Sprintf("c/%d", i), n(start)))
	}
	put(t, e, writes...)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 1))
			for range rounds {
				for !transfer(t, e, rnd, w%2 == 0) {
				}
				if w == 0 {
					checkSum(t, e, accounts, start*accounts)
				}
			}
		})
	}
	wg.Wait()
	checkSum(t, e, accounts, start*accounts)
}

// transfer moves one from the richest account, or a random one, to another. It returns false when it was aborted.
func transfer(t *testing.T, e *engine.Engine, rnd *rand.Rand, optimistic bool) bool {
	ctx := t.Context()
	r, err := e.Read(ctx, testDB, request.At{Begin: &request.TransactionOptions{Optimistic: optimistic}})
	if err != nil {
		t.Errorf("Read = %v", err)
		return true
	}
	id := r.Transaction()
	defer r.Close()
	var from *document.Document
	if rnd.IntN(2) == 0 {
		q := byN(t, 0, 1)
		q.OrderBy[0].Desc, q.OrderBy[1].Desc = true, true
		_, err = r.Query(ctx, q, func(d *document.Document) error { from = d; return nil })
	} else {
		from, err = r.Get(ctx, doc(fmt.Sprintf("c/%d", rnd.IntN(6))))
	}
	if err != nil {
		return !fault.Is(err, fault.Aborted)
	}
	to, err := r.Get(ctx, doc(fmt.Sprintf("c/%d", rnd.IntN(6))))
	if err != nil {
		return !fault.Is(err, fault.Aborted)
	}
	if from.Name == to.Name {
		return e.Rollback(ctx, testDB, id, "") == nil
	}
	err = commitIn(ctx, e, id,
		set(from.Name.Path, value.Map{"n": from.Fields["n"].(value.Int) - 1}),
		set(to.Name.Path, value.Map{"n": to.Fields["n"].(value.Int) + 1}))
	if err != nil && !fault.Is(err, fault.Aborted) {
		t.Errorf("commit = %v", err)
		return true
	}
	return err == nil
}

// checkSum checks the sum of the accounts at one version, by documents and by index.
func checkSum(t *testing.T, e *engine.Engine, accounts, want int) {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Close()
	sum := value.Int(0)
	for i := range accounts {
		d, err := r.Get(t.Context(), doc(fmt.Sprintf("c/%d", i)))
		if err != nil {
			t.Error(err)
			return
		}
		sum += d.Fields["n"].(value.Int)
	}
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		t.Error(err)
		return
	}
	figures, _, err := r.Aggregate(t.Context(), &query.Aggregation{Query: q,
		Fields: []query.Aggregate{{Alias: "s", Op: query.Sum, Path: value.FieldPath{"n"}}}})
	if err != nil || sum != value.Int(want) || figures["s"] != sum {
		t.Errorf("sum of accounts = %d by documents, %v by index (%v), want %d", sum, figures["s"], err, want)
	}
}

// TestOneClientHasALimitOfTransactions begins one optimistic transaction more than a client may have. The client's
// oldest one ends, and those of another client stay.
func TestOneClientHasALimitOfTransactions(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	of := func(client string) []byte {
		manual.Advance(time.Millisecond)
		return begin(t, e, request.TransactionOptions{Optimistic: true, Client: client})
	}
	others := of("other")
	oldest, second := of("client"), of("client")
	for range engine.MaxPerClient - 1 {
		of("client")
	}
	wantCode(t, "the client's oldest transaction", commitIn(t.Context(), e, oldest, set("c/a", n(1))), fault.Aborted)
	wantCode(t, "the next one", commitIn(t.Context(), e, second, set("c/a", n(1))), fault.OK)
	wantCode(t, "another client's", commitIn(t.Context(), e, others, set("c/b", n(1))), fault.OK)
}

func TestReadOnlyTransactionsAreNotRetried(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(1)))
	id := begin(t, e, request.TransactionOptions{ReadOnly: true})
	_, err := e.Begin(t.Context(), testDB, request.TransactionOptions{Retry: id})
	wantCode(t, "a retry of a read-only transaction", err, fault.InvalidArgument)
	if _, err := get(t, e, request.At{Transaction: id}, "c/a"); err != nil {
		t.Errorf("the transaction after the refusal: %v", err)
	}
}

// TestIdsCannotBeGuessed changes each byte of a transaction's id and corrects the checksum. No such id may name a
// transaction.
func TestIdsCannotBeGuessed(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(1)))
	id := begin(t, e, request.TransactionOptions{})
	for i := range len(id) - 4 {
		other := append([]byte(nil), id...)
		other[i] ^= 1 ^ 2 // The first byte is then of the other kind.
		h := fnv.New32a()
		_, _ = h.Write([]byte(testDB.String()))
		_, _ = h.Write(other[:len(other)-4])
		binary.BigEndian.PutUint32(other[len(other)-4:], h.Sum32())
		if _, err := get(t, e, request.At{Transaction: other}, "c/a"); err == nil {
			t.Errorf("an id with another byte %d finds the transaction", i)
		}
		if err := e.Rollback(t.Context(), testDB, other, ""); err != nil {
			t.Errorf("rollback of an id with another byte %d = %v", i, err)
		}
	}
	if err := commitIn(t.Context(), e, id, set("c/a", n(2))); err != nil {
		t.Errorf("the transaction was ended by others' ids: %v", err)
	}
}
