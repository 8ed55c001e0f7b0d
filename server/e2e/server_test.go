package e2e

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"clave/server/app"
	"clave/server/config"
)

// project is the project of all tests in this package; each test uses collections of its own or a fresh database.
const project = "demo-e2e"

// start runs a whole server in memory on free ports until the test ends. The files are written beside its
// firebase.json, which may be one of them.
func start(t *testing.T, files map[string]string, flags ...string) app.Addresses {
	t.Helper()
	return startWith(t, app.Options{}, files, flags...)
}

// startWith is start with options of the app.
func startWith(t *testing.T, o app.Options, files map[string]string, flags ...string) app.Addresses {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files["firebase.json"]; !ok {
		writeFile(t, filepath.Join(dir, "firebase.json"), "{}")
	}
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	flags = append([]string{"--config", filepath.Join(dir, "firebase.json"), "--project", project}, flags...)
	if os.Getenv(nodesVariable) != "" && o == (app.Options{}) {
		return startNodes(t, dir, flags)
	}
	flags = append([]string{"--memory"}, flags...) // which they may take back
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

// writeFile writes a file or fails the test.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withEmulatorEnv points the SDKs of this process at a server, as CI would.
func withEmulatorEnv(t *testing.T, a app.Addresses) {
	t.Helper()
	t.Setenv("FIRESTORE_EMULATOR_HOST", a.Firestore)
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", a.Auth)
	t.Setenv("GCLOUD_PROJECT", project)
}
