package rulesapi

import (
	"context"
	"time"

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

// testSuite has the test cases of a request.
type testSuite struct {
	TestCases []testCase `json:"testCases"`
}

// testResult is the result of a test case.
type testResult struct {
	State         string   `json:"state"`
	DebugMessages []string `json:"debugMessages,omitempty"`
}

// The states of results.
const (
	stateSuccess = "SUCCESS"
	stateFailure = "FAILURE"
)

// maxCases is the maximum number of test cases of a request, and maxTime the time for which they may run together.
const (
	maxCases = 500
	maxTime  = 20 * time.Second
)

// test returns the issues of a ruleset and, if it has no errors, the results of test cases.
func (a *API) test(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		Source    *source    `json:"source"`
		TestSuite *testSuite `json:"testSuite"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	f, err := in.Source.one()
	if err != nil {
		return nil, err
	}
	ruleset, found := rules.Compile(f.Content)
	issues := make([]issue, len(found))
	for i, x := range found {
		issues[i] = issue{position{f.Name, x.Span.Line, x.Span.Column, x.Span.Start, x.Span.End}, x.Text, x.Severity.String()}
	}
	out := struct {
		Issues      []issue      `json:"issues,omitempty"`
		TestResults []testResult `json:"testResults,omitempty"`
	}{Issues: issues}
	if in.TestSuite == nil || rules.HasErrors(found) {
		return out, nil
	}
	if len(in.TestSuite.TestCases) > maxCases {
		return nil, fault.E(fault.InvalidArgument, "The test suite has %d cases, more than %d.", len(in.TestSuite.TestCases), maxCases)
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	for i := range in.TestSuite.TestCases {
		if ctx.Err() != nil {
			return nil, fault.Wrap(ctx.Err(), fault.DeadlineExceeded, "The test cases take longer than %s.", maxTime)
		}
		result, err := in.TestSuite.TestCases[i].run(ctx, ruleset, a.o.Clock.Now())
		if err != nil {
			return nil, fault.Wrap(err, fault.CodeOf(err), "test_suite.test_cases[%d]: %s", i, fault.FromError(err).Message)
		}
		out.TestResults = append(out.TestResults, result)
	}
	return out, nil
}
