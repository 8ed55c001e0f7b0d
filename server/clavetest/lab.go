package clavetest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"clave/server/internal/model/resource"
	"clave/server/internal/suite/seed"
)

// Fault is a fault in the project's calls. doc/lab.md describes its members.
type Fault struct {
	// Calls is reads, writes, streams or all, which is Firestore's calls, or auth; empty means all.
	Calls string `json:"calls,omitempty"`
	// Method limits the fault to a method: of Firestore, such as Commit, or with Calls auth of Auth, such as
	// signInWithPassword.
	Method string `json:"method,omitempty"`
	// Times is the number of calls that are affected; zero sets no limit.
	Times int `json:"times,omitempty"`
	// Error is the code with which the calls fail: UNAVAILABLE, ABORTED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED or
	// INTERNAL, or with Auth an error of its API such as TOO_MANY_ATTEMPTS_TRY_LATER; empty lets them succeed.
	Error string `json:"error,omitempty"`
	// Delay is the delay of the calls in milliseconds.
	Delay int `json:"delay,omitempty"`
	// Spread adds to the delay up to this many milliseconds, chosen at random from Seed.
	Spread int `json:"spread,omitempty"`
	// Lost makes a call succeed and its answer an error. Calls must be writes or auth.
	Lost bool `json:"lost,omitempty"`
	// After ends streams this many milliseconds after they opened. Calls must be streams.
	After int `json:"after,omitempty"`
	// ReadOnly makes all writes fail; Offline makes all calls fail, also of Auth, and ends the open streams.
	ReadOnly bool `json:"readOnly,omitempty"`
	Offline  bool `json:"offline,omitempty"`
	// Percent is the percentage of the calls, chosen at random from Seed; zero means all.
	Percent int    `json:"percent,omitempty"`
	Seed    uint64 `json:"seed,omitempty"`
}

// SetFaults replaces the faults in the project's calls. They end with the test.
func (s *Server) SetFaults(t testing.TB, faults ...Fault) {
	t.Helper()
	if err := s.call(t.Context(), http.MethodPut, "faults", map[string]any{"faults": faults}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.EndFaults(t) })
}

// DropStreams ends the project's open streams with a code, UNAVAILABLE if it is empty, and returns their number. SDKs
// open them again.
func (s *Server) DropStreams(t testing.TB, code string) int {
	t.Helper()
	var answer struct{ Dropped int }
	if err := s.call(t.Context(), http.MethodPost, "dropStreams", map[string]string{"error": code}, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Dropped
}

// DropProject removes everything of a project on the server: documents, accounts, rules, settings, usage, faults,
// clock and streams. So each test may have a project of its own, whose id it chooses.
func (s *Server) DropProject(t testing.TB, project string) {
	t.Helper()
	if err := s.at(context.WithoutCancel(t.Context()), http.MethodDelete, "projects/"+url.PathEscape(project), struct{}{}, nil); err != nil {
		t.Error(err)
	}
}

// EndFaults ends the faults in the project's calls.
func (s *Server) EndFaults(t testing.TB) {
	t.Helper()
	if err := s.call(context.WithoutCancel(t.Context()), http.MethodDelete, "faults", struct{}{}, nil); err != nil {
		t.Error(err)
	}
}

// PinClock lets the project's clock stand still at a time, or at the present one if it is zero: the time of requests
// and server timestamps, tokens, codes, sessions and TTL policies follow it, as doc/lab.md describes. Other projects
// are not affected. The clock is reset at the end of the test.
func (s *Server) PinClock(t testing.TB, at time.Time) {
	t.Helper()
	s.setClock(t, at, true)
}

// SetClock sets the project's clock, which goes on from there; the time may be in the past. The clock is reset at the
// end of the test.
func (s *Server) SetClock(t testing.TB, at time.Time) {
	t.Helper()
	s.setClock(t, at, false)
}

// setClock sets the project's clock until the end of the test.
func (s *Server) setClock(t testing.TB, at time.Time, pinned bool) {
	t.Helper()
	body := map[string]any{"pinned": pinned}
	if !at.IsZero() {
		body["at"] = at
	}
	s.changeClock(t, http.MethodPut, "clock", body)
}

// Advance advances the project's clock, also while it stands still. The clock is reset at the end of the test.
func (s *Server) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	s.changeClock(t, http.MethodPost, "advance", map[string]string{"by": fmt.Sprint(by)})
}

// changeClock changes the project's clock until the end of the test.
func (s *Server) changeClock(t testing.TB, method, verb string, body any) {
	t.Helper()
	if err := s.call(t.Context(), method, verb, body, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.ResetClock(t) })
}

// ResetClock resets the project's clock to the server's.
func (s *Server) ResetClock(t testing.TB) {
	t.Helper()
	if err := s.call(context.WithoutCancel(t.Context()), http.MethodDelete, "clock", struct{}{}, nil); err != nil {
		t.Error(err)
	}
}

// Seed brings the project to the state that files of JSON, YAML, JavaScript or TypeScript describe. doc/lab.md has the
// format.
func (s *Server) Seed(t testing.TB, files ...string) {
	t.Helper()
	ctx := t.Context()
	target := seed.Emulator(s.Firestore, s.Auth, resource.Database{Project: s.ProjectID, ID: resource.DefaultDatabase})
	sources, err := seed.Read(ctx, files, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	all, err := seed.Load(sources, seed.Options{DB: target.DB, Now: target.Now(ctx)})
	if err != nil {
		t.Fatal(err)
	}
	found, err := seed.Compare(ctx, target, all, false)
	if err == nil {
		err = seed.Apply(ctx, target, found)
	}
	if err != nil {
		t.Fatal(err)
	}
}
