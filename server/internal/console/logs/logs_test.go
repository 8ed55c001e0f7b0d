package logs_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"clave/server/internal/console/logs"
)

func TestLinesAreKeptAndPassedOn(t *testing.T) {
	var out bytes.Buffer
	ring := &logs.Ring{}
	log := slog.New(logs.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn}), ring)).With("part", "x")
	log.Debug("small")
	log.Info("usual", "n", 1)
	log.WithGroup("g").Error("bad", "file", "A.txt")
	if text := out.String(); strings.Contains(text, "usual") || !strings.Contains(text, "bad") {
		t.Errorf("passed on: %s", text)
	}
	for query, want := range map[string]int{"": 2, "a.TXT": 1, "part=x": 2, "absent": 0} {
		if lines, last := ring.Read(0, slog.LevelInfo, query); len(lines) != want || last != 2 {
			t.Errorf("lines with %q: %v, %d", query, lines, last)
		}
	}
	if lines, _ := ring.Read(0, slog.LevelError, ""); len(lines) != 1 || lines[0].Attrs["g.file"] != "A.txt" {
		t.Errorf("errors: %v", lines)
	}
	for i := range 3000 {
		log.Info(fmt.Sprint(i))
	}
	if lines, last := ring.Read(3000, slog.LevelInfo, ""); len(lines) != 2 || last != 3002 {
		t.Errorf("after 3000: %v, %d", lines, last)
	}
}
