package console

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/rules"
)

// The default and the maximum number of requests in a response, and the interval of empty lines in an idle stream.
const (
	usualRequests = 200
	mostRequests  = 1000
	quietStream   = 15 * time.Second
)

// lineJSON is an allow statement that was evaluated.
type lineJSON struct {
	Line    int    `json:"line"`
	Outcome string `json:"outcome"`
	Failure string `json:"failure,omitempty"`
}

// recordJSON is a summary of a decision.
type recordJSON struct {
	ID       string     `json:"id"`
	Time     string     `json:"time"`
	Project  string     `json:"project"`
	Database string     `json:"database"`
	Method   string     `json:"method"`
	Path     string     `json:"path"`
	Outcome  string     `json:"outcome"`
	UID      *string    `json:"uid"`
	Lines    []lineJSON `json:"lines"`
}

// recordOf returns a summary of a decision.
func recordOf(e *rules.Evaluation) recordJSON {
	r := e.Record()
	out := recordJSON{
		ID: r.ID, Time: timeText(r.Time), Project: r.DB.Project, Database: r.DB.ID, Method: r.Method, Path: r.Path, Outcome: r.Outcome, Lines: linesOf(r.Statements),
	}
	if r.Auth != nil {
		out.UID = &r.Auth.UID
	}
	return out
}

// linesOf converts statements.
func linesOf(statements []rules.Statement) []lineJSON {
	out := make([]lineJSON, len(statements))
	for i, s := range statements {
		out[i] = lineJSON{Line: s.Line, Outcome: s.Outcome.String()}
		if s.Failure != nil {
			out[i].Failure = s.Failure.Text
		}
	}
	return out
}

// filtered reports whether the query parameters select a decision.
func (in *call) filtered(r *recordJSON) bool {
	for name, has := range map[string]string{"outcome": r.Outcome, "method": r.Method, "project": r.Project, "database": r.Database} {
		if want := in.query(name); want != "" && want != has {
			return false
		}
	}
	switch want := in.query("user"); {
	case want == "anonymous" && (r.UID != nil || r.Outcome == "admin"):
		return false
	case want != "" && want != "anonymous" && (r.UID == nil || *r.UID != want):
		return false
	}
	return strings.Contains(r.Path, in.query("path"))
}

// getRequests returns the latest decisions, newest first.
func (c *Console) getRequests(in *call) (any, error) {
	limit, err := in.number("limit", usualRequests, mostRequests)
	if err != nil {
		return nil, err
	}
	before, err := in.number("before", 0, 1<<53)
	if err != nil {
		return nil, err
	}
	kept, most := c.o.Rules.Monitor().Kept()
	out := []recordJSON{}
	more := false
	for i := len(kept) - 1; i >= 0 && !more; i-- {
		r := recordOf(kept[i])
		if n, _ := strconv.Atoi(r.ID); before > 0 && n >= before || !in.filtered(&r) {
			continue
		}
		if more = len(out) == limit; !more {
			out = append(out, r)
		}
	}
	return map[string]any{"requests": out, "more": more, "kept": len(kept), "limit": most}, nil
}

// getRequestStream sends the decisions after a given one, or only future ones, until the client disconnects.
func (c *Console) getRequestStream(in *call) (any, error) {
	after, err := in.number("after", 0, 1<<53)
	if err != nil {
		return nil, err
	}
	// Watching begins before the kept decisions are read. A decision that is made in between occurs in both; its number
	// shows that it was sent already.
	_, watcher := c.o.Rules.Monitor().Watch()
	defer watcher.Close()
	in.begin()
	last := uint64(after)
	send := func(all []*rules.Evaluation) bool {
		for _, e := range all {
			r := recordOf(e)
			n, _ := strconv.ParseUint(r.ID, 10, 64)
			if n <= last {
				continue
			}
			last = n
			if in.filtered(&r) && !in.line(r) {
				return false
			}
		}
		return true
	}
	kept, _ := c.o.Rules.Monitor().Kept()
	if in.query("after") == "" {
		if len(kept) > 0 {
			last, _ = strconv.ParseUint(kept[len(kept)-1].Record().ID, 10, 64)
		}
		kept = nil
	}
	for connected := send(kept) && in.line(struct{}{}); connected; {
		quiet, stop := c.o.Clock.After(quietStream)
		select {
		case <-in.Context().Done():
			connected = false
		case <-watcher.Wake():
			for e := watcher.Next(); e != nil && connected; e = watcher.Next() {
				connected = send([]*rules.Evaluation{e})
			}
		case <-quiet:
			connected = in.line(struct{}{})
		}
		stop()
	}
	return nil, nil
}

// evaluation returns the decision that a request's path names.
func (c *Console) evaluation(in *call) (*rules.Evaluation, error) {
	kept, _ := c.o.Rules.Monitor().Kept()
	for _, e := range kept {
		if e.Record().ID == in.PathValue("id") {
			return e, nil
		}
	}
	return nil, fault.E(fault.NotFound, "There is no request %q, or it is no longer kept.", in.PathValue("id"))
}

// decisionJSON is a decision with the values of expressions.
type decisionJSON struct {
	Allowed     bool               `json:"allowed"`
	Outcome     string             `json:"outcome"`
	Statements  []lineJSON         `json:"statements"`
	Denial      string             `json:"denial,omitempty"`
	Expressions []rules.Expression `json:"expressions"`
	// Lookups are the documents that the rules read, and Cost is the cost of the decision.
	Lookups []lookupJSON `json:"lookups"`
	Cost    costJSON     `json:"cost"`
}

// lookupJSON is a document that the rules read.
type lookupJSON struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
}

// costJSON is the cost of a decision: evaluated expressions, documents that the rules read, and microseconds.
type costJSON struct {
	Evaluations  int64 `json:"evaluations"`
	Lookups      int   `json:"lookups"`
	Microseconds int64 `json:"microseconds"`
}

// evaluations counts how often expressions were evaluated.
func evaluations(all []rules.Expression) (n int64) {
	for _, e := range all {
		for _, v := range e.Values {
			n += int64(v.Count)
		}
		n += evaluations(e.Children)
	}
	return n
}

// decide decides a request again by the given rules. It returns the decision with the values of expressions, and the
// reader that has what the rules looked up.
func (c *Console) decide(in *call, r *rules.Ruleset, q rules.Request) (decisionJSON, *authz.PastReader, error) {
	db := q.Name.DB
	if q.Query != nil {
		db = q.Query.DB
	}
	reader := c.o.Authorizer.PastReader(in.caller(db.Project), &q)
	q.Reader, q.Lookups = reader, rules.NewLookups()
	began := c.o.Clock.Now()
	d, expressions, err := r.AllowTraced(in.Context(), &q)
	if err != nil {
		return decisionJSON{}, nil, err
	}
	out := decisionJSON{Allowed: d.Allowed, Outcome: d.Outcome(), Statements: linesOf(d.Statements), Expressions: expressions, Lookups: []lookupJSON{}}
	seen := reader.Seen()
	out.Cost = costJSON{evaluations(expressions), len(seen), c.o.Clock.Now().Sub(began).Microseconds()}
	for _, path := range slices.Sorted(maps.Keys(seen)) {
		out.Lookups = append(out.Lookups, lookupJSON{path, seen[path] != nil})
	}
	if !d.Allowed {
		out.Denial = d.Denial()
	}
	return out, reader, nil
}

// getRequest returns a decision with all details.
func (c *Console) getRequest(in *call) (any, error) {
	e, err := c.evaluation(in)
	if err != nil {
		return nil, err
	}
	q := e.Request()
	d, _, err := c.decide(in, e.Ruleset(), q)
	if err != nil {
		return nil, err
	}
	// The request was decided again for the details of each statement. For a privileged caller the rules were not
	// evaluated at all.
	if made := e.Decision(); made.Privileged {
		d.Outcome = "admin"
	}
	out := struct {
		recordJSON
		Source   string          `json:"source"`
		Auth     *authJSON       `json:"auth"`
		Before   json.RawMessage `json:"before"`
		After    json.RawMessage `json:"after"`
		Query    any             `json:"query"`
		Decision decisionJSON    `json:"decision"`
	}{recordJSON: recordOf(e), Source: e.Ruleset().Source(), Auth: authOf(q.Auth), Decision: d}
	if out.Before, err = documentJSON(q.Before); err != nil {
		return nil, err
	}
	if out.After, err = documentJSON(q.After); err != nil {
		return nil, err
	}
	if q.Query != nil {
		out.Query = map[string]any{"parent": q.Query.Parent, "limit": q.Query.Limit, "offset": q.Query.Offset, "orderBy": orderText(&q)}
	}
	return out, nil
}

// orderText returns the order of a query.
func orderText(q *rules.Request) []string {
	out := []string{}
	for _, o := range q.Query.OrderBy {
		text := o.Path.String()
		if o.Desc {
			text += " desc"
		}
		out = append(out, text)
	}
	return out
}

// authJSON is the user of a request.
type authJSON struct {
	UID   string         `json:"uid"`
	Token map[string]any `json:"token"`
}

// authOf returns the user of a request, nil without one.
func authOf(a *rules.Auth) *authJSON {
	if a == nil {
		return nil
	}
	return &authJSON{a.UID, a.Claims}
}
