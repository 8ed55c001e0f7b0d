package seed

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// zone is the foundation's time zone, America/Santo_Domingo: four hours behind UTC all year. It is a constant, so that
// no time zone database is needed.
var zone = time.FixedZone("America/Santo_Domingo", -4*60*60)

// moments matches the forms of a time.
var moments = regexp.MustCompile(`^(today|month)(?:([+-])(\d{1,3}))?(?:/(\d{1,2}))?(?: (\d{2}):(\d{2}))?$`)

// Moment returns the time that a text describes, relative to now:
//
//	today+3 19:30       19:30, three days from today
//	today-2             two days ago, at midnight
//	month+1/05 18:00    the fifth of next month, at 18:00
//	2027-11-20 19:00    an absolute time
//
// Days and hours are in the foundation's time zone. A day beyond the end of its month is the month's last day.
func Moment(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	m := moments.FindStringSubmatch(text)
	if m == nil || (m[1] == "month") != (m[4] != "") {
		return time.Time{}, fmt.Errorf("%q is not a moment: write today+N HH:MM, month+N/DD HH:MM or yyyy-mm-dd HH:MM", text)
	}
	distance, day, hour, minute := number(m[3]), number(m[4]), number(m[5]), number(m[6])
	if m[2] == "-" {
		distance = -distance
	}
	if hour > 23 || minute > 59 || (m[1] == "month" && (day < 1 || day > 31)) {
		return time.Time{}, fmt.Errorf("%q is not a moment: no such day or hour", text)
	}
	y, mo, d := now.In(zone).Date()
	if m[1] == "today" {
		return time.Date(y, mo, d+distance, hour, minute, 0, 0, zone), nil
	}
	last := time.Date(y, mo+time.Month(distance)+1, 0, 0, 0, 0, 0, zone).Day()
	return time.Date(y, mo+time.Month(distance), min(day, last), hour, minute, 0, 0, zone), nil
}

// number parses digits; an empty text is zero.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
