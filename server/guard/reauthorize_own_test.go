package guard

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/listen"
	"clave/server/live"
	"clave/server/operation"
	"clave/server/query"
	"clave/server/resource"
	"clave/server/rules"
	"clave/server/storage/pebblestore"
	"clave/server/token"
	"clave/server/value"
)

// TestTargetsAreReauthorizedAfterALostSubscription revokes a user's right while no subscription of the guard delivers
// the change: the one that it has lost the commits. The user's target must end all the same.
func TestTargetsAreReauthorizedAfterALostSubscription(t *testing.T) {
	store, err := pebblestore.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	manual := clock.NewManual(time.Now())
	e, err := engine.Open(t.Context(), engine.Options{Store: store, Clock: manual})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	rulesets := NewRulesets(RulesetsOptions{})
	if issues := rulesets.Replace("", "", `service cloud.firestore { match /databases/{database}/documents { match /messages/{m} {
		allow read: if get(/databases/$(database)/documents/members/$(request.auth.uid)).data.active;
	} } }`); rules.HasErrors(issues) {
		t.Fatal(rules.Summary(issues))
	}
	g, err := New(Options{Engine: e, Hub: hub, Rules: rulesets, Clock: manual})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 3)
	defer func() {
		cancel()
		for range cap(ended) {
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}()
	go func() { ended <- hub.Run(ctx) }()
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	member := func(active bool) {
		write := document.Write{Name: resource.Document{DB: db, Path: "members/ann"}, Fields: value.Map{"active": value.Bool(active)}}
		if _, err := g.Commit(t.Context(), token.Caller{Privileged: true, Project: "p"}, db, operation.Commit{Writes: []document.Write{write}}); err != nil {
			t.Fatal(err)
		}
	}
	member(true)
	manual.Advance(2 * time.Hour)
	member(true)
	dropOldCommits(t, e, manual, db)

	stream := g.Listen(token.Caller{UID: "ann", Project: "p", Claims: map[string]any{}}, db)
	events := make(chan live.Event, 100)
	go func() {
		err := stream.Run(ctx, func(ev *live.Event) error { events <- *ev; return nil })
		stream.Close()
		ended <- err
	}()
	q, err := (&query.Query{DB: db, From: []query.From{{Collection: "messages"}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	stream.Add(live.Target{ID: 1, Query: q})
	await(t, events, live.Current)
	member(false)
	lost := e.Follow(db, 1) // Its commits were dropped.
	go func() { g.follow(ctx, db, lost); ended <- nil }()
	if cause := await(t, events, live.Removed).Cause; fault.CodeOf(cause) != fault.PermissionDenied {
		t.Errorf("the target of a revoked user ended with %v, want PermissionDenied", cause)
	}
}

// await returns the next event of a kind.
func await(t *testing.T, events <-chan live.Event, kind live.Kind) live.Event {
	t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for {
		select {
		case ev := <-events:
			if ev.Kind == kind {
				return ev
			}
		case <-late.C:
			t.Fatalf("no event of kind %d within 30 seconds", kind)
		}
	}
}

// dropOldCommits runs an engine until it has dropped the commits of a database that are older than the retention.
func dropOldCommits(t *testing.T, e *engine.Engine, manual *clock.Manual, db resource.Database) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	for e.Oldest(db) <= 1 {
		if manual.Timers() > 0 {
			manual.Advance(time.Second)
		}
		runtime.Gosched()
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
