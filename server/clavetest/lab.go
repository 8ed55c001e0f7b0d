package clavetest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Fault is a fault in the project's calls. doc/lab.md describes its members.
type Fault struct {
	// Calls is reads, writes, streams or all; empty means all.
	Calls string `json:"calls,omitempty"`
	// Times is the number of calls that are affected; zero sets no limit.
	Times int `json:"times,omitempty"`
	// Error is the code with which the calls fail: UNAVAILABLE, ABORTED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED or
	// INTERNAL; empty lets them succeed.
	Error string `json:"error,omitempty"`
	// Delay is the delay of the calls in milliseconds.
	Delay int `json:"delay,omitempty"`
	// Lost makes a write succeed and its answer an error. Calls must be writes.
	Lost bool `json:"lost,omitempty"`
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

// EndFaults ends the faults in the project's calls.
func (s *Server) EndFaults(t testing.TB) {
	t.Helper()
	if err := s.call(context.WithoutCancel(t.Context()), http.MethodDelete, "faults", struct{}{}, nil); err != nil {
		t.Error(err)
	}
}

// Advance advances the server's clock, which all its projects share: the time of requests and server timestamps, the
// expiry of tokens, codes and sessions, TTL policies, and all time limits.
func (s *Server) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	if err := s.at(t.Context(), http.MethodPost, "clock:advance", map[string]string{"by": fmt.Sprint(by)}, nil); err != nil {
		t.Fatal(err)
	}
}

// ResetClock resets the server's clock to the machine's.
func (s *Server) ResetClock(t testing.TB) {
	t.Helper()
	if err := s.at(t.Context(), http.MethodDelete, "clock", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
}
