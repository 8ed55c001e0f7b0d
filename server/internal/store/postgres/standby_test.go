package postgres_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"
)

// TestStandbys opens stores on a standby with the tables: it is refused with what to change, or passed over if the URL
// names the primary too. After its promotion it is served.
func TestStandbys(t *testing.T) {
	primary := pgtest.New(t)
	url := primary.Database()
	first := lead(t, postgres.Options{URL: url, Node: "first"})
	set(t, first, "a", "1")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	standby := primary.Standby()
	there := standby.URL(nameOf(url))
	for _, open := range []func() error{
		func() error {
			s, err := postgres.Open(t.Context(), postgres.Options{URL: there, Node: "second", Local: small})
			if err == nil {
				_ = s.Close()
			}
			return err
		},
		func() error {
			m, err := postgres.OpenMembers(t.Context(), there, nil)
			if err == nil {
				_ = m.Close()
			}
			return err
		},
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "is read-only. No server that --store names accepts writes") || strings.Contains(err.Error(), "\n") {
			t.Errorf("the open on a standby returned %v, want that it is refused in one line", err)
		}
	}
	if _, err := postgres.ReadStatus(t.Context(), there); err != nil {
		t.Errorf("ReadStatus at a standby = %v", err)
	}
	both := strings.Replace(there, standby.Addr(), standby.Addr()+","+primary.Addr(), 1)
	second := lead(t, postgres.Options{URL: both, Node: "second"})
	set(t, second, "b", "2")
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	standby.Promote()
	wantAll(t, lead(t, postgres.Options{URL: there, Node: "third"}), "a=1 b=2")
}

// hurried is a clock that is a minute later at each call of Now, so that each failure is logged.
type hurried struct {
	clock.Clock
	minutes *atomic.Int64
}

// Now implements clock.Clock.
func (h hurried) Now() time.Time {
	return h.Clock.Now().Add(time.Duration(h.minutes.Add(1)) * time.Minute)
}

// TestOutagesAreLoggedWithoutRepetition stops PostgreSQL while a node waits: each line about it has the text of the
// error once.
func TestOutagesAreLoggedWithoutRepetition(t *testing.T) {
	pg := pgtest.New(t)
	var log pgtest.Log
	s, err := postgres.Open(t.Context(), postgres.Options{
		URL: pg.Database(), Node: "n", Local: small, Clock: hurried{clock.System(), new(atomic.Int64)}, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	pg.Stop(syscall.SIGQUIT)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Lead(ctx) }()
	const text = "connection refused"
	wait.Until(t, "the failure is logged", func() bool { return strings.Contains(log.String(), text) })
	cancel()
	<-ended // with the error of ctx
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(log.String()) {
		if n := strings.Count(line, text); n > 1 {
			t.Errorf("the text of the error is %d times in %s", n, line)
		}
	}
}

// TestAFollowerWithoutRights takes a right of a follower's user away: the log names what failed and what to change,
// once.
func TestAFollowerWithoutRights(t *testing.T) {
	pg := pgtest.New(t)
	url := pg.Database()
	lead(t, postgres.Options{URL: url, Node: "first"})
	pg.Exec(url, "create role second login password 'hunter2'")
	pg.Exec(url, "grant all on all tables in schema public to second")
	var log pgtest.Log
	s, err := postgres.Open(t.Context(), postgres.Options{
		URL: strings.Replace(url, "clave:"+pg.Password(), "second:hunter2", 1), Node: "second", Local: small, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	pg.Exec(url, "revoke insert on clave_node from second")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Lead(ctx) }()
	wait.Until(t, "the failure is logged", func() bool { return strings.Contains(log.String(), "following is retried") })
	cancel()
	<-ended // with the error of ctx
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]int{"permission denied for table clave_node": 1, "cannot store the status": 1, "Grant the user": 1, "hunter2": 0} {
		if n := strings.Count(log.String(), text); n != want {
			t.Errorf("the log has %q %d times, want %d: %s", text, n, want, log.String())
		}
	}
}
