package series_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/backup/series"
)

// backupsAt returns backups of the given times in UTC, such as 11-26T12.
func backupsAt(t *testing.T, times ...string) []series.Backup {
	t.Helper()
	var all []series.Backup
	for _, text := range times {
		name, damaged := strings.CutSuffix(text, "!")
		at, err := time.Parse("2006-01-02T15", "2026-"+name)
		if err != nil {
			t.Fatal(err)
		}
		b := series.Backup{Name: name, Time: at}
		if damaged {
			b.Damage = "damaged"
		}
		all = append(all, b)
	}
	return all
}

// TestExpired decides which backups are kept on Thursday, November 26, 2026, at noon.
func TestExpired(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, keep, all, want string
	}{
		{"nothing without periods", "", "01-01T00 11-26T11", ""},
		{"all of the last 24 hours", "1d", "11-25T13 11-25T18 11-26T00 11-26T06 11-26T11", ""},
		{"the newest of each day", "3d", "11-22T18 11-23T12 11-23T18 11-24T12 11-24T18 11-26T11", "11-22T18 11-23T12 11-24T12"},
		{"days without a backup do not count", "2d", "11-01T12 11-02T12 11-26T11", "11-01T12"},
		{"the newest of each week, from Monday", "2w", "11-15T23 11-16T00 11-22T23 11-23T00 11-26T11", "11-15T23 11-16T00 11-23T00"},
		{"the newest of each month", "3m", "08-31T23 09-01T00 09-30T23 10-01T00 10-31T23 11-01T00 11-26T11", "08-31T23 09-01T00 10-01T00 11-01T00"},
		{"the first week of a year", "2w", "01-01T00 01-04T23 01-05T00 01-05T01", "01-01T00 01-05T00"},
		{"all periods together", "1d,2w,2m", "09-30T00 10-30T00 11-10T00 11-20T00 11-24T00 11-26T11", "09-30T00 11-10T00 11-24T00"},
		{"the newest one, however old", "1d", "02-01T00 02-01T01", "02-01T00"},
		{"backups from after now", "1d", "11-20T00 11-26T11 12-01T00", "11-20T00"},
		{"damaged ones are neither counted nor removed", "1d", "11-10T00 11-10T01! 11-20T00 11-22T00!", "11-10T00"},
		{"no backups", "1d", "", ""},
	} {
		keep := series.Keep{}
		if tt.keep != "" {
			var err error
			if keep, err = series.ParseKeep(tt.keep); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, b := range keep.Expired(backupsAt(t, strings.Fields(tt.all)...), now) {
			got = append(got, b.Name)
		}
		if !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s: with %s of %s, %v expire; want %s", tt.name, tt.keep, tt.all, got, tt.want)
		}
	}
}

// TestParseKeep parses periods, and refuses texts that are none.
func TestParseKeep(t *testing.T) {
	for text, want := range map[string]series.Keep{
		"7d,4w,12m": {Days: 7, Weeks: 4, Months: 12}, "1m": {Months: 1}, "2w, 1d": {Days: 1, Weeks: 2},
		"": {}, "7": {}, "d": {}, "0d": {}, "-1d": {}, "7d,7d": {}, "7y": {}, "7d,": {}, "1.5d": {}, "99999999999999999999d": {}, "7d4w": {},
	} {
		got, err := series.ParseKeep(text)
		if got != want || (err != nil) != (want == series.Keep{}) {
			t.Errorf("ParseKeep(%q) = %v, %v; want %v", text, got, err, want)
		}
		if again, err := series.ParseKeep(got.String()); got != (series.Keep{}) && (again != got || err != nil) {
			t.Errorf("ParseKeep(%q) = %v, %v; want %v", got, again, err, got)
		}
	}
}

// TestDaily decides which backups are kept by schedules beside a day of the flags, on Thursday, November 26, 2026, at
// noon, and when the next backups of schedules are due.
func TestDaily(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	monday := series.Daily{Weekly: true, Day: time.Monday, For: 28 * day}
	for _, tt := range []struct {
		name      string
		more      []series.Daily
		all, want string
	}{
		{"no schedule", nil, "11-22T12 11-23T12 11-24T12 11-26T11", "11-22T12 11-23T12 11-24T12"},
		{"the newest of each day for a time", []series.Daily{{For: 4 * day}}, "11-22T11 11-22T13 11-23T12 11-23T18 11-24T12 11-26T11", "11-22T11 11-23T12"},
		{"the newest of each Monday for a time", []series.Daily{monday}, "10-26T18 11-02T18 11-09T06 11-09T18 11-10T18 11-24T12 11-26T11", "10-26T18 11-09T06 11-10T18 11-24T12"},
		{"both", []series.Daily{{For: 3 * day}, monday}, "11-02T18 11-09T18 11-10T18 11-24T11 11-24T12 11-26T11", "11-10T18 11-24T11"},
		{"damaged ones are not counted", []series.Daily{{For: 4 * day}}, "11-24T12 11-24T13! 11-26T11", ""},
	} {
		var got []string
		for _, b := range (series.Keep{Days: 1}).Expired(backupsAt(t, strings.Fields(tt.all)...), now, tt.more...) {
			got = append(got, b.Name)
		}
		if want := strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("%s: removed are %q, want %q", tt.name, got, want)
		}
	}
	if got := (series.Daily{}).Next(now); !got.Equal(time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the next day begins at %s", got)
	}
	if got := monday.Next(now); !got.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the next Monday begins at %s", got)
	}
	if got := monday.Next(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)); !got.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the Monday after the beginning of one begins at %s", got)
	}
}
