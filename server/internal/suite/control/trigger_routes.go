package control

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/triggers"
)

// maxTriggerBody is the largest body of a registration, in bytes.
const maxTriggerBody = 64 << 10

// Settling waits for `POST …:settle` until nothing is pending.
type Settling interface {
	// Settle waits until the commits of a project have reached live queries and triggers. It returns ctx's error if ctx
	// ends first.
	Settle(ctx context.Context, project string) error
}

// triggerRoutes serves the control routes of document triggers, as the Firebase CLI and the official emulator have
// them, and three of our own:
//
//	PUT    /emulator/v1/projects/P/triggers/KEY                          registers a trigger of the 1st generation
//	POST   /emulator/v1/projects/P/eventarcTrigger?eventarcTriggerId=KEY registers one of the 2nd generation
//	DELETE /emulator/v1/projects/P/triggers/KEY                          removes a trigger
//	DELETE /emulator/v1/projects/P/triggers                              removes all of a project
//	POST   /emulator/v1/projects/P:settle {"timeout": "10s"}             waits until all events and snapshots are sent
type triggerRoutes struct {
	dispatcher *triggers.Dispatcher
	settling   Settling
}

// register adds the routes.
func (h *triggerRoutes) register(mux *http.ServeMux, methods customMethods) {
	mux.HandleFunc("PUT "+projectPath+"/triggers/{key}", func(w http.ResponseWriter, r *http.Request) {
		h.add(w, r, r.PathValue("key"), triggers.First)
	})
	mux.HandleFunc("POST "+projectPath+"/eventarcTrigger", func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Query().Get("eventarcTriggerId")
		if key == "" {
			reply(w, nil, fault.E(fault.InvalidArgument, "The parameter eventarcTriggerId is missing."))
			return
		}
		h.add(w, r, key, triggers.Second)
	})
	mux.HandleFunc("DELETE "+projectPath+"/triggers", func(w http.ResponseWriter, r *http.Request) {
		h.dispatcher.Clear(r.PathValue("project"))
		reply(w, struct{}{}, nil)
	})
	mux.HandleFunc("DELETE "+projectPath+"/triggers/{key}", h.remove)
	methods["POST settle"] = h.settle
}

// add registers a trigger and returns its registration as the official emulator does: nothing for the 1st generation,
// the request for the 2nd.
func (h *triggerRoutes) add(w http.ResponseWriter, r *http.Request, key string, generation triggers.Generation) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTriggerBody))
	if err != nil {
		reply(w, nil, fault.Wrap(err, fault.InvalidArgument, "Payload isn't valid for request."))
		return
	}
	parse := triggers.ParseFirst
	var response any = struct{}{}
	if generation == triggers.Second {
		parse, response = triggers.ParseSecond, json.RawMessage(body)
	}
	t, err := parse(r.PathValue("project"), key, body)
	if err == nil {
		err = h.dispatcher.Register(t)
	}
	reply(w, response, err)
}

// remove removes a trigger.
func (h *triggerRoutes) remove(w http.ResponseWriter, r *http.Request) {
	project, key := r.PathValue("project"), r.PathValue("key")
	if !h.dispatcher.Remove(project, key) {
		reply(w, nil, fault.E(fault.NotFound, "There is no trigger %q in project %q.", key, project))
		return
	}
	reply(w, struct{}{}, nil)
}

// The limits of a request to settle.
const (
	defaultSettle = 10 * time.Second
	maxSettle     = 5 * time.Minute
)

// settle waits until nothing is being delivered, or responds with an error at the time limit.
func (h *triggerRoutes) settle(w http.ResponseWriter, r *http.Request, project string) {
	limit, err := settleLimit(http.MaxBytesReader(w, r.Body, maxTriggerBody))
	if err != nil {
		reply(w, nil, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	if err := h.settling.Settle(ctx, project); err != nil {
		if ctx.Err() != nil {
			err = fault.Wrap(err, fault.DeadlineExceeded, "Events or snapshots were still on their way after %s.", limit)
		}
		reply(w, nil, err)
		return
	}
	reply(w, struct{}{}, nil)
}

// settleLimit reads how long a request to settle may take.
func settleLimit(body io.Reader) (time.Duration, error) {
	var request struct {
		Timeout string `json:"timeout"`
	}
	switch err := json.NewDecoder(body).Decode(&request); {
	case err == io.EOF || err == nil && request.Timeout == "":
		return defaultSettle, nil
	case err != nil:
		return 0, fault.Wrap(err, fault.InvalidArgument, "The body must be {\"timeout\": \"10s\"}, or empty.")
	}
	limit, err := time.ParseDuration(request.Timeout)
	if err != nil || limit <= 0 || limit > maxSettle {
		return 0, fault.E(fault.InvalidArgument, "timeout must be a duration such as \"10s\", of at most %s; it is %q.", maxSettle, request.Timeout)
	}
	return limit, nil
}
