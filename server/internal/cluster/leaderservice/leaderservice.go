// Package leaderservice has the services of the node that leads, for other nodes and commands: requests and responses
// in JSON over the inner listener, which are repeated while the leader changes.
package leaderservice

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/store"
)

// failure is the response of a service to a refused request.
type failure struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Handler returns the handler of a service of the leader, which nodes and commands call by Call: do serves
// requests of at most limit bytes of JSON.
func Handler[In, Out any](limit int64, do func(ctx context.Context, in In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in In
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil {
			httpjson.Write(w, http.StatusBadRequest, failure{fault.InvalidArgument, err.Error()})
			return
		}
		out, err := do(r.Context(), in)
		if err != nil {
			httpjson.Write(w, http.StatusConflict, failure{fault.CodeOf(err), fault.Reason(err)})
			return
		}
		httpjson.Write(w, http.StatusOK, out)
	})
}

// Call sends a request as JSON to a service of the leader and decodes its response into out. It returns the
// service's error, or Unavailable if no leader is known or it does not respond.
func Call(ctx context.Context, client *forward.Client, leader forward.Leader, service string, in, out any) error {
	if leader.Address == "" {
		return fault.Wrap(ErrNoLeader, fault.Unavailable, "no node leads at the moment. Try again.")
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	status, answer, err := client.Call(ctx, leader, service, body)
	return Decode(leader.Node, status, answer, err, out)
}

// Decode decodes the response of a node's Handler into out, or returns the service's error. It returns Unavailable for
// an error of the connection, and for other responses.
func Decode(node string, status int, answer []byte, err error, out any) error {
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "the node %s: %v", node, err)
	case status == http.StatusOK:
		return json.Unmarshal(answer, out)
	}
	var refused failure
	if err := json.Unmarshal(answer, &refused); err != nil || refused.Message == "" {
		return fault.E(fault.Unavailable, "the node %s returned status %d", node, status)
	}
	return fault.E(refused.Code, "%s", refused.Message)
}

// CallOnce sends a request to a service of the leader and reports whether it was served.
func CallOnce(ctx context.Context, client *forward.Client, leader func() (forward.Leader, <-chan struct{}), service string, body []byte) bool {
	now, _ := leader()
	status, _, err := client.Call(ctx, now, service, body)
	return err == nil && status == http.StatusOK
}

// retryPause is the time after which a call of the leader is retried, unless the leader changes before.
const retryPause = 100 * time.Millisecond

// Retry calls do with the leader, and retries while the error is of a leader that is absent or changing, until ctx is
// done. After the time limit it returns true and the last error. The leader is the zero Leader while none is known.
func Retry(ctx context.Context, leader func() (forward.Leader, <-chan struct{}), limit time.Duration, do func(forward.Leader) error) (late bool, err error) {
	over, stop := clock.System().After(limit)
	defer stop()
	for {
		now, changed := leader()
		if err := do(now); err == nil || !IsTransient(err) {
			return false, err
		} else if late, err := await(ctx, changed, over, err); err != nil {
			return late, err
		}
	}
}

// await waits for the next attempt of Retry. It returns true and the error of the last one if there is none
// because of the time limit.
func await(ctx context.Context, changed <-chan struct{}, over <-chan time.Time, last error) (late bool, err error) {
	again, stop := clock.System().After(retryPause)
	defer stop()
	select {
	case <-changed:
	case <-again:
	case <-over:
		return true, last
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return false, nil
}

// ErrNoLeader is the error if no node leads.
var ErrNoLeader = errors.New("no node leads")

// IsTransient reports whether a retry may succeed.
func IsTransient(err error) bool {
	return errors.Is(err, ErrNoLeader) || errors.Is(err, store.ErrMoved) || errors.Is(err, forward.ErrNotLeading) || fault.Is(err, fault.Unavailable)
}
