package console_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app"
	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
)

// project is the tests' project.
const project = "consoletest"

// testRules are the rules of the tests' servers.
const testRules = `rules_version = '2';
service cloud.firestore {
  match /databases/{d}/documents {
    match /open/{id} { allow read, write: if request.auth == null && id != 'shut'; }
  }
}`

// server is a server with a console.
type server struct {
	t      *testing.T
	app    app.Addresses
	data   string
	manual *clocktest.Manual
	// cookie is the session's cookie, or empty, and csrf its token.
	cookie, csrf string
}

// start runs a server until the test ends, with a clock that the test advances.
func start(t *testing.T, mode config.Mode, flags ...string) *server {
	t.Helper()
	manual := clocktest.NewManual(time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC))
	s := startBy(t, manual, mode, flags...)
	s.manual = manual
	return s
}

// startBy runs a server until the test ends, with a clock; nil means the machine's clock.
func startBy(t *testing.T, by clock.Clock, mode config.Mode, flags ...string) *server {
	t.Helper()
	dir, err := os.MkdirTemp("", "con") // shorter than t.TempDir: the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "public"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"firebase.json":   `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}, "hosting": {"public": "public"}}`,
		"firestore.rules": testRules, "firestore.indexes.json": `{"indexes": [], "note": "stays"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags = append([]string{"--project", project, "--config", filepath.Join(dir, "firebase.json")}, flags...)
	if mode == config.ModeServe {
		flags = append([]string{"--public-url", "https://console.example", "--console", "127.0.0.1:0"}, flags...)
	}
	c, err := config.Parse(mode, flags, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c.Ports, c.TempDir = config.Ports{}, dir
	s := &server{t: t, data: c.DataDir}
	a, err := app.New(t.Context(), c, app.Options{Clock: by, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	<-ready
	s.app = a.Addresses()
	return s
}

// request sends a request to the console. header has pairs of names and values. It returns the response and its body.
func (s *server) request(method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.app.Console+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.cookie != "" {
		r.Header.Set("Cookie", s.cookie)
	}
	if s.csrf != "" {
		r.Header.Set("X-Clave-CSRF", s.csrf)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res, string(text)
}

// status sends a request and returns only the status.
func (s *server) status(method, path, body string, header ...string) int {
	s.t.Helper()
	res, _ := s.request(method, path, body, header...)
	return res.StatusCode
}

// call sends a request that must succeed, and decodes its response.
func (s *server) call(method, path, body string, into any) {
	s.t.Helper()
	res, text := s.request(method, path, body)
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
}

// lines returns the lines of a stream. The last one must not be an error.
func (s *server) lines(method, path, body string) []map[string]any {
	s.t.Helper()
	res, text := s.request(method, path, body)
	var out []map[string]any
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
		out = append(out, one)
	}
	if res.StatusCode != http.StatusOK || out[len(out)-1]["error"] != nil {
		s.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return out
}

// open opens a session by a link. The following requests belong to it.
func (s *server) open(write bool) {
	s.t.Helper()
	link, err := commands.ConsoleLink(s.t.Context(), &config.Config{DataDir: s.data, Write: write})
	if err != nil {
		s.t.Fatal(err)
	}
	s.cookie, s.csrf = "", ""
	_, at, ok := strings.Cut(link.URL, s.app.Console)
	if !ok {
		s.t.Fatalf("the link %q is not for %s", link.URL, s.app.Console)
	}
	res, text := s.request("GET", at, "")
	cookies := res.Cookies()
	if res.StatusCode != http.StatusSeeOther || len(cookies) != 1 {
		s.t.Fatalf("the link: %d %s %v", res.StatusCode, text, cookies)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		s.t.Errorf("the session's cookie is %v", c)
	}
	s.cookie = cookies[0].Name + "=" + cookies[0].Value
	s.session()
}

// session reads the session's CSRF token.
func (s *server) session() {
	s.t.Helper()
	var of struct{ CSRF string }
	s.call("GET", "/api/session", "", &of)
	s.csrf = of.CSRF
}

// documents is the address of the default database's documents.
const documents = "/v1/projects/" + project + "/databases/(default)/documents"

// set writes a document with one field.
func (s *server) set(path string, n int) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"fields": map[string]any{"n": map[string]any{"integerValue": n}}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.call("PATCH", documents+"/"+path, string(body), nil)
}
