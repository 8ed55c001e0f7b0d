package sdk

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"clave/server/test/e2e/harness"
)

// watched holds the tested fields of a message of the request monitor.
type watched struct {
	Outcome  string `json:"outcome"`
	Granular []struct {
		Line    int  `json:"line"`
		Outcome bool `json:"outcome"`
	} `json:"granularAllowOutcomes"`
	Rules        string `json:"rules"`
	Release      string `json:"rulesReleaseName"`
	RulesContext struct {
		Method  string `json:"method"`
		Path    string `json:"path"`
		Request struct {
			MapValue struct {
				Fields map[string]json.RawMessage `json:"fields"`
			} `json:"mapValue"`
		} `json:"request"`
		Resource json.RawMessage `json:"resource"`
	} `json:"rulesContext"`
}

// TestRequestMonitor reads decisions from the request monitor as the Emulator UI does, and the coverage of the rules.
func TestRequestMonitor(t *testing.T) {
	a := harness.Start(t, nil)
	r := &rulesRun{t: t, host: "http://" + a.Firestore}
	const source = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{db}/documents/t/{id} {\n" +
		"    allow get: if id == 'x' && resource.data.n > 1;\n    allow list: if resource.data.n == 2;\n  }\n}\n"
	if status, text := r.install(source); status != http.StatusOK {
		t.Fatal(status, text)
	}
	r.request(http.MethodPatch, "/v1/"+r.docs()+"/t/x", "owner", harness.Object{"fields": harness.Object{"n": harness.Object{"integerValue": "2"}}})
	r.request(http.MethodGet, "/v1/"+r.docs()+"/t/x", "", nil)

	conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+a.Websocket+"/requests", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if answer.Body != nil {
		defer func() { _ = answer.Body.Close() }()
	}
	var past []watched
	if err := conn.ReadJSON(&past); err != nil || len(past) != 1 || past[0].Outcome != "allow" || len(past[0].Granular) != 1 || !past[0].Granular[0].Outcome {
		t.Fatalf("the past is %+v, %v; want one that was allowed", past, err)
	}
	_, refusal := r.request(http.MethodGet, "/v1/"+r.docs()+"/t/none", "", nil)
	if !strings.Contains(refusal, "evaluation error at L4:") && !strings.Contains(refusal, "false for 'get' @ L4") {
		t.Errorf("the refusal is %s, want the deciding line in it", refusal)
	}
	var w watched
	if err := conn.ReadJSON(&w); err != nil {
		t.Fatal(err)
	}
	if w.Outcome != "deny" || w.Rules != source || w.Release != "projects/"+harness.Project+"/releases/cloud.firestore" ||
		w.RulesContext.Method != "get" || w.RulesContext.Path != "/databases/(default)/documents/t/none" ||
		len(w.Granular) != 1 || w.Granular[0].Line != 4 || w.Granular[0].Outcome ||
		string(w.RulesContext.Request.MapValue.Fields["method"]) != `{"stringValue":"get"}` || string(w.RulesContext.Resource) != `{"nullValue":null}` {
		t.Errorf("the monitor sent %+v", w)
	}
	r.request(http.MethodPost, "/v1/"+r.docs()+":runQuery", "", harness.Object{"structuredQuery": harness.Object{
		"from": []any{harness.Object{"collectionId": "t"}},
		"where": harness.Object{"fieldFilter": harness.Object{
			"field": harness.Object{"fieldPath": "n"}, "op": "GREATER_THAN", "value": harness.Object{"integerValue": "3"},
		}},
	}})
	if err := conn.ReadJSON(&w); err != nil {
		t.Fatal(err)
	}
	if w.RulesContext.Method != "list" || w.RulesContext.Path != "/databases/(default)/documents/t/*" || !strings.Contains(string(w.RulesContext.Resource), `"comparator":"GT"`) {
		t.Errorf("the monitor sent %s of a query, want its constraint", w.RulesContext.Resource)
	}
	all := harness.Object{"structuredQuery": harness.Object{"from": []any{harness.Object{"collectionId": "t"}}}}
	for _, privileged := range []struct {
		method, path string
		body         any
		want         string
	}{
		{http.MethodPatch, "/t/y", harness.Object{}, "create"},
		{http.MethodPatch, "/t/y", harness.Object{}, "update"},
		{http.MethodGet, "/t/y", nil, "get"},
		{http.MethodGet, "/t", nil, "list"},
		{http.MethodPost, ":runQuery", all, "list"},
		{http.MethodDelete, "/t/y", nil, "delete"},
	} {
		if status, text := r.request(privileged.method, "/v1/"+r.docs()+privileged.path, "owner", privileged.body); status != http.StatusOK {
			t.Fatalf("%s %s: %d %s", privileged.method, privileged.path, status, text)
		}
		if err := conn.ReadJSON(&w); err != nil {
			t.Fatal(err)
		}
		if w.Outcome != "admin" || w.RulesContext.Method != privileged.want {
			t.Errorf("%s %s: the monitor sent %s, %q; want %s, admin", privileged.method, privileged.path, w.RulesContext.Method, w.Outcome, privileged.want)
		}
	}

	status, text := r.request(http.MethodGet, "/emulator/v1/projects/"+harness.Project+":ruleCoverage", "", nil)
	var report struct {
		Report []struct {
			SourcePosition struct{ Line, Column, CurrentOffset, EndOffset int }
			Values         []struct {
				Value json.RawMessage
				Count int
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil || status != http.StatusOK || len(report.Report) != 2 {
		t.Fatalf("coverage: %d %v %s", status, err, text)
	}
	first := report.Report[0]
	if first.SourcePosition.Line != 4 || first.SourcePosition.Column != 19 || len(first.Values) != 2 ||
		source[first.SourcePosition.CurrentOffset:first.SourcePosition.EndOffset+1] != "id == 'x' && resource.data.n > 1" {
		t.Errorf("coverage of the first condition = %+v, want it once true and once false", first)
	}
	if status, page := r.request(http.MethodGet, "/emulator/v1/projects/"+harness.Project+":ruleCoverage.html", "", nil); status != http.StatusOK ||
		!strings.Contains(page, "Evaluated 2 times") {
		t.Errorf("coverage page: %d %s", status, page)
	}
}
