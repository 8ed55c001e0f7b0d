package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// accountCase is a recorded case of account events: the requests and the events that they cause.
type accountCase struct {
	Name string `json:"name"`
	// Steps lists the requests as authSequences does: a name for the answer, a path and a body.
	Steps []struct {
		ID   string          `json:"id"`
		Path string          `json:"path"`
		Body json.RawMessage `json:"body"`
	} `json:"steps"`
	// Want lists the events in the order of the requests, with ids and times replaced by names.
	Want []string `json:"want"`
}

// accountEvents is a functions emulator that records the events of accounts.
type accountEvents struct {
	*httptest.Server
	mu struct {
		sync.Mutex
		got []string
	}
}

// newAccountEvents starts a functions emulator that records events.
func newAccountEvents(t *testing.T) *accountEvents {
	t.Helper()
	e := &accountEvents{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.mu.got = append(e.mu.got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+normalEvent(body))
	}))
	t.Cleanup(e.Close)
	return e
}

// Patterns of values that differ between runs.
var (
	eventUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	eventTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	eventUser = regexp.MustCompile(`"(users/)?[0-9A-Za-z]{28}"`)
	mfaID     = regexp.MustCompile(`"mfaEnrollmentId":"[^"]*"`)
)

// normalEvent returns a body with sorted fields, in which values that differ between runs are replaced by names.
func normalEvent(body []byte) string {
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		return err.Error()
	}
	leveled(v)
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	text = eventUUID.ReplaceAll(text, []byte("UUID"))
	text = eventTime.ReplaceAll(text, []byte("TIME"))
	text = mfaID.ReplaceAll(text, []byte(`"mfaEnrollmentId":"ID"`))
	return string(eventUser.ReplaceAll(text, []byte(`"${1}UID"`)))
}

// leveled removes fields in which the official emulator and production differ: the times of the last sign-in and of the
// enrolment of a second factor, emailVerified of an account without an address, and disabled if false.
func leveled(v map[string]any) {
	delete(v, "lastSignInTime")
	delete(v, "enrolledAt")
	if v["uid"] != nil && v["email"] == nil {
		delete(v, "emailVerified")
	}
	if v["disabled"] == false {
		delete(v, "disabled")
	}
	for _, name := range []string{"tenantId", "tenantid"} {
		if v[name] != nil {
			v[name] = "TENANT"
		}
	}
	for _, inner := range v {
		switch inner := inner.(type) {
		case map[string]any:
			leveled(inner)
		case []any:
			for _, element := range inner {
				if m, ok := element.(map[string]any); ok {
					leveled(m)
				}
			}
			slices.SortFunc(inner, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
}

// take waits for a number of events and returns all that arrived since the last call.
func (e *accountEvents) take(t *testing.T, many int) []string {
	t.Helper()
	for limit := time.Now().Add(harness.WaitLimit); ; <-time.After(10 * time.Millisecond) {
		e.mu.Lock()
		got := e.mu.got
		if len(got) >= many {
			e.mu.got = nil
		}
		e.mu.Unlock()
		if len(got) >= many {
			return got
		}
		if time.Now().After(limit) {
			t.Fatalf("%d events have come, want %d:\n%s", len(got), many, strings.Join(got, "\n"))
		}
	}
}

// TestAccountEventsAsRecorded compares Clave's account events with the recorded cases.
func TestAccountEventsAsRecorded(t *testing.T) {
	events := newAccountEvents(t)
	a := harness.Start(t, nil, "--project", "demo-e2e", "--functions-emulator", strings.TrimPrefix(events.URL, "http://"))
	runAccountCases(t, "http://"+a.Auth, events)
}

// TestAccountEventsOfOfficialEmulator compares the official Auth emulator's events with the recorded cases.
func TestAccountEventsOfOfficialEmulator(t *testing.T) {
	t.Parallel()
	tools, events := officialTools(t), newAccountEvents(t)
	origin := officialAuth(t, tools, "FUNCTIONS="+strings.TrimPrefix(events.URL, "http://"))
	runAccountCases(t, origin, events)
}

// runAccountCases runs all cases. If CLAVE_RECORD is set, it records the received events as the expected ones.
func runAccountCases(t *testing.T, origin string, events *accountEvents) {
	t.Helper()
	const file = "testdata/auth_events.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []accountCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		t.Run(c.Name, func(t *testing.T) {
			deleteAccounts(t, origin)
			steps := []authStep{}
			for _, s := range c.Steps {
				steps = append(steps, authStep{id: s.ID, path: s.Path, body: string(s.Body)})
			}
			authAnswers(t, origin, "demo-e2e", steps)
			var got []string
			if os.Getenv("CLAVE_RECORD") != "" {
				<-time.After(time.Second)
				got = events.take(t, 0)
				c.Want = got
				return
			}
			got = events.take(t, len(c.Want))
			if got, want := sortedText(got), sortedText(c.Want); got != want {
				t.Errorf("events:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	if os.Getenv("CLAVE_RECORD") != "" {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(cases); err != nil {
			t.Fatal(err)
		}
		harness.WriteFile(t, file, out.String())
	}
}

// sortedText returns lines in sorted order, because events of several accounts arrive in any order.
func sortedText(lines []string) string {
	return strings.Join(slices.Sorted(slices.Values(lines)), "\n")
}

// deleteAccounts deletes all accounts of a project, which causes no events.
func deleteAccounts(t *testing.T, origin string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, origin+"/emulator/v1/projects/demo-e2e/accounts", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("clear: %v %v", res, err)
	}
	_ = res.Body.Close()
}
