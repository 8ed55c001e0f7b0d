package commands

import (
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/base/fault"
)

// TestEventsOfServersWithoutThem requests the state of events while a server runs on the folder that was started
// without --events.
func TestEventsOfServersWithoutThem(t *testing.T) {
	dir := t.TempDir()
	socket, err := net.Listen("unix", filepath.Join(dir, keyservice.Socket))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	c, o := &config.Config{DataDir: dir}, Options{Log: slog.New(slog.DiscardHandler)}
	if _, err := EventsStatus(t.Context(), c, o); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "without --events") {
		t.Errorf("EventsStatus = %v, want FailedPrecondition that names --events", err)
	}
	if _, err := EventsRetry(t.Context(), c, o, ""); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("EventsRetry = %v, want FailedPrecondition", err)
	}
}
