// Package clavetest runs Clave in a test's own process.
//
//	func TestNotes(t *testing.T) {
//		s := clavetest.Start(t, clavetest.Options{RulesFile: "firestore.rules"})
//		t.Setenv("FIRESTORE_EMULATOR_HOST", s.Firestore)
//		client, err := firestore.NewClient(t.Context(), s.ProjectID)
//		…
//	}
package clavetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
)

// Options are the options of Start; the zero value is a server without rules.
type Options struct {
	// ProjectID is the server's project; empty means demo-test. Other projects work too.
	ProjectID string
	// RulesFile is the path of the rules; if it is empty, everything is allowed.
	RulesFile string
	// IndexesFile is the path of the index definitions, or empty.
	IndexesFile string
	// Flags are further flags of clave start.
	Flags []string
}

// Server is a server that runs until the test ends.
type Server struct {
	// ProjectID is the server's project.
	ProjectID string
	// Firestore and Auth are host:port, for FIRESTORE_EMULATOR_HOST and FIREBASE_AUTH_EMULATOR_HOST.
	Firestore, Auth string
}

// stopTimeout is the time limit for a server to stop.
const stopTimeout = 30 * time.Second

// Start starts a server in memory on free ports and returns once it is ready. It stops when the test ends. A server
// that can't be started ends the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.ProjectID == "" {
		o.ProjectID = "demo-test"
	}
	dir := t.TempDir()
	file, err := projectFile(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	flags := append([]string{"--config", file, "--project", o.ProjectID, "--memory"}, o.Flags...)
	c, err := config.Parse(config.ModeStart, flags, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatalf("clavetest: %v", err)
	}
	c.Ports, c.TempDir, c.UI = config.Ports{}, dir, false
	a, err := app.New(t.Context(), c, app.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("clavetest: %v", err)
	}
	run(t, a)
	at := a.Addresses()
	return &Server{ProjectID: o.ProjectID, Firestore: at.Firestore, Auth: at.Auth}
}

// projectFile writes a firebase.json with the files of o, whose paths are relative to the working folder.
func projectFile(dir string, o Options) (string, error) {
	firestore := make(map[string]string)
	for name, path := range map[string]string{"rules": o.RulesFile, "indexes": o.IndexesFile} {
		if path == "" {
			continue
		}
		whole, err := filepath.Abs(path)
		if err == nil {
			_, err = os.Stat(whole)
		}
		if err != nil {
			return "", fmt.Errorf("clavetest: %s: %w", name, err)
		}
		firestore[name] = whole
	}
	project := make(map[string]any)
	if len(firestore) > 0 {
		project["firestore"] = firestore
	}
	text, err := json.Marshal(project)
	if err != nil {
		return "", fmt.Errorf("clavetest: %w", err)
	}
	file := filepath.Join(dir, "firebase.json")
	return file, os.WriteFile(file, text, 0o600)
}

// run runs a server until the test ends and returns once it is ready.
func run(t testing.TB, a *app.App) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- a.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		stop()
		t.Fatalf("clavetest: the server ended before it was ready: %v", err)
	}
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("clavetest: the server ended with %v", err)
			}
		case <-time.After(stopTimeout):
			t.Errorf("clavetest: the server did not stop within %s", stopTimeout)
		}
	})
}

// Snapshot keeps the state of all documents of the project and returns a token for Restore.
func (s *Server) Snapshot(ctx context.Context) (string, error) {
	var answer struct{ Token string }
	err := s.control(ctx, "snapshot", struct{}{}, &answer)
	return answer.Token, err
}

// Restore restores the documents of the project to a snapshot.
func (s *Server) Restore(ctx context.Context, token string) error {
	return s.control(ctx, "restore", map[string]string{"token": token}, nil)
}

// Settle returns once every snapshot and event of earlier commits has been delivered, or an error if that takes longer
// than ten seconds.
func (s *Server) Settle(ctx context.Context) error {
	return s.control(ctx, "settle", struct{}{}, nil)
}

// control posts to a control route of the project.
func (s *Server) control(ctx context.Context, verb string, body, answer any) error {
	return s.call(ctx, http.MethodPost, verb, body, answer)
}

// call calls a control route of the project.
func (s *Server) call(ctx context.Context, method, verb string, body, answer any) error {
	return s.at(ctx, method, "projects/"+s.ProjectID+":"+verb, body, answer)
}

// at calls a control route.
func (s *Server) at(ctx context.Context, method, verb string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	url := "http://" + s.Firestore + "/emulator/v1/" + verb
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
		return fmt.Errorf("%s: %s: %s", verb, response.Status, body)
	}
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return nil
}
