package console

import (
	"bytes"
	"encoding/json"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
)

// maxCases is the maximum number of cases that one request may run.
const maxCases = 5000

// rulesJSON is the answer of GET /api/rules.
type rulesJSON struct {
	Source *string `json:"source"`
	File   *string `json:"file"`
	Scope  string  `json:"scope"`
	Open   bool    `json:"open"`
}

// issueJSON is an error or a warning about rules.
type issueJSON struct {
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
}

// issuesJSON returns the issues of rules.
func issuesJSON(issues []rules.Issue) []issueJSON {
	out := make([]issueJSON, len(issues))
	for i, one := range issues {
		out[i] = issueJSON{one.Span.Line, one.Span.Column, one.Span.Start, one.Span.End, one.Severity.String(), one.Text}
	}
	return out
}

// getRules returns the rules in force.
func (c *Console) getRules(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	r, scope := c.o.Rules.Ruleset(db)
	out := rulesJSON{Scope: scope, Open: r == nil && c.o.Rules.Open()}
	if r != nil {
		source := r.Source()
		out.Source = &source
	}
	file := c.o.RulesFiles[db.ID]
	if scope == "all" {
		file = c.o.RulesFiles[resource.DefaultDatabase]
	}
	if file != "" && scope != "project" {
		out.File = &file
	}
	return out, nil
}

// sourceBody is a body with rules.
type sourceBody struct {
	databaseBody
	Source *string `json:"source"`
}

// readSource reads and checks a sourceBody.
func (in *call) readSource() (body sourceBody, err error) {
	if err := in.decode(&body); err != nil {
		return body, err
	}
	if body.Source == nil {
		return body, fault.E(fault.InvalidArgument, "source is missing.")
	}
	return body, nil
}

// checkedJSON holds the issues of rules. OK is false for rules that cannot come into force.
type checkedJSON struct {
	OK     bool        `json:"ok"`
	Issues []issueJSON `json:"issues"`
}

// postRulesCheck returns the issues of rules.
func (c *Console) postRulesCheck(in *call) (any, error) {
	body, err := in.readSource()
	if err != nil {
		return nil, err
	}
	_, issues := rules.Compile(*body.Source)
	return checkedJSON{!rules.HasErrors(issues), issuesJSON(issues)}, nil
}

// putRules replaces the rules in force of a database in their scope: that database, its project, or all databases.
func (c *Console) putRules(in *call) (any, error) {
	body, err := in.readSource()
	if err != nil {
		return nil, err
	}
	db, err := in.database(body.databaseBody)
	if err != nil {
		return nil, err
	}
	ended, err := in.caller(db.Project).Change(func() token.Change {
		return token.Change{Method: "rules", Database: db.String(), Targets: []string{"update rules"}, Count: 1}
	})
	if err != nil {
		return nil, err
	}
	project, database := "", ""
	switch _, scope := c.o.Rules.Ruleset(db); scope {
	case "project":
		project = db.Project
	case "database":
		project, database = db.Project, db.ID
	}
	issues := c.o.Rules.Replace(project, database, *body.Source)
	out := checkedJSON{!rules.HasErrors(issues), issuesJSON(issues)}
	if out.OK {
		ended(nil)
	} else {
		ended(fault.E(fault.InvalidArgument, "%s", rules.Summary(issues)))
	}
	return out, nil
}

// caseJSON is the result of a case.
type caseJSON struct {
	ID       string `json:"id"`
	Good     bool   `json:"good"`
	Verdict  string `json:"verdict"`
	Expected string `json:"expected"`
	Why      string `json:"why"`
}

// postRulesRun decides cases by the rules of the request, or by those in force if it has none. A case with rules of its
// own is decided by these. An invalid case has the verdict "invalid" and does not end the run.
func (c *Console) postRulesRun(in *call) (any, error) {
	var body struct {
		sourceBody
		Cases json.RawMessage `json:"cases"`
	}
	db, err := in.decodeAt(&body, &body.databaseBody)
	if err != nil {
		return nil, err
	}
	source := ""
	if body.Source != nil {
		source = *body.Source
	} else if r, _ := c.o.Rules.Ruleset(db); r != nil {
		source = r.Source()
	}
	cases, err := ruletest.ReadCases(bytes.NewReader(body.Cases))
	if err != nil || len(cases) > maxCases {
		return nil, fault.E(fault.InvalidArgument, "cases must be a list of at most %d cases, as clave rules test takes them.", maxCases)
	}
	out := make([]caseJSON, len(cases))
	for i := range cases {
		one := &cases[i]
		if one.Rules == "" {
			one.Rules = source
		}
		out[i] = caseJSON{ID: one.ID, Expected: one.Expect}
		if out[i].Verdict, out[i].Why, err = one.Decide(in.Context()); err != nil {
			out[i].Verdict, out[i].Why = "invalid", err.Error()
		}
		out[i].Good = one.Accepts(out[i].Verdict)
	}
	return map[string]any{"results": out}, in.Context().Err()
}

// getCoverage returns the values of the expressions of the rules in force.
func (c *Console) getCoverage(in *call) (any, error) {
	db, err := in.database(databaseBody{})
	if err != nil {
		return nil, err
	}
	r, _ := c.o.Rules.Ruleset(db)
	if r == nil {
		return nil, fault.E(fault.NotFound, "The database has no security rules.")
	}
	return map[string]any{"source": r.Source(), "expressions": r.Expressions()}, nil
}
