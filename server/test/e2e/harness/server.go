package harness

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
)

// Project is the project of all tests in this package. Each test uses its own collections or a new database.
const Project = "demo-e2e"

// Start runs a server in memory on free ports until the test ends. It writes the files beside the server's
// firebase.json, which may be one of them.
func Start(t *testing.T, files map[string]string, flags ...string) app.Addresses {
	t.Helper()
	return StartWith(t, app.Options{}, files, flags...)
}

// StartWith is Start with options of the app.
func StartWith(t *testing.T, o app.Options, files map[string]string, flags ...string) app.Addresses {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files["firebase.json"]; !ok {
		WriteFile(t, filepath.Join(dir, "firebase.json"), "{}")
	}
	for name, text := range files {
		WriteFile(t, filepath.Join(dir, name), text)
	}
	flags = append([]string{"--config", filepath.Join(dir, "firebase.json"), "--project", Project}, flags...)
	if os.Getenv(NodesVariable) != "" && o == (app.Options{}) {
		return startNodes(t, dir, flags)
	}
	flags = append([]string{"--memory"}, flags...) // the given flags may override it
	c, err := config.Parse(config.ModeStart, flags, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c.Ports, c.TempDir = config.Ports{}, dir
	o.Log = slog.New(slog.DiscardHandler)
	a, err := app.New(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	runApp(t, a)
	return a.Addresses()
}

// runApp runs an app until the test ends, and waits until it is ready.
func runApp(t *testing.T, a *app.App) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-done:
		done <- err
		t.Fatalf("the server ended before it was ready: %v", err)
	}
}

// WriteFile writes a file or fails the test.
func WriteFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// WithEmulatorEnv sets the environment variables that connect the SDKs of this process to a server, as in CI.
func WithEmulatorEnv(t *testing.T, a app.Addresses) {
	t.Helper()
	t.Setenv("FIRESTORE_EMULATOR_HOST", a.Firestore)
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", a.Auth)
	t.Setenv("GCLOUD_PROJECT", Project)
}
