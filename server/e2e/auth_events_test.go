package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// accountCase is a recorded case of events of accounts: the requests, and the events that they make.
type accountCase struct {
	Name string `json:"name"`
	// Steps are the requests, as those of authSequences: a name for the answer, a path and a body.
	Steps []struct {
		ID   string          `json:"id"`
		Path string          `json:"path"`
		Body json.RawMessage `json:"body"`
	} `json:"steps"`
	// Want are the events in the order of the requests, with ids and times by their names.
	Want []string `json:"want"`
}

// accountEvents receives the events of accounts.
type accountEvents struct {
	*httptest.Server
	mu struct {
		sync.Mutex
		got []string
	}
}

// newAccountEvents starts a functions emulator that notes events.
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

// The values that differ each time.
var (
	eventUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	eventTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	eventUser = regexp.MustCompile(`"(users/)?[0-9A-Za-z]{28}"`)
	mfaID     = regexp.MustCompile(`"mfaEnrollmentId":"[^"]*"`)
)

// normalEvent returns a body with its fields in order and what differs each time by name.
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

// leveled removes from an event what may differ: when an account was last signed in and a second factor enrolled, which the
// official emulator sets and leaves out otherwise than production, whether no address is verified, and
// that an account is not disabled.
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

// take returns the events that have come since the last call, once there are so many.
func (e *accountEvents) take(t *testing.T, many int) []string {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
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

// TestAccountEventsAsRecorded delivers the recorded cases' events from Clave.
func TestAccountEventsAsRecorded(t *testing.T) {
	events := newAccountEvents(t)
	a := start(t, nil, "--project", "demo-e2e", "--functions-emulator", strings.TrimPrefix(events.URL, "http://"))
	runAccountCases(t, "http://"+a.Auth, events)
}

// TestAccountEventsOfOfficialEmulator checks the recorded cases against the official Auth emulator.
func TestAccountEventsOfOfficialEmulator(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped in short mode: the official emulator takes seconds to start")
	}
	tools := os.Getenv("CLAVE_TEST_FIREBASE")
	if tools == "" {
		tools = filepath.Join(functionsModules(t), "firebase-tools", "lib", "bin", "firebase.js")
	}
	events := newAccountEvents(t)
	script, err := filepath.Abs("functions/official-auth.cjs")
	if err != nil {
		t.Fatal(err)
	}
	origin := authServer(t, func(file string) *exec.Cmd {
		var config struct {
			Emulators struct{ Auth struct{ Port int } }
		}
		text, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(text, &config) != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("node", script)
		cmd.Env = append(os.Environ(), "FIREBASE_TOOLS="+filepath.Dir(filepath.Dir(filepath.Dir(tools))), "GCLOUD_PROJECT=demo-e2e",
			"FUNCTIONS="+strings.TrimPrefix(events.URL, "http://"), fmt.Sprintf("AUTH_PORT=%d", config.Emulators.Auth.Port))
		return cmd
	})
	runAccountCases(t, origin, events)
}

// runAccountCases runs all cases. CLAVE_RECORD writes what came as what is expected.
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
		writeFile(t, file, out.String())
	}
}

// sortedText returns lines in order: events of several accounts come in any.
func sortedText(lines []string) string {
	return strings.Join(slices.Sorted(slices.Values(lines)), "\n")
}

// deleteAccounts clears a project, which makes no events.
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
