package clavetest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"clave/server/clavetest"
)

// exchange sends a request with a body in JSON and returns the status and the response.
func exchange(t testing.TB, method, url, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer owner")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// use uses a project: it writes a document and signs a user up.
func use(t testing.TB, s *clavetest.Server, project string) {
	t.Helper()
	for url, body := range map[string]string{
		"http://" + s.Firestore + "/v1/projects/" + project + "/databases/(default)/documents/notes?documentId=a": `{"fields": {"n": {"integerValue": "1"}}}`,
		"http://" + s.Auth + "/identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts":               `{"localId": "ann", "email": "ann@example.com"}`,
	} {
		if status, text := exchange(t, http.MethodPost, url, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", url, status, text)
		}
	}
}

// TestDropProject drops one of two projects with all that a test may leave in it.
func TestDropProject(t *testing.T) {
	s := clavetest.Start(t, clavetest.Options{})
	const dropped, other = "demo-dropped", "demo-other"
	control := "http://" + s.Firestore + "/emulator/v1/projects/"
	for _, project := range []string{dropped, other} {
		use(t, s, project)
		for _, c := range []struct{ method, verb, body string }{
			{http.MethodPut, ":faults", `{"faults": [{"calls": "streams", "error": "ABORTED"}]}`},
			{http.MethodPut, ":clock", `{"at": "2030-01-01T00:00:00Z", "pinned": true}`},
			{http.MethodPut, ":securityRules", `{"rules": {"files": [{"content": "service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read; } } }"}]}}`},
		} {
			if status, text := exchange(t, c.method, control+project+c.verb, c.body); status != http.StatusOK {
				t.Fatalf("%s: %d %s", c.verb, status, text)
			}
		}
		config := "http://" + s.Auth + "/emulator/v1/projects/" + project + "/config"
		if status, text := exchange(t, http.MethodPatch, config, `{"signIn": {"allowDuplicateEmails": true}}`); status != http.StatusOK {
			t.Fatalf("settings: %d %s", status, text)
		}
	}
	// state tells what a project has.
	state := func(project string) string {
		t.Helper()
		var out []string
		documents := "http://" + s.Firestore + "/v1/projects/" + project + "/databases/(default)/documents/"
		if _, text := exchange(t, http.MethodGet, documents+"notes", ""); strings.Contains(text, "notes/a") {
			out = append(out, "documents")
		}
		if _, text := exchange(t, http.MethodPost, "http://"+s.Auth+"/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts:query", "{}"); strings.Contains(text, "ann@example.com") {
			out = append(out, "accounts")
		}
		if _, text := exchange(t, http.MethodGet, "http://"+s.Auth+"/emulator/v1/projects/"+project+"/config", ""); strings.Contains(text, `"allowDuplicateEmails":true`) {
			out = append(out, "settings")
		}
		if _, text := exchange(t, http.MethodGet, control+project+":faults", ""); strings.Contains(text, "ABORTED") {
			out = append(out, "faults")
		}
		if _, text := exchange(t, http.MethodGet, control+project+":clock", ""); strings.Contains(text, `"pinned":true`) {
			out = append(out, "clock")
		}
		if response, err := http.Get(documents + "b/c"); err == nil {
			if _ = response.Body.Close(); response.StatusCode == http.StatusForbidden {
				out = append(out, "rules")
			}
		}
		var usage struct{ Total struct{ Writes int } }
		if _, text := exchange(t, http.MethodGet, control+project+":usage", ""); json.Unmarshal([]byte(text), &usage) == nil && usage.Total.Writes > 0 {
			out = append(out, "usage")
		}
		return strings.Join(out, " ")
	}
	const all = "documents accounts settings faults clock rules usage"
	if got := state(dropped); got != all {
		t.Fatalf("the project has %q, want %q", got, all)
	}
	s.DropProject(t, dropped)
	if got := state(dropped); got != "" {
		t.Errorf("the dropped project has %q", got)
	}
	if got := state(other); got != all {
		t.Errorf("the other project has %q, want %q", got, all)
	}
	use(t, s, dropped)
	s.DropProject(t, "demo-never-used")
}

// BenchmarkProjects measures a fresh project with a document and an account over HTTP, its memory, and the time to
// drop it. Server and client are one process.
func BenchmarkProjects(b *testing.B) {
	s := clavetest.Start(b, clavetest.Options{})
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	use(b, s, "demo-first")
	s.DropProject(b, "demo-first")
	before := heap()
	b.ResetTimer()
	for i := range b.N {
		use(b, s, fmt.Sprint("demo-", i))
	}
	b.StopTimer()
	b.ReportMetric((heap()-before)/float64(b.N), "heap-B/project")
	began := time.Now()
	for i := range b.N {
		s.DropProject(b, fmt.Sprint("demo-", i))
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/float64(b.N), "µs/drop")
	b.ReportMetric((heap()-before)/float64(b.N), "heap-B/dropped")
}
