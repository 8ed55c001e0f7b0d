package e2e

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

	"clave/server/app"
	"clave/server/config"
)

func TestATakenPortThatNobodyAskedFor(t *testing.T) {
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
		writeFile(t, path, tt.json)
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
			t.Errorf("Firestore listens on %s and said %q, want another port and a word about it", a.Addresses().Firestore, &notices)
		}
		ctx, stop := context.WithCancel(t.Context())
		if err := a.Run(ctx, stop); err != nil {
			t.Errorf("Run = %v", err)
		}
	}
}
