package seed_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"clave/server/backoffice/seed"
)

// lateSunday is 31 January 2027, 22:00 in Santo Domingo; in UTC it is already February.
var lateSunday = time.Date(2027, 2, 1, 2, 0, 0, 0, time.UTC)

func TestMoment(t *testing.T) {
	tests := []struct{ in, want string }{
		{"today", "2027-01-31T00:00:00-04:00"},
		{"2027-11-20 19:00", "2027-11-20T19:00:00-04:00"},
		{"2027-11-20", "2027-11-20T00:00:00-04:00"},
		{"2027-02-30", "error"},
		{"2027-11-20 24:00", "error"},
		{"today 08:05", "2027-01-31T08:05:00-04:00"},
		{"today+1 19:30", "2027-02-01T19:30:00-04:00"},
		{"today-31 00:00", "2026-12-31T00:00:00-04:00"},
		{"month/15", "2027-01-15T00:00:00-04:00"},
		{"month+1/31 18:00", "2027-02-28T18:00:00-04:00"},
		{"month-1/05 09:00", "2026-12-05T09:00:00-04:00"},
		{"month+13/29", "2028-02-29T00:00:00-04:00"},
		{"", "error"},
		{"tomorrow", "error"},
		{"month 18:00", "error"},
		{"today/05", "error"},
		{"month/00", "error"},
		{"month/32", "error"},
		{"today 24:00", "error"},
		{"today 23:60", "error"},
		{"today 8:00", "error"},
		{"today+3 19:30 ", "error"},
	}
	for _, tt := range tests {
		got := "error"
		if at, err := seed.Moment(tt.in, lateSunday); err == nil {
			got = at.Format(time.RFC3339)
		}
		if got != tt.want {
			t.Errorf("Moment(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

// FuzzMoment checks that no text causes a panic or a time more than a thousand months away.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"today+3 19:30", "month-1/05 09:00", "today", "month+999/31 23:59", "today+"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := seed.Moment(text, lateSunday)
		if err != nil {
			return
		}
		if d := at.Sub(lateSunday).Abs(); d > 1001*31*24*time.Hour {
			t.Errorf("Moment(%q) = %v", text, at)
		}
	})
}

// file creates a file of the given text.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestLoadConvertsValues(t *testing.T) {
	data, err := seed.Load(t.Context(), fstest.MapFS{
		"README.md": file("not data"),
		"documents/a.json": file(`{"collection": "A b", "documents": {
			"two": {"n": 7, "x": 7.0, "e": 1e3, "t": "s", "b": true, "z": null, "list": [1, {"$date": "today+1"}]},
			"one": {"at": {"$timestamp": "today 10:00"}, "map": {"in": {"$date": "month/1"}}}
		}}`),
	}, lateSunday)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`A b/one map[at:2027-01-31 10:00:00 -0400 America/Santo_Domingo map:map[in:2027-01-01]]`,
		`A b/two map[b:true e:1000 list:[1 2027-02-01] n:7 t:s x:7 z:<nil>]`,
	}
	for i, d := range data.Documents {
		if got := fmt.Sprint(d.Path, " ", d.Fields); i >= len(want) || got != want[i] {
			t.Errorf("document %d = %s, want %s", i, got, want[min(i, len(want)-1)])
		}
	}
	two := data.Documents[1].Fields
	if _, ok := two["n"].(int64); !ok {
		t.Errorf("7 became %T, want int64", two["n"])
	}
	if _, ok := two["x"].(float64); !ok {
		t.Errorf("7.0 became %T, want float64", two["x"])
	}
}

func TestLoadReportsAllProblems(t *testing.T) {
	_, err := seed.Load(t.Context(), fstest.MapFS{
		"accounts.json":        file(`[{"uid": "a", "email": "a@b.do"}]`),
		"documents/bad.json":   file(`{"collection": "A", "documents": {"x": {"at": {"$timestamp": "soon"}}}}`),
		"documents/key.json":   file(`{"collection": "A", "documents": {"x": {"at": {"$geo": 1}}}}`),
		"documents/name.json":  file(`{"collection": "A/b", "documents": {}}`),
		"documents/other.json": file(`{"collection": "A", "rows": {}}`),
		"documents/tail.json":  file(`{"collection": "A", "documents": {}} {}`),
		"documents/text.json":  file(`hello`),
	}, lateSunday)
	got := fmt.Sprint(err)
	for _, want := range []string{
		"accounts.json: account 1 needs uid, email and password",
		`bad.json: document x: at: "soon" is not a moment`,
		"key.json: document x: at: $geo: unknown",
		`name.json: "A/b" is not a collection`,
		"other.json: json: unknown field",
		"tail.json: there is text",
		"text.json: invalid character",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("Load's error misses %q:\n%s", want, got)
		}
	}
}

// TestDemonstration checks that the demonstration data can be loaded on every day of a year.
func TestDemonstration(t *testing.T) {
	files := os.DirFS("../../../emulator-config")
	for day := range 366 {
		now := lateSunday.AddDate(0, 0, day)
		data, err := seed.Load(t.Context(), files, now)
		if err != nil {
			t.Fatalf("%v: %v", now, err)
		}
		upcoming := 0
		for _, d := range data.Documents {
			if at, ok := d.Fields["eventDate"].(time.Time); ok && at.After(now) {
				upcoming++
			}
			if strings.HasPrefix(d.Path, "NewsletterAddresses/") {
				continue // They have no createdAt.
			}
			if at, ok := d.Fields["createdAt"].(time.Time); !ok || at.After(now) {
				t.Fatalf("%v: %s was made at %v", now, d.Path, d.Fields["createdAt"])
			}
		}
		if upcoming < 3 {
			t.Fatalf("%v: %d events to come, want 3 for the home page", now, upcoming)
		}
	}
}
