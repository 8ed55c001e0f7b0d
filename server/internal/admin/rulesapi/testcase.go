package rulesapi

import (
	"context"
	"net/url"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// testCase is a test case of the API: a request and the documents around it, in the form in which rules see them.
type testCase struct {
	Expectation           string         `json:"expectation"`
	Request               testRequest    `json:"request"`
	Resource              *testDocument  `json:"resource"`
	FunctionMocks         []functionMock `json:"functionMocks"`
	PathEncoding          string         `json:"pathEncoding"`
	ExpressionReportLevel string         `json:"expressionReportLevel"`
}

// testRequest is the variable request of a test case.
type testRequest struct {
	Auth     *testAuth     `json:"auth"`
	Path     string        `json:"path"`
	Method   string        `json:"method"`
	Time     *time.Time    `json:"time"`
	Resource *testDocument `json:"resource"`
	Query    any           `json:"query"`
}

// testAuth is the user of a test case.
type testAuth struct {
	UID   string         `json:"uid"`
	Token map[string]any `json:"token"`
}

// testDocument is a document of a test case. Its name is that of the request.
type testDocument struct {
	Data map[string]any `json:"data"`
	Name any            `json:"__name__"`
	ID   any            `json:"id"`
}

// functionMock is the result of get, exists, getAfter or existsAfter of a path.
type functionMock struct {
	Function string `json:"function"`
	Args     []struct {
		ExactValue any       `json:"exactValue"`
		AnyValue   *struct{} `json:"anyValue"`
	} `json:"args"`
	Result struct {
		Value     any       `json:"value"`
		Undefined *struct{} `json:"undefined"`
	} `json:"result"`
}

// methods are the methods of requests by their names.
var methods = map[string]rules.Method{"get": rules.Get, "create": rules.Create, "update": rules.Update, "delete": rules.Delete}

// run decides the request of the case. It returns InvalidArgument for an invalid case.
func (t *testCase) run(ctx context.Context, r *rules.Ruleset, now time.Time) (testResult, error) {
	if t.Expectation != "ALLOW" && t.Expectation != "DENY" {
		return testResult{}, fault.E(fault.InvalidArgument, "expectation is %q, expected ALLOW or DENY", t.Expectation)
	}
	q, err := t.request(now)
	if err != nil {
		return testResult{}, err
	}
	mocks, err := t.mocks(q.Name.DB)
	if err != nil {
		return testResult{}, err
	}
	q.Reader = mocks
	d, err := r.Allow(ctx, q)
	switch {
	case ctx.Err() != nil:
		return testResult{}, fault.Ended(ctx.Err(), "The test was cancelled.")
	case err != nil:
		return testResult{State: stateFailure, DebugMessages: []string{fault.FromError(err).Message}}, nil
	case d.Allowed == (t.Expectation == "ALLOW"):
		return testResult{State: stateSuccess}, nil
	case d.Allowed:
		return testResult{State: stateFailure, DebugMessages: []string{"The request was allowed."}}, nil
	}
	return testResult{State: stateFailure, DebugMessages: []string{strings.TrimSpace(d.Denial())}}, nil
}

// request returns the request to decide.
func (t *testCase) request(now time.Time) (*rules.Request, error) {
	in := &t.Request
	method, ok := methods[in.Method]
	switch {
	case in.Method == "list":
		return nil, fault.E(fault.Unimplemented, "This server decides queries by their filters, and test cases have none: test the method list with clave rules test.")
	case !ok:
		return nil, fault.E(fault.InvalidArgument, "request.method is %q, expected get, list, create, update or delete", in.Method)
	}
	path := in.Path
	if t.PathEncoding == "URL_ENCODED" {
		plain, err := url.PathUnescape(path)
		if err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "request.path is not URL-encoded: %q", path)
		}
		path = plain
	}
	name, err := nameOfPath(path)
	if err != nil {
		return nil, err
	}
	if in.Time != nil {
		now = *in.Time
	}
	q := &rules.Request{Method: method, Name: name, Time: value.TimestampOf(now.UTC()), Unrecorded: true}
	if in.Auth != nil {
		claims, _ := whole(in.Auth.Token).(map[string]any)
		q.Auth = &rules.Auth{UID: in.Auth.UID, Claims: claims}
	}
	q.Before = t.Resource.at(name)
	if method == rules.Create || method == rules.Update {
		q.After = in.Resource.at(name)
	}
	return q, nil
}

// nameOfPath returns the document of a path as rules write it.
func nameOfPath(path string) (resource.Document, error) {
	database, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, "/"), "databases/"), "/documents/")
	if !ok || !strings.HasPrefix(strings.TrimPrefix(path, "/"), "databases/") || database == "" || strings.Contains(database, "/") {
		return resource.Document{}, fault.E(fault.InvalidArgument, "request.path is %q, expected /databases/(default)/documents/COLLECTION/ID", path)
	}
	if err := resource.CheckPath(rest); err != nil {
		return resource.Document{}, err
	}
	return resource.Document{DB: resource.Database{ID: database}, Path: rest}, nil
}

// at returns the document with a name, nil without one.
func (d *testDocument) at(name resource.Document) *document.Document {
	if d == nil {
		return nil
	}
	fields, _ := rules.ValueOf(whole(d.Data)).(value.Map)
	return &document.Document{Name: name, Fields: fields}
}

// whole turns the whole numbers in decoded JSON into ints.
func whole(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[k] = whole(item)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = whole(item)
		}
		return out
	case float64:
		if x == float64(int64(x)) {
			return int64(x)
		}
	}
	return v
}

// mockReader has the documents that the mocks of a case describe. It implements rules.Reader.
type mockReader struct {
	known map[mockKey]*document.Document
	// all has the document for every path; a present nil is a missing one.
	all map[bool]*document.Document
}

// mockKey names a document before or after the request.
type mockKey struct {
	path  string
	after bool
}

// mocks returns the documents that the mocks describe. It refuses mocks of other functions.
func (t *testCase) mocks(db resource.Database) (*mockReader, error) {
	m := &mockReader{known: make(map[mockKey]*document.Document), all: make(map[bool]*document.Document)}
	for _, f := range t.FunctionMocks {
		after := strings.HasSuffix(f.Function, "After")
		function := strings.TrimSuffix(f.Function, "After")
		if function != "get" && function != "exists" {
			return nil, fault.E(fault.Unimplemented, "This server takes mocks of get, exists, getAfter and existsAfter only, not of %q.", f.Function)
		}
		if len(f.Args) != 1 {
			return nil, fault.E(fault.InvalidArgument, "function_mocks of %s needs one argument", f.Function)
		}
		var found *document.Document
		switch result := f.Result.Value.(type) {
		case map[string]any:
			data, _ := result["data"].(map[string]any)
			found = (&testDocument{Data: data}).at(resource.Document{})
		case bool:
			if result {
				found = &document.Document{}
			}
		}
		if f.Args[0].AnyValue != nil {
			m.all[after] = found
			continue
		}
		text, _ := f.Args[0].ExactValue.(string)
		name, err := nameOfPath(text)
		if err != nil {
			return nil, err
		}
		key := mockKey{name.Path, after}
		// The document of get has the fields that exists does not tell.
		if before := m.known[key]; function == "get" || before == nil {
			if found != nil {
				found.Name = resource.Document{DB: db, Path: name.Path}
			}
			m.known[key] = found
		}
	}
	return m, nil
}

// Lookup implements rules.Reader. It returns an error for a path without a mock, which ends the case.
func (m *mockReader) Lookup(_ context.Context, name resource.Document, after bool) (*document.Document, error) {
	if d, mocked := m.known[mockKey{name.Path, after}]; mocked {
		return d, nil
	}
	if d, mocked := m.all[after]; mocked {
		if d == nil {
			return nil, nil
		}
		return &document.Document{Name: name, Fields: d.Fields}, nil
	}
	return nil, fault.E(fault.FailedPrecondition, "The rules read /databases/%s/documents/%s, for which the test case has no function mock.", name.DB.ID, name.Path)
}
