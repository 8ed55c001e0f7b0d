package console

import "time"

// timeText formats a time for the API: RFC 3339 in UTC with microseconds.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// optionalTime returns the text of a time; empty if it is zero.
func optionalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timeText(t)
}
