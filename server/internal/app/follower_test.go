package app

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/process"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/database/authz"
	"clave/server/internal/limit/receive"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// TestAReadThatAFollowerCannotServeIsForwarded reads over REST at a follower, which either serves the read or responds
// that it cannot.
func TestAReadThatAFollowerCannotServeIsForwarded(t *testing.T) {
	const body = `{"structuredQuery": {}}`
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusServiceUnavailable: false} {
		s := &replicaStack{ending: process.NewEnding(), cut: process.NewEnding()}
		s.rest = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			w.WriteHeader(status)
		})
		f := &follower{app: &App{budget: receive.New(receive.Options{})}}
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

// TestDifferentRules lets the rules of a node differ from the leader's: for a moment, as at each release, for two parts
// that serve reads one after the other, and for long.
func TestDifferentRules(t *testing.T) {
	first, second := new(replicaStack), new(replicaStack)
	var d difference
	for i, look := range []struct {
		by     *replicaStack
		differ bool
		at     time.Duration
		want   bool
	}{
		{first, true, 0, false}, {first, true, rulesWait - 1, false}, {first, false, rulesWait, false}, {first, true, rulesWait + 1, false},
		{second, true, 2*rulesWait + 1, false}, {second, true, 3*rulesWait + 1, true},
	} {
		if got := d.lasts(look.by, look.differ, look.at); got != look.want {
			t.Errorf("look %d: lasts = %v, want %v", i, got, look.want)
		}
	}
}

// TestReadsDoNotWaitLongForAnIndex lets two reads wait for a leader that does not respond, the second one behind the
// first one's request. Neither waits for two requests: it is forwarded then, and waits for a leader once more.
func TestReadsDoNotWaitLongForAnIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &follower{}
		f.indexes.Call = func(context.Context) (timedIndex, error) {
			<-time.After(indexTimeout) // the time limit of f.request
			return timedIndex{}, context.DeadlineExceeded
		}
		reads := make(chan time.Duration)
		for range 2 {
			go func() {
				began := time.Now()
				if err := f.index(t.Context(), &replicaStack{}); err == nil {
					t.Error("there is an index without a leader")
				}
				reads <- time.Since(began)
			}()
			synctest.Wait()
		}
		for range 2 {
			if took := <-reads; took > indexTimeout {
				t.Errorf("a read has waited %v for an index, want at most %v", took, indexTimeout)
			}
		}
	})
}

// TestAStackThatEndsServesNothingNew ends the parts that serve reads. Reads that wait for an index, such as those that
// wait in a node that was suspended, must not be served by them, because they take no more rows of the log.
func TestAStackThatEndsServesNothingNew(t *testing.T) {
	f := &follower{store: &postgres.Store{}}
	s := &replicaStack{rulesets: authz.NewRulesets(authz.RulesetsOptions{}), ending: process.NewEnding()}
	r := timedIndex{Index: forward.Index{Rules: s.rulesets.Digest()}}
	s.ending.End()
	if err := f.reach(t.Context(), s, r); !errors.Is(err, errEnding) {
		t.Errorf("a read reaches an index at parts that end: %v", err)
	}
	// The release is not decoded.
	s.applied(t.Context(), []store.Op{{Kind: store.Set, Key: release.Key(), Value: []byte("not a release")}})
}
