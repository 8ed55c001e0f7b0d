package postgres

import (
	"testing"
	"time"
)

func TestOutageIsLoggedOnceAMinute(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var o outage
	for _, c := range []struct {
		after   time.Duration
		success bool
		want    bool
	}{
		{after: 0, want: true},
		{after: time.Second, want: false},
		{after: 59 * time.Second, want: false},
		{after: 60 * time.Second, want: true},
		{after: 61 * time.Second, want: false},
		{after: 62 * time.Second, success: true},
		{after: 63 * time.Second, want: true},
		{after: 64 * time.Second, want: false},
	} {
		if c.success {
			o.ended()
			continue
		}
		if got := o.failed(start.Add(c.after)); got != c.want {
			t.Errorf("a failure after %v is logged: %t, want %t", c.after, got, c.want)
		}
	}
}
