package rules

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
)

// Evaluation is a decision as the request monitor of the Emulator UI shows it.
type Evaluation struct {
	serial   uint64
	ruleset  *Ruleset
	request  Request
	decision Decision
}

// NewEvaluation returns the parts of a decision that the monitor needs.
func NewEvaluation(serial uint64, r *Ruleset, q *Request, d *Decision) *Evaluation {
	e := &Evaluation{serial: serial, ruleset: r, request: *q, decision: *d}
	e.request.Reader, e.request.Lookups, e.request.Spend, e.request.Debug = nil, nil, nil, nil
	e.request.Before, e.request.After = slim(q.Before), slim(q.After)
	e.request.Query = slimQuery(q.Query)
	e.decision.Statements = append([]Statement(nil), d.Statements...)
	return e
}

// maxKept is the maximum size of documents that the monitor keeps. Larger ones are shown empty.
const maxKept = 64 << 10

// slim returns a document that may be kept.
func slim(d *document.Document) *document.Document {
	if d == nil || d.Size() <= maxKept {
		return d
	}
	return &document.Document{Name: d.Name}
}

// slimQuery returns a query without the fields that it selects, which no rule reads and whose number has no limit.
func slimQuery(q *query.Query) *query.Query {
	if q == nil || !q.HasSelect {
		return q
	}
	slim := *q
	slim.HasSelect, slim.Select = false, nil
	return &slim
}

// outcome returns the outcome of the whole request.
func (e *Evaluation) outcome() string {
	if e.decision.Privileged {
		return "admin"
	}
	if e.decision.Allowed {
		return Allowed.String()
	}
	for _, s := range e.decision.Statements {
		if s.Outcome == Failed {
			return Failed.String()
		}
	}
	return Denied.String()
}

// JSON returns the message for the monitor.
func (e *Evaluation) JSON() []byte {
	q := &e.request
	granular := make([]object, len(e.decision.Statements))
	for i, s := range e.decision.Statements {
		granular[i] = object{"line": s.Line, "outcome": s.Outcome == Allowed}
	}
	v := q.value()
	v.Path = eval.NewPath("databases", q.database().ID, "documents")
	path := "/databases/" + q.database().ID + "/documents"
	if q.Method == List {
		if len(q.Query.From) > 0 {
			path += strings.TrimSuffix("/"+q.Query.Parent, "/") + "/" + q.Query.From[0].Collection + "/*"
		}
		if alternatives, err := q.Query.DNF(); err == nil && len(alternatives) > 0 {
			v.Resource = gather(q.Query, alternatives[0]).resource()
		}
	} else {
		path += "/" + q.Name.Path
		v.Path = documentPath(q.Name)
	}
	when := q.Time.Time().Format(time.RFC3339Nano)
	fields := object{}
	for name, member := range map[string]eval.Value{
		"auth": v.Auth, "method": value.String(v.Method), "path": v.Path, "query": v.Query, "resource": v.New, "time": v.Time,
	} {
		if member != nil {
			fields[name] = expressionValue(member)
		}
	}
	context := object{
		"method": v.Method, "path": path, "time": when, "request": object{"mapValue": object{"fields": fields}},
	}
	if v.Resource != nil {
		context["resource"] = expressionValue(v.Resource)
	}
	release := "projects/" + q.database().Project + "/releases/cloud.firestore"
	text, err := json.Marshal(object{
		"requestId": strconv.FormatUint(e.serial, 10), "outcome": e.outcome(), "granularAllowOutcomes": granular,
		// The UI reads the name; the emulator of 2025 sends a key, which begins with it.
		"rules": e.ruleset.Source(), "rulesReleaseName": release, "rulesReleaseKey": release,
		"time": when, "rulesContext": context,
	})
	if err != nil {
		return []byte("{}")
	}
	return text
}
