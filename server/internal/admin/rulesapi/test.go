package rulesapi

import (
	"context"
	"encoding/json"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/rules"
)

// issue is an error or a warning about a ruleset.
type issue struct {
	SourcePosition position `json:"sourcePosition"`
	Description    string   `json:"description"`
	Severity       string   `json:"severity"`
}

// position is a place in a file, with byte offsets.
type position struct {
	FileName      string `json:"fileName"`
	Line          int    `json:"line"`
	Column        int    `json:"column"`
	CurrentOffset int    `json:"currentOffset"`
	EndOffset     int    `json:"endOffset"`
}

// test returns the issues of a ruleset.
func (a *API) test(_ context.Context, c *route.Call) (any, error) {
	var in struct {
		Source    *source         `json:"source"`
		TestSuite json.RawMessage `json:"testSuite"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	f, err := in.Source.one()
	if err != nil {
		return nil, err
	}
	if len(in.TestSuite) > 0 && string(in.TestSuite) != "null" && string(in.TestSuite) != "{}" {
		return nil, fault.E(fault.Unimplemented, "This server checks rulesets, and does not run test cases of projects.test. clave rules test does.")
	}
	_, found := rules.Compile(f.Content)
	issues := make([]issue, len(found))
	for i, x := range found {
		issues[i] = issue{position{f.Name, x.Span.Line, x.Span.Column, x.Span.Start, x.Span.End}, x.Text, x.Severity.String()}
	}
	return struct {
		Issues []issue `json:"issues,omitempty"`
	}{issues}, nil
}
