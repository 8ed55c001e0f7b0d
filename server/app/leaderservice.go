package app

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"clave/server/cluster"
	"clave/server/fault"
	"clave/server/httpjson"
)

// failure is the response of a service to a refused request.
type failure struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// leaderService returns the handler of a service of the leader, which nodes and commands call by callLeader: do serves requests of at most limit
// bytes of JSON.
func leaderService[In, Out any](limit int64, do func(ctx context.Context, in In) (Out, error)) http.Handler {
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
			httpjson.Write(w, http.StatusConflict, failure{fault.CodeOf(err), reason(err)})
			return
		}
		httpjson.Write(w, http.StatusOK, out)
	})
}

// callLeader sends a body to a service of the leader and decodes its response into out. It returns the service's error, or
// Unavailable if the leader does not respond.
func callLeader(ctx context.Context, client *cluster.Client, leader cluster.Leader, service string, body []byte, out any) error {
	status, answer, err := client.Call(ctx, leader, service, body)
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "the node %s: %v", leader.Node, err)
	case status == http.StatusOK:
		return json.Unmarshal(answer, out)
	}
	var refused failure
	if err := json.Unmarshal(answer, &refused); err != nil || refused.Message == "" {
		return fault.E(fault.Unavailable, "the node %s returned status %d", leader.Node, status)
	}
	return fault.E(refused.Code, "%s", refused.Message)
}
