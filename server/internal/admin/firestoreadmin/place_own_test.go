package firestoreadmin

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
)

// TestReasonsAreLogged expects the reasons of failed transfers in the log, and not in the texts for clients.
func TestReasonsAreLogged(t *testing.T) {
	a := &API{o: Options{Exports: "/var/exports"}}
	denied := errors.New("the key is denied")
	for text, err := range map[string]error{
		"it can't be used":    errors.Join(fault.Wrap(denied, fault.Unavailable, "it can't be used"), nil),
		"gs://a/b is damaged": fault.Wrap(denied, fault.DataLoss, "/var/exports/a/b is damaged"),
	} {
		var log bytes.Buffer
		named := a.named(err)
		slog.New(slog.NewTextHandler(&log, nil)).Error("failed", "error", named)
		if got := fault.FromError(named).Message; got != text || !errors.Is(named, denied) {
			t.Errorf("named(%v) has the text %q, want %q", err, got, text)
		}
		if !strings.Contains(log.String(), "the key is denied") {
			t.Errorf("the log of %q lacks its reason: %s", text, &log)
		}
	}
}
