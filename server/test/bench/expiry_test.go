package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// The writers of TestExpiryBesideWriters, and the documents that each creates in a turn: at least expiryCreates, and
// one for expiryShare documents that expire. A turn with a million takes seconds: the deletion begins anew in each one,
// and with shorter turns it would begin much more often than once a minute.
const (
	expiryWriters = 16
	expiryCreates = 20
	expiryShare   = 200
)

// TestExpiryBesideWriters lets CLAVE_BENCH_EXPIRED documents expire while clients create others, in turns with the
// deletion at rest, and logs how long creates take in both, and the sizes of the store. A subscription must see each
// deletion once.
func TestExpiryBesideWriters(t *testing.T) {
	documents := 500
	if text := os.Getenv("CLAVE_BENCH_EXPIRED"); text != "" {
		var err error
		if documents, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	s, err := pebble.Open(dir, pebble.Options{Scanned: derive.IsEntry, Region: keys.Region})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	e, err := engine.Open(t.Context(), engine.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	policy := index.Definitions{Overrides: []index.Override{{CollectionGroup: "sessions", Path: "expires", TTL: true}}}
	if err := e.SetIndexes(t.Context(), resource.Database{}, policy); err != nil {
		t.Fatal(err)
	}
	x := &expiry{t: t, e: e}
	x.fill(documents)
	filled := sizeOf(dir)
	x.follow(documents)
	var with, without []time.Duration
	for !x.gone(documents) {
		ctx, rest := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }() // It deletes what has expired at once.
		with = append(with, x.creates()...)
		rest()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		without = append(without, x.creates()...)
		if t.Failed() {
			return
		}
	}
	x.sub.Close()
	x.following.Wait()
	for i, n := range x.deleted {
		if n != 1 {
			t.Errorf("the subscription has seen %d deletions of session %d", n, i)
		}
	}
	count := len(with)
	p50, p99 := quantiles(with)
	p50Without, p99Without := quantiles(without)
	s.Rest(t.Context())
	t.Logf("on the disk are %.1f MB before and %.1f MB after; the process had at most %.0f MiB", float64(filled)/(1<<20), float64(sizeOf(dir))/(1<<20), peak())
	t.Logf("%d documents expired beside %d creates; p50 %v beside %v at rest, p99 %v beside %v (%.2f)", documents, count, p50, p50Without, p99, p99Without, float64(p99)/float64(p99Without))
}

// peak returns the greatest resident size that the process had, in MiB.
func peak() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Maxrss) / 1024 // in KiB on Linux
}

// expiry is an engine with documents that have expired.
type expiry struct {
	t         *testing.T
	e         *engine.Engine
	created   int
	sub       *engine.Subscription
	following sync.WaitGroup
	mu        sync.Mutex
	// deleted counts the deletions of each document that a subscription has seen, and seen those of all.
	deleted []int
	seen    int
}

// fill creates documents that have expired.
func (x *expiry) fill(n int) {
	x.t.Helper()
	now, i := time.Now(), -1
	commitAll(x.t, x.e, n, func() document.Write {
		i++
		f := value.Map{"expires": value.TimestampOf(now.Add(-time.Duration(n-i) * time.Millisecond)), "user": value.String(fmt.Sprint("user-", i)), "n": value.Int(i)}
		return document.Write{Name: resource.Document{DB: db, Path: fmt.Sprintf("sessions/%08d", i)}, Fields: f}
	})
}

// commitAll commits n writes in batches of several clients, which share the waits for the disk. next is called by one
// of them at a time.
func commitAll(t *testing.T, e *engine.Engine, n int, next func() document.Write) {
	t.Helper()
	var mu sync.Mutex
	batch := func() (writes []document.Write) {
		mu.Lock()
		defer mu.Unlock()
		for ; n > 0 && len(writes) < 250; n-- {
			writes = append(writes, next())
		}
		return writes
	}
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for writes := batch(); len(writes) > 0; writes = batch() {
				if _, err := e.Commit(t.Context(), db, request.Commit{Writes: writes}, engine.Unrestricted()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
}

// follow counts the deletions that a subscription reports.
func (x *expiry) follow(n int) {
	x.deleted, x.sub = make([]int, n), x.e.Subscribe(db)
	x.following.Go(func() {
		for {
			commits, err := x.sub.Next(x.t.Context())
			if errors.Is(err, engine.ErrClosed) {
				return
			}
			if err != nil {
				x.t.Error(err)
				return
			}
			x.mu.Lock()
			for _, commit := range commits {
				for _, c := range commit.Changes {
					var i int
					if _, err := fmt.Sscanf(c.Name.Path, "sessions/%d", &i); err == nil && c.After == nil {
						x.deleted[i]++
						x.seen++
					}
				}
			}
			x.mu.Unlock()
		}
	})
}

// gone reports whether the subscription has seen the deletion of n documents.
func (x *expiry) gone(n int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen >= n
}

// creates creates documents with concurrent clients and returns how long each took.
func (x *expiry) creates() []time.Duration {
	turn := max(expiryCreates, len(x.deleted)/expiryShare)
	took := make([]time.Duration, expiryWriters*turn)
	var clients sync.WaitGroup
	for c := range expiryWriters {
		clients.Go(func() {
			for i := range turn {
				n := c*turn + i
				began := time.Now()
				w := document.Write{Name: name(x.created + n), Fields: fields(n)}
				if _, err := x.e.Commit(x.t.Context(), db, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted()); err != nil {
					x.t.Error(err)
				}
				took[n] = time.Since(began)
			}
		})
	}
	clients.Wait()
	x.created += len(took)
	return took
}
