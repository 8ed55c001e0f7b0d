package config_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
)

// TestClockAhead reads the environment variable in start mode, and refuses it in production.
func TestClockAhead(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": `{"firestore":{"rules":"firestore.rules"}}`})
	parse := func(mode config.Mode, value string, args ...string) (*config.Config, error) {
		env := func(name string) string {
			if name == "CLAVE_CLOCK_AHEAD" {
				return value
			}
			return ""
		}
		return config.Parse(mode, append([]string{"--config", path}, args...), env, io.Discard)
	}
	for value, want := range map[string]time.Duration{"": 0, "5s": 5 * time.Second, "-5s": -5 * time.Second} {
		if c, err := parse(config.ModeStart, value); err != nil || c.ClockAhead != want {
			t.Errorf("Parse with %q = %v, %v; want %v", value, c, err, want)
		}
	}
	if _, err := parse(config.ModeStart, "soon"); err == nil || !strings.Contains(err.Error(), "expected a duration") {
		t.Errorf("Parse of no duration = %v", err)
	}
	if _, err := parse(config.ModeServe, "5s", "--project", "p", "--public-url", "https://p.example.org"); err == nil || !strings.Contains(err.Error(), "clave start only") {
		t.Errorf("Parse in production = %v", err)
	}
}
