package seed

import (
	"testing"
	"time"
)

// TestMoments evaluates moments at a Friday noon in Madrid.
func TestMoments(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Skipf("skipped: no time zones on this machine: %v", err)
	}
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, zone)
	for _, c := range []struct {
		text, want string
		near       bool
	}{
		{"2027-05-01T10:00:00Z", "2027-05-01T10:00:00Z", false},
		{"2027-05-01T10:00:00.5+02:00", "2027-05-01T08:00:00.5Z", false},
		{"2027-05-01 10:00", "2027-05-01T08:00:00Z", false},
		{"2027-05-01", "2027-04-30T22:00:00Z", false},
		{"now", "2026-11-27T11:00:00Z", true},
		{"-3h", "2026-11-27T08:00:00Z", true},
		{"+2d", "2026-11-29T11:00:00Z", true},
		{"+2d 19:30", "2026-11-29T18:30:00Z", false},
		{"today", "2026-11-26T23:00:00Z", false},
		{"today-1d 08:00", "2026-11-26T07:00:00Z", false},
		{"today+1w+30m", "2026-12-03T23:30:00Z", false},
		{"month+1mo+4d 18:00", "2026-12-05T17:00:00Z", false},
		{"2026", "", false}, {"", "", false}, {"2d", "", false}, {"today 24:00", "", false}, {"+8000y", "", false}, {"-3000y", "", false},
		{"+1h2", "", false}, {"today+1", "", false}, {"0000-01-01", "", false},
	} {
		at, near, ok := moment(c.text, now)
		got := ""
		if ok {
			got = at.UTC().Format(time.RFC3339Nano)
		}
		if got != c.want || near != c.near {
			t.Errorf("moment(%q) = %q, near %v, want %q, %v", c.text, got, near, c.want, c.near)
		}
	}
	if at, _, _ := moment("2027-01-31", now); addMonths(at, 1).Day() != 28 {
		t.Errorf("a month after January 31 is %v, want the last day of February", addMonths(at, 1))
	}
}
