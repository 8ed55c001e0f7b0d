package console

import "time"

// timeText returns a moment as the API writes it: RFC 3339 in UTC with microseconds.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
