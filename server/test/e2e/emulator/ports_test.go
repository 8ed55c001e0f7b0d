package emulator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app"
	"clave/server/internal/app/config"

	"clave/server/test/e2e/harness"
)

// TestAConfiguredPortIsNotTakenByAnother expects the replacement for a taken default port not to be a port that
// firebase.json assigns to another emulator.
func TestAConfiguredPortIsNotTakenByAnother(t *testing.T) {
	var busy net.Listener
	port := 0
	for range 50 { // tries until two adjacent ports are free
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		port = ln.Addr().(*net.TCPAddr).Port
		if next, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1)); err == nil {
			busy = ln
			next.Close()
			break
		}
	}
	if busy == nil {
		t.Skip("no two free ports beside each other")
	}
	path := filepath.Join(t.TempDir(), "firebase.json")
	harness.WriteFile(t, path, fmt.Sprintf(`{"emulators":{"auth":{"port":%d}}}`, port+1))
	c, err := config.Parse(config.ModeStart, []string{"--config", path, "--memory"}, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c.Ports, c.TempDir = config.Ports{Firestore: port, Auth: c.Ports.Auth}, t.TempDir()
	a, err := app.New(t.Context(), c, app.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	if want := fmt.Sprintf("127.0.0.1:%d", port+1); a.Addresses().Auth != want {
		t.Errorf("Auth listens on %s, want %s", a.Addresses().Auth, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	if err := a.Run(ctx, stop); err != nil {
		t.Errorf("Run = %v", err)
	}
}

// TestManyTakenPorts expects a start if all ports near the default are taken.
func TestManyTakenPorts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "firebase.json")
	harness.WriteFile(t, path, "{}")
	c, err := config.Parse(config.ModeStart, []string{"--config", path, "--memory", "--only", "auth"}, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	for i := 1; i <= 20; i++ {
		// On failure another program has it.
		if ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i)); err == nil {
			defer ln.Close()
		}
	}
	c.Ports, c.TempDir = config.Ports{Auth: port}, t.TempDir()
	a, err := app.New(t.Context(), c, app.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if err := a.Run(ctx, stop); err != nil {
		t.Errorf("Run = %v", err)
	}
}

func TestADefaultPortInUse(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	for _, tt := range []struct {
		json  string
		works bool
	}{
		{"{}", true},
		{fmt.Sprintf(`{"emulators":{"firestore":{"port":%d}}}`, port), false},
	} {
		path := filepath.Join(t.TempDir(), "firebase.json")
		harness.WriteFile(t, path, tt.json)
		c, err := config.Parse(config.ModeStart, []string{"--config", path, "--memory"}, func(string) string { return "" }, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		c.Ports, c.TempDir = config.Ports{Firestore: port}, t.TempDir()
		var notices bytes.Buffer
		a, err := app.New(t.Context(), c, app.Options{Log: slog.New(slog.DiscardHandler), Notices: &notices})
		if (err == nil) != tt.works {
			t.Errorf("firebase.json %s: New = %v, want it to work: %v", tt.json, err, tt.works)
		}
		if err != nil {
			continue
		}
		if a.Addresses().Firestore == busy.Addr().String() || !strings.Contains(notices.String(), fmt.Sprintf("Port %d for firestore is taken", port)) {
			t.Errorf("Firestore listens on %s and wrote %q, want another port and a word about it", a.Addresses().Firestore, &notices)
		}
		ctx, stop := context.WithCancel(t.Context())
		if err := a.Run(ctx, stop); err != nil {
			t.Errorf("Run = %v", err)
		}
	}
}
