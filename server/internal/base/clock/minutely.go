package clock

import "time"

// minute is the time between the lines of a Minutely.
const minute = time.Minute

// Minutely limits lines, such as warnings of the log, about something that lasts or comes again and again: the first is
// written, and one a minute after it. Its zero value is ready. It is for one goroutine at a time.
type Minutely struct {
	lasts bool
	// last is the time of the last line.
	last time.Time
}

// Due reports whether a line is written at a time, and notes it then.
func (m *Minutely) Due(now time.Time) bool {
	if m.lasts && now.Sub(m.last) < minute {
		return false
	}
	m.lasts, m.last = true, now
	return true
}

// End notes that what the lines are about has ended: the next line is due at once.
func (m *Minutely) End() { m.lasts = false }
