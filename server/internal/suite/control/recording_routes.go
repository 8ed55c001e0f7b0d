package control

import (
	"bytes"
	"encoding/json"
	"net/http"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/authz"
	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
)

// recordingRoutes serves the latest requests to a project that rules decided, as cases of `clave rules test`, one on
// each line:
//
//	GET /emulator/v1/projects/P:recording
type recordingRoutes struct {
	authorizer *authz.Authorizer
	rulesets   *authz.Rulesets
}

// register adds the routes.
func (h *recordingRoutes) register(methods customMethods) {
	methods["GET recording"] = h.recording
}

// recording writes the cases, oldest first.
func (h *recordingRoutes) recording(w http.ResponseWriter, r *http.Request, project string) {
	text, err := h.cases(r, project)
	if err != nil {
		reply(w, nil, err)
		return
	}
	serve(w, "application/jsonl; charset=UTF-8", text, true)
}

// cases returns the cases as text. Its size is bounded as that of the monitor is.
func (h *recordingRoutes) cases(r *http.Request, project string) ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	kept, _ := h.rulesets.Monitor().Kept()
	for _, e := range kept {
		record := e.Record()
		if record.DB.Project != project || record.Outcome == "admin" {
			continue
		}
		q := e.Request()
		read := h.authorizer.PastReader(token.Caller{Privileged: true, Project: project}, &q)
		q.Reader, q.Lookups, q.Unrecorded = read, rules.NewLookups(), true
		d, err := e.Ruleset().Allow(r.Context(), &q)
		if err != nil {
			return nil, err
		}
		c, err := ruletest.Recorded(q.Method.String()+" "+record.Path+" #"+record.ID, &q, d.Allowed, read.Seen())
		if err != nil {
			return nil, err
		}
		if err := out.Encode(c); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}
