package console

import (
	"encoding/json"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
)

// replayBody holds the changes under which a request is decided again.
type replayBody struct {
	As     json.RawMessage `json:"as"`
	At     *time.Time      `json:"at"`
	Source *string         `json:"source"`
	Data   json.RawMessage `json:"data"`
}

// postReplay decides a request again: as another user, at another time, with other data or by other rules.
func (c *Console) postReplay(in *call) (any, error) {
	e, err := c.evaluation(in)
	if err != nil {
		return nil, err
	}
	var body replayBody
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	q, r := e.Request(), e.Ruleset()
	if len(body.As) > 0 {
		var as *ruletest.Auth
		if err := json.Unmarshal(body.As, &as); err != nil {
			return nil, fault.E(fault.InvalidArgument, `as must be null or {"uid", "token"}.`)
		}
		q.Auth = as.Rules()
	}
	if body.At != nil {
		q.Time = value.TimestampOf(*body.At)
	}
	if body.Source != nil {
		var issues []rules.Issue
		if r, issues = rules.Compile(*body.Source); r == nil {
			return nil, fault.E(fault.InvalidArgument, "%s", rules.Summary(issues))
		}
	}
	if len(body.Data) > 0 {
		if q.After == nil {
			return nil, fault.E(fault.InvalidArgument, "The request writes no document whose data could be replaced.")
		}
		if q.After, err = withData(q.After, body.Data); err != nil {
			return nil, err
		}
	}
	d, _, err := c.decide(in, r, q)
	return d, err
}

// withData returns a document with other fields, in the REST form.
func withData(d *document.Document, fields json.RawMessage) (*document.Document, error) {
	m, _, err := wire.ParseFieldsJSON(string(fields))
	if err != nil {
		return nil, err
	}
	out := *d
	out.Fields = m
	return &out, nil
}

// postReplayAll decides the latest requests by other rules and returns the decisions that differ.
func (c *Console) postReplayAll(in *call) (any, error) {
	var body struct {
		sourceBody
		Limit int `json:"limit"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if body.Source == nil {
		return nil, fault.E(fault.InvalidArgument, "source is missing.")
	}
	r, issues := rules.Compile(*body.Source)
	type result struct {
		ID  string `json:"id"`
		Was string `json:"was"`
		Now string `json:"now"`
	}
	results := []result{}
	kept, most := c.o.Rules.Monitor().Kept()
	if body.Limit < 1 || body.Limit > most {
		body.Limit = usualRequests
	}
	for i := len(kept) - 1; i >= 0 && r != nil && len(results) < body.Limit; i-- {
		record := kept[i].Record()
		if record.Outcome == "admin" {
			continue
		}
		d, _, err := c.decide(in, r, kept[i].Request())
		if err != nil {
			return nil, err
		}
		results = append(results, result{record.ID, record.Outcome, d.Outcome})
	}
	return map[string]any{"ok": r != nil, "issues": issuesJSON(issues), "results": results}, nil
}

// getRequestCase returns a request as a case of `clave rules test`: with the documents that its decision read.
func (c *Console) getRequestCase(in *call) (any, error) {
	e, err := c.evaluation(in)
	if err != nil {
		return nil, err
	}
	q := e.Request()
	d, reader, err := c.decide(in, e.Ruleset(), q)
	if err != nil {
		return nil, err
	}
	one, err := ruletest.Recorded(q.Method.String()+" "+e.Record().Path+" #"+in.PathValue("id"), &q, d.Allowed, reader.Seen())
	if err != nil {
		return nil, err
	}
	return map[string]any{"case": one}, nil
}
