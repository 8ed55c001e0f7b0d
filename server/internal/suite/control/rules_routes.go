package control

import (
	"encoding/json"
	"io"
	"net/http"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/rules"
)

// maxRulesBody is the maximum size of a body with rules.
const maxRulesBody = 1 << 20

// ruleRoutes serves the control routes of security rules:
//
//	PUT /emulator/v1/projects/P:securityRules                replaces the rules of a project
//	PUT /emulator/v1/projects/P/databases/D:securityRules    replaces those of one database
//	GET /emulator/v1/projects/P:ruleCoverage                 the values of each expression, as JSON
//	GET /emulator/v1/projects/P:ruleCoverage.html            the same as a page
type ruleRoutes struct{ rulesets *authz.Rulesets }

// register adds the routes.
func (h *ruleRoutes) register(mux *http.ServeMux, methods customMethods) {
	methods["PUT securityRules"] = func(w http.ResponseWriter, r *http.Request, project string) { h.replace(w, r, project, "") }
	methods["GET ruleCoverage"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		report, ok := h.rulesets.Coverage(project)
		serve(w, "application/json; charset=UTF-8", report, ok)
	}
	methods["GET ruleCoverage.html"] = func(w http.ResponseWriter, _ *http.Request, project string) {
		page, ok := h.rulesets.CoverageHTML(project)
		serve(w, "text/html; charset=UTF-8", page, ok)
	}
	mux.Handle(projectPath+"/databases/{target}", customMethods{
		"PUT securityRules": func(w http.ResponseWriter, r *http.Request, database string) {
			h.replace(w, r, r.PathValue("project"), database)
		},
	})
}

// serve writes a report, or 404 when there is none.
func serve(w http.ResponseWriter, contentType string, body []byte, ok bool) {
	if !ok {
		reply(w, nil, fault.E(fault.NotFound, "The project has no security rules."))
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body) // it fails only when the client has disconnected
}

// rulesBody is the body that replaces rules.
type rulesBody struct {
	Rules struct {
		Files []struct {
			Name    string `json:"name"`
			Content string `json:"content"`
		} `json:"files"`
	} `json:"rules"`
	IgnoreErrors      bool `json:"ignore_errors"`
	IgnoreErrorsCamel bool `json:"ignoreErrors"`
}

// issue is an issue of rules, in the form of the official emulator.
type issue struct {
	SourcePosition struct {
		FileName      string `json:"fileName,omitempty"`
		Line          int    `json:"line,omitempty"`
		Column        int    `json:"column,omitempty"`
		CurrentOffset int    `json:"currentOffset,omitempty"`
		EndOffset     int    `json:"endOffset,omitempty"`
	} `json:"sourcePosition"`
	Description string `json:"description"`
	Severity    string `json:"severity"`
}

// replace puts rules in force and returns all issues with them. Rules with an error change nothing; without
// ignore_errors they are refused.
func (h *ruleRoutes) replace(w http.ResponseWriter, r *http.Request, project, database string) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRulesBody))
	var body rulesBody
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil || len(body.Rules.Files) != 1 {
		reply(w, nil, fault.E(fault.InvalidArgument,
			`The body must be {"rules": {"files": [{"name": "…", "content": "…"}]}} with one file.`))
		return
	}
	file := body.Rules.Files[0]
	issues := h.rulesets.Replace(project, database, file.Content)
	if rules.HasErrors(issues) && !body.IgnoreErrors && !body.IgnoreErrorsCamel {
		reply(w, nil, fault.E(fault.InvalidArgument, "%s", rules.Summary(issues)))
		return
	}
	response := struct {
		Issues []issue `json:"issues,omitempty"`
	}{}
	for _, i := range issues {
		one := issue{Description: i.Text, Severity: i.Severity.String()}
		one.SourcePosition.FileName = file.Name
		one.SourcePosition.Line, one.SourcePosition.Column = i.Span.Line, i.Span.Column
		one.SourcePosition.CurrentOffset, one.SourcePosition.EndOffset = i.Span.Start, max(i.Span.Start, i.Span.End-1)
		response.Issues = append(response.Issues, one)
	}
	reply(w, response, nil)
}
