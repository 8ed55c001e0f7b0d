package series

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/base/fault"
)

// Keep says which backups are kept: all of the last 24 hours, the newest one, and of some days, weeks and months, those
// before now that have one, the newest one each. The zero Keep keeps all.
type Keep struct {
	Days, Weeks, Months int
}

// ParseKeep parses a Keep such as 7d,4w,12m.
func ParseKeep(text string) (Keep, error) {
	var k Keep
	counts := map[string]*int{"d": &k.Days, "w": &k.Weeks, "m": &k.Months}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		unit := part[max(0, len(part)-1):]
		n, err := strconv.Atoi(strings.TrimSuffix(part, unit))
		if counts[unit] == nil || *counts[unit] != 0 || err != nil || n < 1 || n > 10_000 {
			return Keep{}, fault.E(fault.InvalidArgument, "%q: expected numbers of days, weeks and months, such as 7d,4w,12m", text)
		}
		*counts[unit] = n
	}
	return k, nil
}

// String returns a Keep as ParseKeep reads it.
func (k Keep) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{k.Days, "d"}, {k.Weeks, "w"}, {k.Months, "m"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+p.unit)
		}
	}
	return strings.Join(parts, ",")
}

// Daily keeps, for a time, the newest backup of each day: of all days, or of a day of the week.
type Daily struct {
	// Weekly is set for those of Day only.
	Weekly bool
	Day    time.Weekday
	For    time.Duration
}

// has reports whether it is about a time.
func (d Daily) has(t time.Time) bool { return !d.Weekly || t.UTC().Weekday() == d.Day }

// Next returns the first beginning of a day after a time that it is about.
func (d Daily) Next(after time.Time) time.Time {
	next := after.UTC().Truncate(24 * time.Hour)
	for {
		if next = next.Add(24 * time.Hour); d.has(next) {
			return next
		}
	}
}

// Expired returns the backups of a list, from the oldest to the newest, that are kept at a time neither by k nor by
// more. Days, weeks and months are those of UTC. A backup from after now, made before a clock was set back, counts like
// any other. Damaged backups are neither counted nor expired.
func (k Keep) Expired(all []Backup, now time.Time, more ...Daily) []Backup {
	if k == (Keep{}) {
		return nil
	}
	newest, _ := Newest(all)
	last := make([]string, len(more))
	periods := []struct {
		left int
		of   func(t time.Time) string
		last string
	}{
		{k.Days, func(t time.Time) string { return t.Format(time.DateOnly) }, ""},
		{k.Weeks, week, ""},
		{k.Months, func(t time.Time) string { return t.Format("2006-01") }, ""},
	}
	var expired []Backup
	for _, b := range slices.Backward(all) {
		if b.Damage != "" {
			continue
		}
		kept := b.Name == newest.Name || now.Sub(b.Time) < 24*time.Hour
		for i := range periods {
			p := &periods[i]
			if of := p.of(b.Time.UTC()); p.left > 0 && of != p.last {
				p.left, p.last, kept = p.left-1, of, true
			}
		}
		for i, d := range more {
			if day := b.Time.UTC().Format(time.DateOnly); d.has(b.Time) && day != last[i] {
				last[i] = day
				kept = kept || now.Sub(b.Time) < d.For
			}
		}
		if !kept {
			expired = append(expired, b)
		}
	}
	slices.Reverse(expired)
	return expired
}

// week returns the name of the week of a time.
func week(t time.Time) string {
	year, n := t.ISOWeek()
	return strconv.Itoa(year) + "-" + strconv.Itoa(n)
}
