package listen_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// TestServerChoosesFreeIDs checks that the server doesn't choose an id that the client has in use.
func TestServerChoosesFreeIDs(t *testing.T) {
	h := newFixture(t, listen.Options{})
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 3, Query: collection(t, "c", nil)}})
	c.want("the client's", "ADD[3], CUR[3], B")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "d", nil)}})
	c.want("the server's", "ADD[4], CUR[4], B")
	c.stream.Remove(4)
	c.want("removed", "REM[4]")
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{Query: collection(t, "d", nil)}})
	c.want("another", "ADD[5], CUR[5], B")
}

// TestAnswersComeInOrder checks that two requests with the same id are answered in their order.
func TestAnswersComeInOrder(t *testing.T) {
	h := newFixture(t, listen.Options{})
	s := h.hub.Open(testDB)
	defer s.Close()
	for range 2 {
		s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 3, Query: collection(t, "c", nil)}})
	}
	s.Remove(3)
	s.Finish()
	var got []string
	if err := s.Run(t.Context(), func(e *target.Event) error { got = append(got, text(e)); return nil }); err != nil {
		t.Errorf("Run() = %v", err)
	}
	if all, want := strings.Join(got, ", "), "ADD[3], CUR[3], B, REM[3]{6}, REM[3]"; all != want {
		t.Errorf("an id given twice = %s, want %s", all, want)
	}
}

// TestFinish checks that a client that closes its sending side receives all responses before the stream ends.
func TestFinish(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Query: collection(t, "d", nil), Once: true}})
	c.stream.Finish()
	if err := <-c.ended; err != nil {
		t.Errorf("Run() = %v after Finish, want nil", err)
	}
	c.ended <- nil
	seen := map[string]bool{}
	for len(c.events) > 0 {
		seen[text(<-c.events)] = true
	}
	for _, want := range []string{"chg c/a>[1]", "CUR[1]", "CUR[2]", "REM[2]", "B"} {
		if !seen[want] {
			t.Errorf("before the end there was no %s: %v", want, seen)
		}
	}
}

// TestClientThatOnlySendsWaits checks that a client that sends requests without reading responses can't fill the
// memory.
func TestClientThatOnlySendsWaits(t *testing.T) {
	h := newFixture(t, listen.Options{})
	s := h.hub.Open(testDB)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stuck, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer s.Close()
		ended <- s.Run(ctx, func(*target.Event) error {
			close(stuck)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	<-stuck
	const many = 100_000
	var sent atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range many {
			s.Remove(7)
			sent.Add(1)
		}
	}()
	for still, last := 0, int64(-1); still < 20; still++ {
		if n := sent.Load(); n != last {
			still, last = 0, n
		}
		select {
		case <-done:
			t.Fatalf("%d requests were taken from a client that reads no answer", many)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	<-ended
	<-done // The other requests are dropped, and no sender blocks.
}

// TestAuthorizationIsOfTheVersionShown checks that an authorization that depends on documents is evaluated for the
// version that is sent: neither a later version nor the one at the opening of the target matters.
func TestAuthorizationIsOfTheVersionShown(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	var open atomic.Bool
	ends := make(chan struct{}, 10)
	gate := make(chan struct{})
	authorization := listen.Authorization{PerVersion: true, Done: func() { ends <- struct{}{} }, Check: func(ctx context.Context, read listen.Read) ([]resource.Document, error) {
		if open.Load() {
			<-gate // Wait for both commits below.
		}
		if d, err := read(ctx, docs("c/a")[0]); err != nil || d.Fields["n"] == value.Int(1) {
			return nil, err
		}
		return nil, fault.E(fault.PermissionDenied, "no")
	}}
	c := h.open()
	c.stream.Add(listen.Target{Target: target.Target{ID: 1, Documents: docs("c/a")}, Authorization: authorization})
	c.want("open", "ADD[1], chg c/a>[1], CUR[1], B")
	open.Store(true)
	h.commit(set("c/a", 2))
	h.commit(set("c/a", 1))
	close(gate)
	c.want("a moment that may not be seen", "REM[1]{7}")
	select {
	case <-ends:
	case <-time.After(30 * time.Second):
		t.Error("Done of the authorization was not called when its target ended")
	}
	c.stream.Add(listen.Target{Target: target.Target{ID: 2, Documents: docs("c/a")}, Authorization: authorization})
	c.want("allowed again", "ADD[2], chg c/a>[2], CUR[2], B")
	c.close()
	if len(ends) != 1 {
		t.Errorf("Done was called %d times for the second target, want once", len(ends))
	}
}

// TestTargetRemovedBeforeItIsSent checks that a target that is added and removed at once doesn't make the stream
// consider its other targets as sent: a snapshot would precede their events.
func TestTargetRemovedBeforeItIsSent(t *testing.T) {
	h := newFixture(t, listen.Options{})
	h.commit(set("c/a", 1))
	s := h.hub.Open(testDB)
	defer s.Close()
	s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	received, snapshots := value.Int(0), 0
	err := s.Run(t.Context(), func(e *target.Event) error {
		switch {
		case e.Kind == target.Changed && e.Target == 1:
			received, _ = e.Doc.Document.Fields["n"].(value.Int)
		case e.Kind == target.Snapshot && snapshots == 0:
			// All requests are queued before the stream handles them, and nothing was read before the commit.
			snapshots++
			for i := range 100 {
				h.commit(set("c/a", 2+i))
			}
			s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 2, Query: collection(t, "d", nil)}})
			s.Remove(2)
			s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 3, Query: collection(t, "d", nil)}})
			s.Finish()
		case e.Kind == target.Snapshot:
			if d, err := h.engine.Read(t.Context(), testDB, request.At{ReadTime: e.ReadTime}); err != nil {
				t.Error(err)
			} else {
				doc, err := d.Get(t.Context(), docs("c/a")[0])
				if err != nil || doc.Fields["n"] != received {
					t.Errorf("at a snapshot the client had received %v, want %v (%v)", received, doc.Fields["n"], err)
				}
				d.Close()
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("Run() = %v", err)
	}
}

// TestListenToAMissingDatabase checks that the listener of a database that doesn't exist receives NOT_FOUND.
func TestListenToAMissingDatabase(t *testing.T) {
	h := newFixtureOf(t, engine.Options{Exists: func(resource.Database) bool { return false }}, listen.Options{})
	c := h.open()
	c.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	if err := <-c.ended; !fault.Is(err, fault.NotFound) {
		t.Errorf("the stream ended with %v, want NOT_FOUND", err)
	}
	c.ended <- nil
}

// TestSnapshotsAreLaterThanTheirCommits checks that a snapshot's time is later than every document in it. Browser tabs
// that share a cache query it for changes after their latest document.
func TestSnapshotsAreLaterThanTheirCommits(t *testing.T) {
	h := newFixture(t, listen.Options{})
	s := h.hub.Open(testDB)
	defer s.Close()
	s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "c", nil)}})
	const commits = 50
	var last clock.Version
	snapshots := 0
	err := s.Run(t.Context(), func(e *target.Event) error {
		switch e.Kind {
		case target.Changed:
			last = e.Doc.Document.UpdateTime
		case target.Current, target.Snapshot:
			if e.ReadTime <= last {
				t.Errorf("%v of %d after a change of %d", e.Kind, e.ReadTime, last)
			}
			if e.Kind == target.Current {
				break
			}
			if snapshots++; snapshots > commits {
				s.Finish()
				break
			}
			if at := h.commit(set("c/a", snapshots)); at <= e.ReadTime {
				t.Errorf("a commit at %d after a snapshot of %d", at, e.ReadTime)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if snapshots <= commits {
		t.Errorf("%d snapshots, want one for each of %d commits", snapshots, commits)
	}
}
