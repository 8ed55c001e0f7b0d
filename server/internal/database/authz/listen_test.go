package authz_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// listener runs a stream and keeps its events.
type listener struct {
	t      *testing.T
	stream *authz.Stream
	events chan *target.Event
	// ended receives Run's error.
	ended chan error
}

// listen opens a stream for a caller until the test ends.
func (h *fixture) listen(c token.Caller) *listener {
	h.t.Helper()
	l := &listener{t: h.t, stream: h.authorizer.Listen(c, testDB), events: make(chan *target.Event, 100), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	go func() {
		l.ended <- l.stream.Run(ctx, func(e *target.Event) error {
			copied := *e
			l.events <- &copied
			return nil
		})
	}()
	h.t.Cleanup(func() {
		cancel()
		if err := <-l.ended; !errors.Is(err, context.Canceled) && !fault.Is(err, fault.Internal) {
			h.t.Errorf("Run() = %v", err)
		}
		l.stream.Close()
	})
	return l
}

// await returns the next event of a kind and skips others.
func (l *listener) await(kind target.Kind) *target.Event {
	l.t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for {
		select {
		case e := <-l.events:
			if e.Kind == kind {
				return e
			}
			if e.Kind == target.Removed {
				l.t.Fatalf("the target was removed: %v", e.Cause)
			}
		case <-late.C:
			l.t.Fatalf("no event of kind %d", kind)
		}
	}
}

// adminRules allow active administrators to read messages.
const adminRules = `
    match /messages/{m} {
      allow read: if get(/databases/$(database)/documents/adminusers/$(request.auth.uid)).data.active == true;
    }
    match /public/{p} { allow read: if resource.data.n == 1; }`

// active returns the fields of an administrator's document.
func active(is bool) value.Map { return value.Map{"active": value.Bool(is)} }

func TestListenerEndsWhenDenied(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(adminRules)
	h.seed(set("adminusers/ann", active(true)), set("adminusers/bob", active(true)))
	ann, bob := h.listen(user("ann")), h.listen(user("bob"))
	for _, l := range []*listener{ann, bob} {
		l.stream.Add(target.Target{ID: 1, Query: all(t, "messages")})
		l.await(target.Current)
	}
	h.seed(set("adminusers/ann", active(false)))
	wants(t, "the listener of who is no longer active", ann.await(target.Removed).Cause, fault.PermissionDenied)
	h.seed(set("messages/1", nil))
	bob.await(target.Changed)
	h.seed(set("adminusers/bob", active(false)))
	wants(t, "the listener of the next who is no longer active", bob.await(target.Removed).Cause, fault.PermissionDenied)
}

// TestAResumedListenerIsCheckedWithTheLatestState resumes a listener at a version at which the user had a right that
// was revoked since, before the listener was resumed.
func TestAResumedListenerIsCheckedWithTheLatestState(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(adminRules)
	h.seed(set("adminusers/ann", active(true)))
	ann := h.listen(user("ann"))
	ann.stream.Add(target.Target{ID: 1, Query: all(t, "messages")})
	resume := ann.await(target.Current).Token
	h.seed(set("adminusers/ann", active(false)))
	ann.await(target.Removed)
	again := h.listen(user("ann"))
	again.stream.Add(target.Target{ID: 1, Query: all(t, "messages"), Resume: resume})
	wants(t, "a resumed listener", again.await(target.Removed).Cause, fault.PermissionDenied)
	h.seed(set("adminusers/ann", active(true)))
	again.stream.Add(target.Target{ID: 2, Query: all(t, "messages"), Resume: resume})
	again.await(target.Current)
}

// hooked is a clock that calls a function, once, at the second request of the time after the function was set.
type hooked struct {
	*clocktest.Manual
	mu    sync.Mutex
	calls int
	hook  func()
}

// set sets the function.
func (h *hooked) set(hook func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls, h.hook = 0, hook
}

// Now implements clock.Clock.
func (h *hooked) Now() time.Time {
	h.mu.Lock()
	hook := h.hook
	if h.calls++; h.calls == 2 {
		h.hook = nil
	} else {
		hook = nil
	}
	h.mu.Unlock()
	if hook != nil {
		hook()
	}
	return h.Manual.Now()
}

// TestARightRevokedDuringTheDecision revokes a user's right after the reading for the user's first snapshot was opened,
// and before the hub has recorded which documents the decision depends on.
func TestARightRevokedDuringTheDecision(t *testing.T) {
	times := &hooked{Manual: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { o.Clock = times })
	h.rules(adminRules)
	h.seed(set("adminusers/ann", active(true)), set("adminusers/bob", active(true)))
	h.seed(set("adminusers/eve", active(true)))
	bob, eve, first, second := h.listen(user("bob")), h.listen(user("eve")), h.listen(user("ann")), h.listen(user("ann"))
	for _, l := range []*listener{bob, eve, first} {
		l.stream.Add(target.Target{ID: 1, Query: all(t, "messages")})
		l.await(target.Current)
	}
	h.seed(set("adminusers/bob", active(false)))
	bob.await(target.Removed)
	h.seed(set("adminusers/eve", active(false)))
	eve.await(target.Removed)
	h.seed(set("messages/1", nil))
	first.await(target.Changed)
	times.set(func() { // The first request of the time is that for the token's expiry.
		if err := h.commit(server, set("adminusers/ann", active(false))); err != nil {
			t.Error(err)
		}
		late := time.NewTimer(30 * time.Second)
		defer late.Stop()
		for { // until the hub has handled the change
			select {
			case e := <-first.events:
				if e.Kind == target.Removed {
					return
				}
			case <-late.C:
				t.Error("the first listener was not removed")
				return
			}
		}
	})
	second.stream.Add(target.Target{ID: 1, Query: all(t, "messages")})
	wants(t, "a right revoked during the decision", second.await(target.Removed).Cause, fault.PermissionDenied)
}

func TestListenerIsRefused(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(adminRules)
	l := h.listen(user("eve"))
	l.stream.Add(target.Target{ID: 1, Query: all(t, "messages")})
	wants(t, "messages", l.await(target.Removed).Cause, fault.PermissionDenied)
	l.stream.Add(target.Target{ID: 2, Query: all(t, "public")})
	wants(t, "public, all", l.await(target.Removed).Cause, fault.PermissionDenied)
	l.stream.Add(target.Target{ID: 3, Query: all(t, "public", 1)})
	l.await(target.Current)
}

func TestReplacedRulesReachListeners(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{Open: true})
	l := h.listen(anonymous)
	l.stream.Add(target.Target{ID: 1, Query: all(t, "public")})
	l.await(target.Current)
	h.rules("match /public/{p} { allow list; }")
	h.seed(set("public/1", nil))
	l.await(target.Changed)
	h.rules(adminRules)
	wants(t, "after the rules were tightened", l.await(target.Removed).Cause, fault.PermissionDenied)
}

func TestListenerOfADocumentIsAuthorizedForEachChange(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(adminRules)
	h.seed(set("public/a", value.Map{"n": value.Int(1)}))
	l := h.listen(anonymous)
	l.stream.Add(target.Target{ID: 1, Documents: []resource.Document{name("public/a")}})
	l.await(target.Current)
	h.seed(set("public/a", value.Map{"n": value.Int(1), "m": value.Int(2)}))
	l.await(target.Changed)
	h.seed(set("public/a", value.Map{"n": value.Int(2), "secret": value.Bool(true)}))
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for removed := false; !removed; {
		select {
		case e := <-l.events:
			if e.Kind == target.Changed && e.Doc != nil && e.Doc.Document.Fields["secret"] != nil {
				t.Fatal("a document was sent that may no longer be read")
			}
			if e.Kind == target.Removed {
				wants(t, "after the change", e.Cause, fault.PermissionDenied)
				removed = true
			}
		case <-late.C:
			t.Fatal("the target was not removed")
		}
	}
}

func TestListenerEndsWithItsToken(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /public/{p} { allow list: if request.auth != null; }")
	ann := user("ann")
	ann.Expires = h.clock.Now().Add(time.Hour)
	l := h.listen(ann)
	l.stream.Add(target.Target{ID: 1, Query: all(t, "public")})
	l.await(target.Current)
	h.clock.Advance(59 * time.Minute)
	h.seed(set("public/1", nil))
	l.await(target.Changed)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		select {
		case e := <-l.events:
			if e.Kind == target.Removed {
				t.Fatalf("the target was removed: %v; want the stream's end", e.Cause)
			}
		case err := <-l.ended:
			l.ended <- err
			wants(t, "after the token ended", err, fault.Internal)
			return
		case <-tick.C:
			h.clock.Advance(time.Minute) // repeatedly, because the authorizer may not be waiting for its clock yet
		}
	}
	t.Error("the stream continues")
}
