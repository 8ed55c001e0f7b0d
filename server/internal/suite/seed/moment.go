package seed

import (
	"strconv"
	"time"

	"clave/server/internal/base/pattern"
)

// momentForm matches the forms of a moment that is relative to the time at which a seed is applied.
var momentForm = pattern.New(`^(now|today|month)?((?:[+-]\d{1,6}(?:mo|y|w|d|h|m|s))*)(?: (\d{2}):(\d{2})(?::(\d{2}))?)?$`)

// offsetForm matches one offset of a moment.
var offsetForm = pattern.New(`([+-]\d+)(mo|y|w|d|h|m|s)`)

// momentHelp describes the forms of a moment in messages.
const momentHelp = `write 2027-05-01T10:00:00Z, "2027-05-01 10:00", "now", "-3h", "today+2d 19:30" or "month+1mo+4d"`

// absoluteForms are the layouts of moments that are not relative.
var absoluteForms = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// moment returns the time that a text describes, in the zone of now:
//
//	2027-05-01T10:00:00Z    an absolute time
//	2027-05-01 10:00        an absolute time in the zone
//	now, -3h, +2d           the time at which the seed is applied, and times before and after it
//	today+2d 19:30          19:30 two days from today; midnight without a time
//	month+1mo+4d 18:00      18:00 on the fifth of next month
//
// near is set if the time depends on the second at which the seed is applied. ok is false if the text is no moment, or
// outside of the years 1 to 9999. A day beyond the end of its month is the month's last day.
func moment(text string, now time.Time) (at time.Time, near, ok bool) {
	for _, layout := range absoluteForms {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, false, at.UTC().Year() >= 1 && at.UTC().Year() <= 9999
		}
	}
	m := momentForm.FindStringSubmatch(text)
	if m == nil || text == "" {
		return at, false, false
	}
	near, at = (m[1] == "" || m[1] == "now") && m[3] == "", now
	year, month, day := now.Date()
	switch m[1] {
	case "today":
		at = time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	case "month":
		at = time.Date(year, month, 1, 0, 0, 0, 0, now.Location())
	}
	for _, offset := range offsetForm.FindAllStringSubmatch(m[2], -1) {
		n, err := strconv.Atoi(offset[1])
		if err != nil {
			return at, false, false
		}
		at = shift(at, n, offset[2])
		if at.Year() < 1 || at.Year() > 9999 {
			return at, false, false
		}
	}
	if m[3] != "" {
		clock := [3]int{}
		for i := range clock {
			clock[i], _ = strconv.Atoi(m[3+i]) // digits, or nothing
		}
		if clock[0] > 23 || clock[1] > 59 || clock[2] > 59 {
			return at, false, false
		}
		year, month, day = at.Date()
		at = time.Date(year, month, day, clock[0], clock[1], clock[2], 0, now.Location())
	}
	utc := at.UTC().Year()
	return at, near, utc >= 1 && utc <= 9999
}

// shift returns a time n units later.
func shift(at time.Time, n int, unit string) time.Time {
	switch unit {
	case "y":
		return addMonths(at, 12*n)
	case "mo":
		return addMonths(at, n)
	case "w":
		return at.AddDate(0, 0, 7*n)
	case "d":
		return at.AddDate(0, 0, n)
	case "h":
		return at.Add(time.Duration(n) * time.Hour)
	case "m":
		return at.Add(time.Duration(n) * time.Minute)
	default:
		return at.Add(time.Duration(n) * time.Second)
	}
}

// addMonths returns a time n months later. A day that the month does not have becomes its last.
func addMonths(at time.Time, n int) time.Time {
	year, month, day := at.Date()
	last := time.Date(year, month+time.Month(n)+1, 0, 0, 0, 0, 0, at.Location()).Day()
	hour, minute, second := at.Clock()
	return time.Date(year, month+time.Month(n), min(day, last), hour, minute, second, at.Nanosecond(), at.Location())
}
