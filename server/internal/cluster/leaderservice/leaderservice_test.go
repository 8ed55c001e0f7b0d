package leaderservice

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

	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
)

// TestHandler sends requests to a service: one that it serves, one that it refuses, one that is not JSON and one that
// is too large.
func TestHandler(t *testing.T) {
	h := Handler(20, func(_ context.Context, in struct{ Name string }) (struct{ Hello string }, error) {
		if in.Name == "" {
			return struct{ Hello string }{}, fault.E(fault.NotFound, "nobody")
		}
		return struct{ Hello string }{in.Name}, nil
	})
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"name":"ada"}`, http.StatusOK, `{"Hello":"ada"}`},
		{`{}`, http.StatusConflict, `{"code":5,"message":"nobody"}`},
		{`{`, http.StatusBadRequest, `"code":3`},
		{`{"name":"` + strings.Repeat("a", 20) + `"}`, http.StatusBadRequest, `"code":3`},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tt.body)))
		if got, _ := io.ReadAll(w.Body); w.Code != tt.status || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: %d %s, want %d %s", tt.body, w.Code, got, tt.status, tt.want)
		}
	}
}

// TestRetry calls leaders: one that is elected during the call, none within the time limit, one that refuses, and one
// that is called until the caller gives up.
func TestRetry(t *testing.T) {
	refused := fault.E(fault.InvalidArgument, "a mistake")
	for _, tt := range []struct {
		name string
		// elected is the time after which there is a leader, and patience that after which the caller gives up.
		elected, patience time.Duration
		answer, want      error
		late              bool
		took              time.Duration
	}{
		{"elected", 2*retryPause + retryPause/2, time.Hour, nil, nil, false, 2*retryPause + retryPause/2},
		{"none", time.Hour, time.Hour, nil, ErrNoLeader, true, time.Second},
		{"one that refuses", 0, time.Hour, refused, refused, false, 0},
		{"given up", time.Hour, 2 * retryPause, nil, context.DeadlineExceeded, false, 2 * retryPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, changed := time.Now(), make(chan struct{})
			if tt.elected > 0 {
				timer := time.AfterFunc(tt.elected, func() { close(changed) })
				defer timer.Stop()
			}
			ctx, stop := context.WithTimeout(t.Context(), tt.patience)
			defer stop()
			leader := func() (forward.Leader, <-chan struct{}) {
				if time.Since(began) < tt.elected {
					return forward.Leader{}, changed
				}
				return forward.Leader{Node: "a"}, make(chan struct{})
			}
			late, err := Retry(ctx, leader, time.Second, func(l forward.Leader) error {
				if l.Node == "" {
					return ErrNoLeader
				}
				return tt.answer
			})
			if late != tt.late || !errors.Is(err, tt.want) || time.Since(began) != tt.took {
				t.Errorf("%s: %v, %v after %v; want %v, %v after %v", tt.name, late, err, time.Since(began), tt.late, tt.want, tt.took)
			}
		})
	}
}
