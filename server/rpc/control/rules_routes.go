package control

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"clave/server/fault"
	"clave/server/guard"
)

// maxRulesBody is the greatest body that replaces rules.
const maxRulesBody = 1 << 20

// Rules answers the control routes of security rules, for `clave start`:
//
//	PUT /emulator/v1/projects/P:securityRules                replaces the rules of a project
//	PUT /emulator/v1/projects/P/databases/D:securityRules    replaces those of one database
//	GET /emulator/v1/projects/P:ruleCoverage                 what each expression has been worth, as JSON
//	GET /emulator/v1/projects/P:ruleCoverage.html            the same as a page
//
// What is none of them is given to next.
func Rules(book *guard.Rulesets, next http.Handler) http.Handler {
	return &ruleRoutes{book: book, next: next}
}

// ruleRoutes answers the control routes of rules.
type ruleRoutes struct {
	book *guard.Rulesets
	next http.Handler
}

// ServeHTTP answers a request.
func (h *ruleRoutes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	project, database, verb, ok := ruleRoute(r.URL.EscapedPath())
	switch {
	case ok && r.Method == http.MethodPut && verb == "securityRules":
		h.replace(w, r, project, database)
	case ok && r.Method == http.MethodGet && database == "" && verb == "ruleCoverage":
		report, ok := h.book.Coverage(project)
		serve(w, "application/json; charset=UTF-8", report, ok)
	case ok && r.Method == http.MethodGet && database == "" && verb == "ruleCoverage.html":
		page, ok := h.book.CoverageHTML(project)
		serve(w, "text/html; charset=UTF-8", page, ok)
	default:
		h.next.ServeHTTP(w, r)
	}
}

// ruleRoute takes a path apart; database is empty where the path names none.
func ruleRoute(path string) (project, database, verb string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/emulator/v1/projects/")
	if !ok {
		return "", "", "", false
	}
	colon := strings.LastIndexByte(rest, ':')
	if colon < 0 {
		return "", "", "", false
	}
	verb = rest[colon+1:]
	segments, ok := unescapeSegments(rest[:colon])
	if !ok {
		return "", "", "", false
	}
	switch {
	case len(segments) == 1:
		return segments[0], "", verb, true
	case len(segments) == 3 && segments[1] == "databases":
		return segments[0], segments[2], verb, true
	}
	return "", "", "", false
}

// unescapeSegments splits an escaped path into its segments, or reports false when one is empty or wrongly escaped.
func unescapeSegments(path string) ([]string, bool) {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == "" {
			return nil, false
		}
		segments[i] = plain
	}
	return segments, true
}

// serve writes a report, or 404 when there is none.
func serve(w http.ResponseWriter, contentType string, body []byte, ok bool) {
	if !ok {
		reply(w, nil, fault.E(fault.NotFound, "The project has no security rules."))
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body) // the client has gone if this fails
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

// issue is one thing that is wrong with rules, as the official emulator tells it.
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

// replace puts rules in force and answers with all that is wrong with them. Rules with an error change nothing; without
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
	issues := h.book.Replace(project, database, file.Content)
	if guard.HasErrors(issues) && !body.IgnoreErrors && !body.IgnoreErrorsCamel {
		reply(w, nil, fault.E(fault.InvalidArgument, "%s", guard.Summary(issues)))
		return
	}
	answer := struct {
		Issues []issue `json:"issues,omitempty"`
	}{}
	for _, i := range issues {
		one := issue{Description: i.Text, Severity: i.Severity.String()}
		one.SourcePosition.FileName = file.Name
		one.SourcePosition.Line, one.SourcePosition.Column = i.Span.Line, i.Span.Column
		one.SourcePosition.CurrentOffset, one.SourcePosition.EndOffset = i.Span.Start, max(i.Span.Start, i.Span.End-1)
		answer.Issues = append(answer.Issues, one)
	}
	reply(w, answer, nil)
}
