package clock_test

import (
	"testing"
	"time"

	"clave/server/internal/base/clock"
)

// TestMinutely asks for lines during something that lasts, ends and begins again.
func TestMinutely(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var m clock.Minutely
	for _, c := range []struct {
		after time.Duration
		ended bool
		want  bool
	}{
		{after: 0, want: true},
		{after: time.Second, want: false},
		{after: 59 * time.Second, want: false},
		{after: 60 * time.Second, want: true},
		{after: 61 * time.Second, want: false},
		{after: 62 * time.Second, ended: true},
		{after: 63 * time.Second, want: true},
		{after: 64 * time.Second, want: false},
	} {
		if c.ended {
			m.End()
			continue
		}
		if got := m.Due(start.Add(c.after)); got != c.want {
			t.Errorf("a line after %v is due: %t, want %t", c.after, got, c.want)
		}
	}
}
