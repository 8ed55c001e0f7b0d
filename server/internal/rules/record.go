package rules

import (
	"strconv"
	"strings"
	"time"

	"clave/server/internal/model/resource"
)

// Record is a summary of a decision.
type Record struct {
	// ID numbers the decisions of a monitor.
	ID   string
	Time time.Time
	DB   resource.Database
	// Method is get, list, create, update or delete, and Path the document, or for a query its collection followed by /*.
	Method, Path string
	// Outcome is allow, deny, error, or admin for callers to whom no rules apply.
	Outcome string
	// Auth is the user of the request, nil without one.
	Auth *Auth
	// Statements are the allow statements considered.
	Statements []Statement
}

// Record returns a summary of the decision.
func (e *Evaluation) Record() Record {
	q := &e.request
	r := Record{
		ID: strconv.FormatUint(e.serial, 10), Time: q.Time.Time(), DB: q.database(), Method: q.Method.String(), Path: q.Name.Path, Outcome: e.outcome(), Auth: q.Auth,
		Statements: e.decision.Statements,
	}
	if q.Method == List {
		r.Path = "*"
		if len(q.Query.From) > 0 && q.Query.From[0].Collection != "" {
			r.Path = strings.TrimPrefix(q.Query.Parent+"/"+q.Query.From[0].Collection, "/") + "/*"
		}
	}
	return r
}

// Request returns the decided request, without its Reader.
func (e *Evaluation) Request() Request { return e.request }

// Decision returns the decision.
func (e *Evaluation) Decision() Decision { return e.decision }

// Ruleset returns the rules that decided.
func (e *Evaluation) Ruleset() *Ruleset { return e.ruleset }

// Size returns the approximate size of the evaluation in bytes.
func (e *Evaluation) Size() int {
	size := 1<<10 + e.request.Query.Size()
	if d := e.request.Before; d != nil {
		size += d.Size()
	}
	if d := e.request.After; d != nil {
		size += d.Size()
	}
	return size
}

// Outcome returns the outcome of a decision: allow, deny or error.
func (d *Decision) Outcome() string { return (&Evaluation{decision: *d}).outcome() }
