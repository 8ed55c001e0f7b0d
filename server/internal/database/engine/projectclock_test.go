package engine_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// withClocks opens an engine on a clock that projects may have for themselves.
func withClocks(t *testing.T) (*engine.Engine, *clock.Shifted) {
	t.Helper()
	s := clock.NewShifted()
	return open(t, engine.Options{Clock: s}), s
}

// TestServerTimestampsFollowTheProject commits server timestamps while the clock of the project stands still in the
// past and while it does not; versions go on.
func TestServerTimestampsFollowTheProject(t *testing.T) {
	e, clocks := withClocks(t)
	stamped := func(db resource.Database) (at time.Time, requested, version clock.Version) {
		t.Helper()
		name := resource.Document{DB: db, Path: "c/a"}
		w := document.Write{Name: name, HasMask: true, Transforms: []document.Transform{{Path: value.FieldPath{"at"}, Kind: document.RequestTime}}}
		check := engine.CheckBy(func(_ context.Context, v *engine.CheckView) error { requested = v.Time; return nil })
		r, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{w}}, check)
		if err != nil {
			t.Fatal(err)
		}
		stored, _ := r.Results[0].Transforms[0].(value.Timestamp)
		return stored.Time(), requested, r.Version
	}
	_, _, first := stamped(testDB)
	past := time.Date(2020, 2, 29, 12, 0, 0, 0, time.UTC)
	if err := clocks.SetProject(testDB.Project, past, true); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		at, requested, version := stamped(testDB)
		if !at.Equal(past) || requested != clock.VersionOf(past) || version <= first {
			t.Errorf("pinned at %s: server timestamp %s, request at %s, version %s after %s", past, at, requested.Time(), version.Time(), first.Time())
		}
		first = version
	}
	if at, _, version := stamped(resource.Database{Project: "other", ID: resource.DefaultDatabase}); version.Time().Sub(at).Abs() > time.Second {
		t.Errorf("another project: server timestamp %s at version %s", at, version.Time())
	}
	clocks.ResetProject(testDB.Project)
	if at, _, version := stamped(testDB); version.Time().Sub(at).Abs() > time.Second {
		t.Errorf("after the reset: server timestamp %s at version %s", at, version.Time())
	}
}

// TestAProjectsClockExpiresDocuments advances the clock of one project past the times of documents of two.
func TestAProjectsClockExpiresDocuments(t *testing.T) {
	e, clocks := withClocks(t)
	other := resource.Database{Project: "other", ID: resource.DefaultDatabase}
	soon := value.TimestampOf(clocks.Now().Add(time.Hour))
	for _, db := range []resource.Database{testDB, other} {
		if err := e.ChangeIndexes(t.Context(), db, policy); err != nil {
			t.Fatal(err)
		}
		w := document.Write{Name: resource.Document{DB: db, Path: "c/a"}, Fields: value.Map{"at": soon}}
		if _, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{w}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- e.Run(ctx) }()
	if err := clocks.AdvanceProject(testDB.Project, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, e, "c/a")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	r, err := e.Read(t.Context(), other, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if d, err := r.Get(t.Context(), resource.Document{DB: other, Path: "c/a"}); d == nil || err != nil {
		t.Errorf("the document of the other project: %v, %v", d, err)
	}
}

// TestLocksFollowTheProject advances the clock of a project while a write waits for a lock, and past the time for
// which a transaction may be idle.
func TestLocksFollowTheProject(t *testing.T) {
	e, clocks := withClocks(t)
	put(t, e, set("c/a", n(0)))
	if err := clocks.SetProject(testDB.Project, time.Time{}, true); err != nil {
		t.Fatal(err)
	}
	id := begin(t, e, request.TransactionOptions{})
	if _, err := get(t, e, request.At{Transaction: id}, "c/a"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(1))}}, engine.Unrestricted())
		done <- err
	}()
	for ended := false; !ended; { // The writer may not wait yet.
		if err := clocks.AdvanceProject(testDB.Project, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			wantCode(t, "a write that waits for a lock", err, fault.Aborted)
			ended = true
		default:
			runtime.Gosched()
		}
	}
	if err := clocks.AdvanceProject(testDB.Project, 271*time.Second); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the idle transaction", commitIn(t.Context(), e, id, set("c/a", n(2))), fault.Aborted)
}
