package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// policy are definitions in which documents of collection group c expire by a field that queries can't use.
var policy = index.Definitions{Overrides: []index.Override{{CollectionGroup: "c", Path: "at", TTL: true}}}

// expiring returns a write of a document with a value in the field of the policy.
func expiring(path string, v value.Value) document.Write {
	return set(path, value.Map{"at": v})
}

// exist reports whether there is a document.
func exist(t *testing.T, e *engine.Engine, path string) bool {
	t.Helper()
	d, err := get(t, e, request.At{}, path)
	if err != nil {
		t.Fatal(err)
	}
	return d != nil
}

// awaitGone waits until a document is deleted.
func awaitGone(t *testing.T, e *engine.Engine, path string) {
	t.Helper()
	limit := time.Now().Add(30 * time.Second)
	for exist(t, e, path) {
		if time.Now().After(limit) {
			t.Fatalf("document %s has not expired", path)
		}
		runtime.Gosched()
	}
}

func TestDocumentsExpire(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	manual := clocktest.NewManual(now)
	var expired atomic.Int64
	e := open(t, engine.Options{Clock: manual, Expired: func(resource.Document) { expired.Add(1) }})
	past, later := value.TimestampOf(now.Add(-time.Hour)), value.TimestampOf(now.AddDate(100, 0, 0))
	put(t, e, expiring("c/before", past)) // It is stored before there is a policy.
	if err := e.ChangeIndexes(t.Context(), testDB, policy); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		put(t, e, expiring(fmt.Sprintf("a/b/c/%03d", i), past))
	}
	put(t, e, expiring("c/before/d/below", past))
	put(t, e, expiring("c/text", value.String("2020-01-01T00:00:00Z")), expiring("c/later", later), expiring("d/other", past))
	put(t, e, expiring("c/moved", past))
	put(t, e, expiring("c/moved", later))
	runFor(t, e, manual, 61)
	stop := runUntil(t, e, manual)
	for i := range 200 {
		awaitGone(t, e, fmt.Sprintf("a/b/c/%03d", i))
	}
	awaitGone(t, e, "c/before")
	for _, path := range []string{"c/before/d/below", "c/text", "c/later", "d/other", "c/moved"} {
		if !exist(t, e, path) {
			t.Errorf("document %s was deleted", path)
		}
	}
	stop()
	if n := expired.Load(); n == 0 || n > 201 { // the end of the run cuts off the report of the last ones
		t.Errorf("%d documents were reported as expired, want up to 201", n)
	}
}

// runUntil runs an engine, whose clock it advances a second at a time until stop is called.
func runUntil(t *testing.T, e *engine.Engine, manual *clocktest.Manual) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	running.Go(func() {
		for ctx.Err() == nil {
			if manual.Timers() > 0 {
				manual.Advance(time.Second)
			}
			runtime.Gosched()
		}
	})
	return func() { cancel(); running.Wait() }
}

// TestAMovedTimeIsKept lets a client move the time of documents while they expire: those whose move was acknowledged
// stay.
func TestAMovedTimeIsKept(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	manual := clocktest.NewManual(now)
	e := open(t, engine.Options{Clock: manual})
	if err := e.ChangeIndexes(t.Context(), testDB, policy); err != nil {
		t.Fatal(err)
	}
	past, later := value.TimestampOf(now.Add(-time.Hour)), value.TimestampOf(now.AddDate(100, 0, 0))
	const documents = 200 // ten times as many as are deleted at once
	path := func(i int) string { return fmt.Sprintf("c/%04d", i) }
	for i := range documents {
		put(t, e, expiring(path(i), past))
	}
	stop := runUntil(t, e, manual)
	awaitGone(t, e, path(0))
	exists := true
	moved := map[int]bool{}
	for i := documents - 1; i > 0; i-- {
		w := expiring(path(i), later)
		w.Precondition.Exists = &exists
		var err error = fault.E(fault.Aborted, "")
		for fault.Is(err, fault.Aborted) { // The clock runs fast, so waits for locks end early.
			_, err = e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted())
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		moved[i] = err == nil
	}
	for i := 1; i < documents; i++ {
		if !moved[i] {
			awaitGone(t, e, path(i))
		} else if !exist(t, e, path(i)) {
			t.Errorf("document %s was deleted after its time had been moved", path(i))
		}
	}
	stop()
}
