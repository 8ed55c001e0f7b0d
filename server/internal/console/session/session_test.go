package session_test

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/audit"
	"clave/server/internal/console/session"
	"clave/server/test/kit/wait"
)

// opened returns the sessions of production with an audit log in memory.
func opened(t *testing.T) (*session.Sessions, *clocktest.Manual, *audit.Log) {
	t.Helper()
	manual := clocktest.NewManual(time.Unix(1_700_000_000, 0))
	log, err := audit.Open(audit.Options{Clock: manual})
	if err != nil {
		t.Fatal(err)
	}
	return session.New(session.Options{Audit: log, Clock: manual}), manual, log
}

// enter opens a session by a new link.
func enter(t *testing.T, s *session.Sessions, write bool) (*session.Session, string) {
	t.Helper()
	secret, _ := s.Link(write)
	of, cookie, ok := s.Open(secret, "192.0.2.1")
	if !ok || of.Write != write || of.Address != "192.0.2.1" {
		t.Fatalf("Open = %+v, %v", of, ok)
	}
	return of, cookie
}

// ended reports whether a session has ended.
func ended(of *session.Session) bool {
	select {
	case <-of.Ended():
		return true
	default:
		return false
	}
}

// TestALinkOpensOneSession opens a session by a link, which works once and for ten minutes.
func TestALinkOpensOneSession(t *testing.T) {
	s, manual, _ := opened(t)
	if !s.NeedsLink() {
		t.Error("sessions of production are open to all")
	}
	secret, until := s.Link(false)
	if got := until.Sub(manual.Now()); got != 10*time.Minute {
		t.Errorf("the link is valid for %v", got)
	}
	if _, _, ok := s.Open(secret+"x", ""); ok {
		t.Error("another secret opens a session")
	}
	of, cookie, ok := s.Open(secret, "")
	if !ok || s.Find(cookie, false) != of || s.Find(cookie+"x", false) != nil || s.Find("", false) != nil {
		t.Error("the cookie does not find its session, and only it")
	}
	if _, _, ok := s.Open(secret, ""); ok {
		t.Error("a link opens a second session")
	}
	late, _ := s.Link(true)
	manual.Advance(10 * time.Minute)
	if _, _, ok := s.Open(late, ""); ok {
		t.Error("a link opens a session after ten minutes")
	}
}

// TestTheOldestLinksAndSessionsEnd creates more links and sessions than there may be.
func TestTheOldestLinksAndSessionsEnd(t *testing.T) {
	s, manual, _ := opened(t)
	var links []string
	for range 17 {
		secret, _ := s.Link(false)
		links = append(links, secret)
		manual.Advance(time.Second)
	}
	for i, secret := range links {
		if _, _, ok := s.Open(secret, ""); ok != (i > 0) {
			t.Errorf("link %d of 17 opens a session: %v", i, ok)
		}
	}
	manual.Advance(time.Second)
	first, firstCookie := enter(t, s, false)
	second, _ := enter(t, s, false)
	manual.Advance(time.Second)
	s.Find(firstCookie, true) // 18 sessions; those of the links are the oldest, then second, then first
	for range 64 - 2 {
		enter(t, s, false)
	}
	if ended(first) || ended(second) {
		t.Error("one of the 64 latest sessions has ended")
	}
	enter(t, s, false)
	if ended(first) || !ended(second) {
		t.Errorf("the sessions have ended: %v, %v; want the one that was unused for longer", ended(first), ended(second))
	}
}

// TestLifetimes ends sessions half an hour after the last request of their user, and twelve hours after their
// beginning.
func TestLifetimes(t *testing.T) {
	s, manual, _ := opened(t)
	idle, idleCookie := enter(t, s, false)
	active, activeCookie := enter(t, s, false)
	begin := manual.Now()
	for manual.Now().Sub(begin) < 12*time.Hour-20*time.Minute {
		manual.Advance(20 * time.Minute)
		s.Find(idleCookie, false) // by the page, not by its user
		if s.Find(activeCookie, true) != active {
			t.Fatalf("the active session has ended after %v", manual.Now().Sub(begin))
		}
	}
	if !ended(idle) || s.Find(idleCookie, true) != nil {
		t.Error("requests without an action of the user extend a session")
	}
	if got := s.Expires(active); !got.Equal(begin.Add(12 * time.Hour)) {
		t.Errorf("the active session expires at %v, want twelve hours after its beginning", got.Sub(begin))
	}
	manual.Advance(20 * time.Minute)
	if s.Find(activeCookie, true) != nil || !ended(active) {
		t.Error("a session is longer than twelve hours")
	}
	fresh, _ := enter(t, s, false)
	if got := s.Expires(fresh); !got.Equal(manual.Now().Add(30 * time.Minute)) {
		t.Errorf("a fresh session expires after %v", got.Sub(manual.Now()))
	}
}

// TestRunEndsSessionsWithoutRequests runs the sweep, which ends sessions without further requests.
func TestRunEndsSessionsWithoutRequests(t *testing.T) {
	s, manual, _ := opened(t)
	of, _ := enter(t, s, false)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	wait.Until(t, "the sweep waits", func() bool { return manual.Timers() == 1 })
	manual.Advance(30 * time.Minute)
	wait.Until(t, "the session ends", func() bool { return ended(of) })
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

// TestCallers identifies the requests that the console forwards by their session. A session that has ended identifies
// nothing.
func TestCallers(t *testing.T) {
	s, _, log := opened(t)
	for _, write := range []bool{false, true} {
		of, _ := enter(t, s, write)
		c, err := s.Caller(t.Context(), of.Authorization(), "demo")
		if err != nil || !c.Privileged || c.ReadOnly == write || c.Project != "demo" {
			t.Errorf("the caller is %+v, %v", c, err)
		}
		done, err := c.Journal.Begin(token.Change{Method: "Commit", Targets: []string{"update c/a"}, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		done(fault.E(fault.Aborted, "conflict"))
		entries, _, err := log.Read(1, 0)
		if err != nil || len(entries) != 1 || entries[0].Session != of.ID || entries[0].Address != "192.0.2.1" || entries[0].Result != "ABORTED" || entries[0].Method != "Commit" {
			t.Errorf("the audit log has %+v, %v", entries, err)
		}
		s.End(of)
		s.End(of) // again, which changes nothing
		if !ended(of) {
			t.Error("End does not end the session")
		}
		if _, err := s.Caller(t.Context(), of.Authorization(), "demo"); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("the caller of an ended session: %v, want Unauthenticated", err)
		}
		if _, err := c.Journal.Begin(token.Change{Address: netip.MustParseAddr("192.0.2.2")}); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("a change on a stream that outlives its session: %v, want Unauthenticated", err)
		}
	}
	if _, err := s.Admin(t.Context(), "Bearer x", "demo"); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an unknown credential: %v, want Unauthenticated", err)
	}
}

// TestDevelopmentHasOneSession shares one session that may write, without links and without an end.
func TestDevelopmentHasOneSession(t *testing.T) {
	log, err := audit.Open(audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Open: true, Audit: log})
	of := s.Find("", false)
	if s.NeedsLink() || of == nil || s.Find("any", true) != of || !of.Write || of.ID != "local" || !s.Expires(of).IsZero() {
		t.Fatalf("the session is %+v", of)
	}
	s.End(of)
	if _, err := s.Caller(t.Context(), of.Authorization(), "demo"); err != nil || ended(of) {
		t.Errorf("the shared session ended: %v", err)
	}
}

// TestLinksAreRequestedOnTheSocket requests a link from a server by its data folder, and from a folder without a
// server.
func TestLinksAreRequestedOnTheSocket(t *testing.T) {
	data := t.TempDir()
	if _, err := session.Request(t.Context(), data, true); !errors.Is(err, session.ErrNoServer) {
		t.Errorf("without a server: %v, want %v", err, session.ErrNoServer)
	}
	l, err := session.Listen(data, func(_ context.Context, in session.LinkRequest) (session.Address, error) {
		if !in.Write {
			return session.Address{}, fault.E(fault.PermissionDenied, "read-only")
		}
		return session.Address{URL: "https://console.example/link"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	if got, err := session.Request(t.Context(), data, true); err != nil || got.URL != "https://console.example/link" || !got.Until.IsZero() {
		t.Errorf("Request = %+v, %v", got, err)
	}
	if _, err := session.Request(t.Context(), data, false); err == nil || fault.FromError(err).Message != "read-only" {
		t.Errorf("Request = %v, want the server's error", err)
	}
	if matches, err := filepath.Glob(filepath.Join(data, session.Folder, "*")); err != nil || len(matches) != 1 {
		t.Errorf("the folder has %v, %v; want the socket", matches, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}
