package control

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"clave/server/fault"
	"clave/server/triggers"
)

// maxTriggerBody is the largest body of a registration, in bytes.
const maxTriggerBody = 64 << 10

// Settling is how `POST …:settle` waits until nothing is on its way.
type Settling interface {
	// Settle waits until the commits of a project have reached live queries and triggers. It returns ctx's error when that
	// takes too long.
	Settle(ctx context.Context, project string) error
}

// Triggers serves the control routes of document triggers, for `clave start`, as the Firebase CLI and the official
// emulator have them, and three of our own:
//
//	PUT    /emulator/v1/projects/P/triggers/KEY                          registers a trigger of the 1st generation
//	POST   /emulator/v1/projects/P/eventarcTrigger?eventarcTriggerId=KEY registers one of the 2nd generation
//	DELETE /emulator/v1/projects/P/triggers/KEY                          removes a trigger
//	DELETE /emulator/v1/projects/P/triggers                              removes all of a project
//	POST   /emulator/v1/projects/P:settle {"timeout": "10s"}             waits until nothing is on its way
//
// Other requests go to next.
func Triggers(d *triggers.Dispatcher, s Settling, next http.Handler) http.Handler {
	return &triggerRoutes{dispatcher: d, settling: s, next: next}
}

// triggerRoutes serves the control routes of triggers.
type triggerRoutes struct {
	dispatcher *triggers.Dispatcher
	settling   Settling
	next       http.Handler
}

// ServeHTTP handles a request.
func (h *triggerRoutes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	project, route, key, ok := triggerRoute(r.URL)
	switch {
	case ok && r.Method == http.MethodPut && route == "triggers" && key != "":
		h.register(w, r, project, key, triggers.First)
	case ok && r.Method == http.MethodPost && route == "eventarcTrigger" && key != "":
		h.register(w, r, project, key, triggers.Second)
	case ok && r.Method == http.MethodPost && route == "eventarcTrigger":
		reply(w, nil, fault.E(fault.InvalidArgument, "The parameter eventarcTriggerId is missing."))
	case ok && r.Method == http.MethodDelete && route == "triggers" && key == "":
		h.dispatcher.Clear(project)
		reply(w, struct{}{}, nil)
	case ok && r.Method == http.MethodDelete && route == "triggers":
		h.remove(w, project, key)
	case ok && r.Method == http.MethodPost && route == "settle":
		h.settle(w, r, project)
	default:
		h.next.ServeHTTP(w, r)
	}
}

// triggerRoute splits an address. key is empty where the address names none.
func triggerRoute(u *url.URL) (project, route, key string, ok bool) {
	rest, ok := strings.CutPrefix(u.EscapedPath(), "/emulator/v1/projects/")
	if !ok {
		return "", "", "", false
	}
	segments, ok := unescapeSegments(rest)
	if !ok {
		return "", "", "", false
	}
	project, verb, _ := strings.Cut(segments[0], ":")
	switch {
	case project == "":
		return "", "", "", false
	case len(segments) == 1 && verb == "settle":
		return project, verb, "", true
	case verb != "":
		return "", "", "", false
	case len(segments) == 2 && segments[1] == "eventarcTrigger":
		return project, segments[1], u.Query().Get("eventarcTriggerId"), true
	case len(segments) == 2 && segments[1] == "triggers":
		return project, segments[1], "", true
	case len(segments) == 3 && segments[1] == "triggers":
		return project, segments[1], segments[2], true
	}
	return "", "", "", false
}

// register adds a trigger and returns its registration as the official emulator does: nothing for the 1st generation, the
// request for the 2nd.
func (h *triggerRoutes) register(w http.ResponseWriter, r *http.Request, project, key string, generation triggers.Generation) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTriggerBody))
	if err != nil {
		reply(w, nil, fault.Because(err, fault.InvalidArgument, "Payload isn't valid for request."))
		return
	}
	parse := triggers.ParseFirst
	var answer any = struct{}{}
	if generation == triggers.Second {
		parse, answer = triggers.ParseSecond, json.RawMessage(body)
	}
	t, err := parse(project, key, body)
	if err == nil {
		err = h.dispatcher.Register(t)
	}
	reply(w, answer, err)
}

// remove removes a trigger.
func (h *triggerRoutes) remove(w http.ResponseWriter, project, key string) {
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

// settle waits until nothing is on its way, or says that it took too long.
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
			err = fault.Because(err, fault.DeadlineExceeded, "Events or snapshots were still on their way after %s.", limit)
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
		return 0, fault.Because(err, fault.InvalidArgument, "The body must be {\"timeout\": \"10s\"}, or empty.")
	}
	limit, err := time.ParseDuration(request.Timeout)
	if err != nil || limit <= 0 || limit > maxSettle {
		return 0, fault.E(fault.InvalidArgument, "timeout must be a duration such as \"10s\", of at most %s; it is %q.", maxSettle, request.Timeout)
	}
	return limit, nil
}
