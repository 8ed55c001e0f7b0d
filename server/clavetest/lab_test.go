package clavetest_test

import (
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/clavetest"
)

// TestFaults makes calls of the Go SDK fail: a read before it is served, and a write whose answer is lost.
func TestFaults(t *testing.T) {
	s, client := start(t)
	set(t, client, "notes/a")
	s.SetFaults(t, clavetest.Fault{Calls: "reads", Error: "ABORTED", Times: 1})
	if _, err := client.Doc("notes/a").Get(t.Context()); status.Code(err) != codes.Aborted {
		t.Errorf("the first read: %v, want ABORTED", err)
	}
	if _, err := client.Doc("notes/a").Get(t.Context()); err != nil {
		t.Errorf("the second read: %v", err)
	}
	s.SetFaults(t, clavetest.Fault{Calls: "writes", Lost: true, Times: 1, Error: "INTERNAL"})
	if _, err := client.Doc("notes/b").Create(t.Context(), map[string]any{"n": 1}); status.Code(err) != codes.Internal {
		t.Errorf("a write whose answer is lost: %v, want INTERNAL", err)
	}
	if _, err := client.Doc("notes/b").Get(t.Context()); err != nil {
		t.Errorf("the write did not happen: %v", err)
	}
	s.SetFaults(t, clavetest.Fault{Calls: "writes", Error: "INTERNAL"})
	s.EndFaults(t)
	set(t, client, "notes/c")
}

// TestAdvance advances the clock of the server, which server timestamps follow.
func TestAdvance(t *testing.T) {
	s, client := start(t)
	stamp := func(path string) time.Time {
		t.Helper()
		r, err := client.Doc(path).Set(t.Context(), map[string]any{"at": firestore.ServerTimestamp})
		if err != nil {
			t.Fatal(err)
		}
		return r.UpdateTime
	}
	before := stamp("notes/a")
	s.Advance(t, time.Hour)
	s.Advance(t, 30*time.Minute)
	if got := stamp("notes/b").Sub(before); got < 90*time.Minute || got > 2*time.Hour {
		t.Errorf("the time went on by %v, want an hour and a half", got)
	}
	s.ResetClock(t)
}
