package sdk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// triggerCase is a recorded case of document triggers: the registrations, the commits and the resulting events.
type triggerCase struct {
	Name     string           `json:"name"`
	Triggers []triggerRequest `json:"triggers"`
	Commits  [][]triggerWrite `json:"commits"`
	// Clear deletes all documents after the commits.
	Clear bool `json:"clear"`
	// Answer is the status of the functions emulator's answers; 200 when zero.
	Answer int `json:"answer"`
	// Want lists the events sorted by text. Events of one trigger and document are in the order of commits.
	Want []string `json:"want"`
}

// triggerRequest is a registration.
type triggerRequest struct {
	Generation int    `json:"generation"`
	Key        string `json:"key"`
	Database   string `json:"database"`
	Pattern    string `json:"pattern"`
	// Match is the kind of match of the 2nd generation: PATH_PATTERN when empty, and none for no document at all.
	Match string `json:"match"`
	Type  string `json:"type"`
}

// triggerWrite is a write.
type triggerWrite struct {
	Database  string          `json:"database"`
	Set       string          `json:"set"`
	Fields    json.RawMessage `json:"fields"`
	Mask      []string        `json:"mask"`
	Increment string          `json:"increment"`
	Delete    string          `json:"delete"`
}

// TestTriggersAsRecorded delivers the recorded cases' events from Clave.
func TestTriggersAsRecorded(t *testing.T) {
	functions := newFunctionsEmulator(t)
	a := harness.Start(t, nil, "--functions-emulator", functions.host)
	runTriggerCases(t, a.Firestore, functions)
}

// TestTriggersOfOfficialEmulator checks the recorded cases against the official emulator.
func TestTriggersOfOfficialEmulator(t *testing.T) {
	functions := newFunctionsEmulator(t)
	runTriggerCases(t, harness.StartOfficialEmulator(t, "--functions_emulator="+functions.host), functions)
}

// runTriggerCases runs all cases, each in a project of its own.
func runTriggerCases(t *testing.T, firestore string, functions *functionsEmulator) {
	text, err := os.ReadFile("testdata/triggers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []triggerCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			r := &triggerRun{t: t, firestore: firestore, project: fmt.Sprintf("demo-triggers-%d", i)}
			got := r.run(&c, functions)
			if want := c.Want; !slices.Equal(got, want) {
				t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// triggerRun runs a case.
type triggerRun struct {
	t                  *testing.T
	firestore, project string
}

// run registers, commits and returns the events in the order of Want. The marker of the last commit shows that all have
// arrived.
func (r *triggerRun) run(c *triggerCase, functions *functionsEmulator) []string {
	r.t.Helper()
	events := functions.expect(r.project, c.Answer)
	marked := map[string]bool{}
	for _, request := range c.Triggers {
		r.register(request)
	}
	for _, writes := range c.Commits {
		r.commit(writes)
	}
	if c.Clear {
		r.call(http.MethodDelete, "/emulator/v1/projects/"+r.project+"/databases/(default)/documents", nil)
	}
	// Events of a project arrive in any order, so the markers, one for each database, are counted. They show that no
	// further events arrive.
	for _, request := range c.Triggers {
		if db := databaseID(request.Database); !marked[db] {
			marked[db] = true
			// Each has its own key, because a trigger replaces that of the same key, also of another database, before its event
			// is made.
			r.register(triggerRequest{Generation: 2, Key: fmt.Sprint("marker-", len(marked)), Database: db, Pattern: "marker/{id}", Type: "created"})
			r.commit([]triggerWrite{{Database: db, Set: "marker/m", Fields: json.RawMessage("{}")}})
		}
	}
	var got []string
	for markers := 0; markers < len(marked) || len(got) < len(c.Want); {
		event, ok := events.next(harness.WaitLimit)
		switch {
		case !ok:
			r.t.Errorf("no event within %v; %d of %d have come", harness.WaitLimit, len(got), len(c.Want))
			markers, got = len(marked), append(got, make([]string, len(c.Want)-len(got))...)
		case strings.Contains(event.text, "marker/m"):
			if strings.HasPrefix(event.text, "marker-") {
				markers++
			}
		default:
			r.check(event)
			got = append(got, strings.ReplaceAll(event.text, r.project, "PROJECT"))
		}
	}
	// A stable sort keeps the order of a trigger's events for one document.
	slices.SortStableFunc(got, func(a, b string) int { return strings.Compare(queueOf(a), queueOf(b)) })
	return got
}

// queueOf returns the part of an event's text that names its trigger and document.
func queueOf(text string) string {
	words := strings.SplitN(text, " ", 5)
	return strings.Join(words[:min(len(words), 4)], " ")
}

// databaseID returns a database's id, (default) when empty.
func databaseID(id string) string {
	if id == "" {
		return "(default)"
	}
	return id
}

// register registers a trigger.
func (r *triggerRun) register(q triggerRequest) {
	r.t.Helper()
	db := databaseID(q.Database)
	if q.Generation == 1 {
		r.call(http.MethodPut, "/emulator/v1/projects/"+r.project+"/triggers/"+q.Key, map[string]any{"eventTrigger": map[string]any{
			"resource":  "projects/" + r.project + "/databases/" + db + "/documents/" + q.Pattern,
			"eventType": "providers/cloud.firestore/eventTypes/document." + q.Type, "service": "firestore.googleapis.com",
		}})
		return
	}
	body := map[string]any{"eventType": "google.cloud.firestore.document.v1." + q.Type, "database": db, "namespace": "(default)"}
	switch q.Match {
	case "none":
	case "":
		body["document"] = map[string]any{"value": q.Pattern, "matchType": "PATH_PATTERN"}
	default:
		body["document"] = map[string]any{"value": q.Pattern, "matchType": q.Match}
	}
	r.call(http.MethodPost, "/emulator/v1/projects/"+r.project+"/eventarcTrigger?eventarcTriggerId="+url.QueryEscape(q.Key), body)
}

// commit commits writes, all to one database.
func (r *triggerRun) commit(writes []triggerWrite) {
	r.t.Helper()
	db := "projects/" + r.project + "/databases/" + databaseID(writes[0].Database)
	var out []map[string]any
	for _, w := range writes {
		if w.Delete != "" {
			out = append(out, map[string]any{"delete": db + "/documents/" + w.Delete})
			continue
		}
		fields := json.RawMessage(strings.ReplaceAll(string(w.Fields), "PROJECT", r.project))
		one := map[string]any{"update": map[string]any{"name": db + "/documents/" + w.Set, "fields": fields}}
		if w.Mask != nil {
			one["updateMask"] = map[string]any{"fieldPaths": w.Mask}
		}
		if w.Increment != "" {
			one["updateTransforms"] = []any{map[string]any{"fieldPath": w.Increment, "increment": map[string]any{"integerValue": "1"}}}
		}
		out = append(out, one)
	}
	r.call(http.MethodPost, "/v1/"+db+"/documents:commit", map[string]any{"writes": out})
}

// call sends a request, which must answer 200.
func (r *triggerRun) call(method, path string, body any) {
	r.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.firestore+path, bytes.NewReader(text))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer owner")
	req.Header.Set("Content-Type", "application/json")
	res, answer := harness.Do(r.t, http.DefaultClient, req)
	if res.StatusCode != http.StatusOK {
		r.t.Fatalf("%s %s answered %d %s", method, path, res.StatusCode, answer)
	}
}

// check checks the parts of an event that its text does not show.
func (r *triggerRun) check(e triggerEvent) {
	r.t.Helper()
	for _, problem := range e.problems {
		r.t.Errorf("%s: %s", e.text, problem)
	}
}

// functionsEmulator replaces the functions emulator and records the events of each project.
type functionsEmulator struct {
	host     string
	mu       sync.Mutex
	projects map[string]*triggerEvents
}

// triggerEvents are the events of one project.
type triggerEvents struct {
	answer int
	events chan triggerEvent
}

// triggerEvent is an event that was delivered.
type triggerEvent struct {
	text     string
	problems []string
}

// newFunctionsEmulator starts a functions emulator.
func newFunctionsEmulator(t *testing.T) *functionsEmulator {
	f := &functionsEmulator{projects: map[string]*triggerEvents{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.host = strings.TrimPrefix(server.URL, "http://")
	return f
}

// expect returns the record of a project's events, which will be answered with a status.
func (f *functionsEmulator) expect(project string, answer int) *triggerEvents {
	f.mu.Lock()
	defer f.mu.Unlock()
	if answer == 0 {
		answer = http.StatusOK
	}
	e := &triggerEvents{answer: answer, events: make(chan triggerEvent, 1000)}
	f.projects[project] = e
	return e
}

// next returns the next event, or false if none arrives.
func (e *triggerEvents) next(limit time.Duration) (triggerEvent, bool) {
	select {
	case event := <-e.events:
		return event, true
	case <-time.After(limit):
		return triggerEvent{}, false
	}
}

// ServeHTTP receives an event: POST /functions/projects/P/triggers/KEY.
func (f *functionsEmulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if err != nil || len(segments) != 5 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	f.mu.Lock()
	events := f.projects[segments[2]]
	f.mu.Unlock()
	if events == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	event := readFirst
	if r.Header.Get("Ce-Type") != "" {
		event = readSecond
	}
	events.events <- event(segments[2], segments[4], r.Header, body)
	w.WriteHeader(events.answer)
}

// readFirst reads an event of the 1st generation.
func readFirst(project, key string, h http.Header, body []byte) triggerEvent {
	type doc struct {
		Name, CreateTime, UpdateTime string
		Fields                       json.RawMessage
	}
	var event struct {
		Data struct {
			Value, OldValue *doc
			UpdateMask      map[string]any
		}
		Context struct {
			EventID, Timestamp, EventType string
			Resource                      struct{ Name, Service string }
		}
	}
	e := triggerEvent{}
	e.require(json.Unmarshal(body, &event) == nil, "the body is no JSON: %s", body)
	e.require(h.Get("Content-Type") == "application/json", "content type %q", h.Get("Content-Type"))
	e.require(event.Data.UpdateMask != nil && len(event.Data.UpdateMask) == 0, "update mask %v, want {}", event.Data.UpdateMask)
	e.require(event.Context.Resource.Service == "firestore.googleapis.com", "service %q", event.Context.Resource.Service)
	e.require(len(event.Context.EventID) == 36, "event id %q", event.Context.EventID)
	_, err := time.Parse(time.RFC3339Nano, event.Context.Timestamp)
	e.require(err == nil, "timestamp: %v", err)
	name := event.Context.Resource.Name
	e.text = key + " 1 " + strings.TrimPrefix(event.Context.EventType, "providers/cloud.firestore/eventTypes/") + " " + shortName(project, name)
	for _, side := range []struct {
		label string
		doc   *doc
	}{{"value", event.Data.Value}, {"oldValue", event.Data.OldValue}} {
		if side.doc != nil {
			e.text += " " + side.label + "=" + sortedJSON(side.doc.Fields)
			e.require(side.doc.Name == name && side.doc.CreateTime != "" && side.doc.UpdateTime != "", "%s: %+v", side.label, side.doc)
		}
	}
	if v := event.Data.Value; v != nil {
		e.require(v.UpdateTime == event.Context.Timestamp, "timestamp %s, update time %s", event.Context.Timestamp, v.UpdateTime)
	}
	return e
}

// readSecond reads an event of the 2nd generation.
func readSecond(project, key string, h http.Header, body []byte) triggerEvent {
	e := triggerEvent{}
	db, path := h.Get("Ce-Database"), h.Get("Ce-Document")
	for name, want := range map[string]string{
		"Content-Type": "application/protobuf", "Ce-Specversion": "1.0", "Ce-Source": "//firestore.googleapis.com/projects/projects/" + project + "/databases/" + db,
		"Ce-Subject": "documents/" + path, "Ce-Datacontenttype": "application/protobuf", "Ce-Location": "us-central1", "Ce-Project": project, "Ce-Namespace": "(default)",
		"Ce-Dataschema": "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto",
	} {
		e.require(h.Get(name) == want, "%s: %q, want %q", name, h.Get(name), want)
	}
	_, err := time.Parse(time.RFC3339, h.Get("Ce-Time"))
	e.require(err == nil && len(h.Get("Ce-Time")) == len("2026-01-02T03:04:05Z"), "ce-time %q", h.Get("Ce-Time"))
	e.require(len(h.Get("Ce-Id")) == 36, "ce-id %q", h.Get("Ce-Id"))
	name := "projects/" + project + "/databases/" + db + "/documents/" + path
	e.text = key + " 2 " + strings.TrimPrefix(h.Get("Ce-Type"), "google.cloud.firestore.document.v1.") + " " + shortName(project, name)
	if by := h.Get("Ce-Authtype"); by != "" {
		e.text += " by " + by
		e.require(h.Get("Ce-Authid") == "fake-auth-id@gmail.com", "ce-authid %q", h.Get("Ce-Authid"))
	}
	data, err := base64.StdEncoding.DecodeString(string(body))
	e.require(err == nil, "the body is no base64: %v", err)
	mask := false
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 || kind != protowire.BytesType {
			e.require(false, "the body is no message")
			break
		}
		value, m := protowire.ConsumeBytes(data[n:])
		if m < 0 {
			e.require(false, "the body is cut")
			break
		}
		data = data[n+m:]
		if number == 3 {
			mask = len(value) == 0
			continue
		}
		var doc pb.Document
		e.require(proto.Unmarshal(value, &doc) == nil && doc.GetName() == name && doc.GetCreateTime() != nil && doc.GetUpdateTime() != nil, "field %d: %v", number, &doc)
		text, err := wire.AppendJSON(nil, &doc)
		var fields struct{ Fields json.RawMessage }
		e.require(err == nil && json.Unmarshal(text, &fields) == nil, "field %d: %v", number, err)
		e.text += map[protowire.Number]string{1: " value=", 2: " oldValue="}[number] + sortedJSON(fields.Fields)
	}
	e.require(mask, "no empty update mask")
	return e
}

// require records a problem if a condition is false.
func (e *triggerEvent) require(holds bool, format string, args ...any) {
	if !holds {
		e.problems = append(e.problems, fmt.Sprintf(format, args...))
	}
}

// shortName returns a document's path, behind its database's id unless that is the default one.
func shortName(project, name string) string {
	rest := strings.TrimPrefix(name, "projects/"+project+"/databases/")
	db, path, _ := strings.Cut(rest, "/documents/")
	if db == "(default)" {
		return path
	}
	return db + ":" + path
}

// sortedJSON returns JSON with sorted keys, {} for none.
func sortedJSON(text json.RawMessage) string {
	if len(text) == 0 {
		return "{}"
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return "broken: " + string(text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "broken: " + string(text)
	}
	return string(out)
}

// TestHubDisablesTriggers disables triggers at the hub, as withFunctionTriggersDisabled of rules-unit-testing does.
func TestHubDisablesTriggers(t *testing.T) {
	functions := newFunctionsEmulator(t)
	a := harness.Start(t, nil, "--functions-emulator", functions.host)
	r := &triggerRun{t: t, firestore: a.Firestore, project: harness.Project}
	events := functions.expect(harness.Project, 0)
	r.register(triggerRequest{Generation: 1, Key: "k", Pattern: "c/{id}", Type: "create"})
	commit := func(id string) { r.commit([]triggerWrite{{Set: "c/" + id, Fields: json.RawMessage("{}")}}) }
	hub := &triggerRun{t: t, firestore: a.Hub, project: harness.Project}
	commit("before")
	hub.call(http.MethodPut, "/functions/disableBackgroundTriggers", nil)
	commit("meanwhile")
	hub.call(http.MethodPut, "/functions/enableBackgroundTriggers", nil)
	commit("after")
	r.call(http.MethodPost, "/emulator/v1/projects/"+harness.Project+":settle", map[string]string{})
	close(events.events)
	var got []string
	for e := range events.events {
		got = append(got, e.text)
	}
	slices.Sort(got)
	want := []string{"k 1 document.create c/after value={}", "k 1 document.create c/before value={}"}
	if !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// TestSettleRoute waits with the route settle for the events of a commit and the events that they cause.
func TestSettleRoute(t *testing.T) {
	functions := newFunctionsEmulator(t)
	a := harness.Start(t, nil, "--functions-emulator", functions.host)
	r := &triggerRun{t: t, firestore: a.Firestore, project: harness.Project}
	events := functions.expect(harness.Project, 0)
	r.register(triggerRequest{Generation: 2, Key: "k", Pattern: "c/{id}", Type: "created"})
	const n = 50
	for i := range n {
		r.commit([]triggerWrite{{Set: fmt.Sprintf("c/%d", i), Fields: json.RawMessage("{}")}})
	}
	r.call(http.MethodPost, "/emulator/v1/projects/"+harness.Project+":settle", map[string]string{"timeout": "30s"})
	if got := len(events.events); got != n {
		t.Errorf("%d events had come when settle answered, want %d", got, n)
	}
	for body, want := range map[string]int{`{"timeout": "soon"}`: http.StatusBadRequest, `{"timeout": "1h"}`: http.StatusBadRequest, `x`: http.StatusBadRequest} {
		res, err := http.Post("http://"+a.Firestore+"/emulator/v1/projects/"+harness.Project+":settle", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("settle %s answered %d, want %d", body, res.StatusCode, want)
		}
	}
}
