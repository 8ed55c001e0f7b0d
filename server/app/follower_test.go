package app

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/front/budget"
	"clave/server/process"
)

// TestAReadThatAFollowerCannotServeIsForwarded reads over REST at a follower, which either serves the read or responds
// that it cannot.
func TestAReadThatAFollowerCannotServeIsForwarded(t *testing.T) {
	const body = `{"structuredQuery": {}}`
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusServiceUnavailable: false} {
		s := &followed{ending: process.NewEnding(), cut: process.NewEnding()}
		s.rest = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			w.WriteHeader(status)
		})
		f := &follower{app: &App{budget: budget.New(budget.Options{})}}
		f.indexes.Call = func(context.Context) (timedIndex, error) { return timedIndex{by: s}, nil }
		f.current.Store(s)
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/projects/p/databases/d/documents:runQuery", strings.NewReader(body))
		if got := f.answer(w, r); got != want {
			t.Errorf("a read that gets %d here: answer = %v, want %v", status, got, want)
		}
		if text, err := io.ReadAll(r.Body); !want && (string(text) != body || err != nil) {
			t.Errorf("the read is forwarded with the body %q, %v", text, err)
		}
		s.mu.inProgress.Wait() // it is no longer in progress here
	}
}
