package audit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/audit"
)

// open opens a log or fails the test.
func open(t *testing.T, path string) *audit.Log {
	t.Helper()
	l, err := audit.Open(audit.Options{Path: path, Clock: clocktest.NewManual(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// methods returns the numbers and methods of a page of entries, newest first.
func methods(t *testing.T, l *audit.Log, limit int, before int64) (string, bool) {
	t.Helper()
	entries, more, err := l.Read(limit, before)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%d:%s", e.N, e.Method))
	}
	return strings.Join(all, " "), more
}

// TestPages reads pages of a log that is longer than one chunk, from a file and from memory.
func TestPages(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "console", "audit.jsonl")} {
		l := open(t, path)
		for i := range 2000 {
			l.Add(audit.Entry{Method: fmt.Sprint("m", i+1), Targets: []string{strings.Repeat("x", 100)}}, nil)
		}
		for _, tt := range []struct {
			limit  int
			before int64
			want   string
			more   bool
		}{
			{3, 0, "2000:m2000 1999:m1999 1998:m1998", true},
			{2, 1000, "999:m999 998:m998", true},
			{5, 3, "2:m2 1:m1", false},
			{1, 9999, "2000:m2000", true},
			{5, 1, "", false},
		} {
			if got, more := methods(t, l, tt.limit, tt.before); got != tt.want || more != tt.more {
				t.Errorf("%q: %d entries before %d: %q, %t; want %q, %t", path, tt.limit, tt.before, got, more, tt.want, tt.more)
			}
		}
		if all, _, _ := l.Read(5000, 0); len(all) != 2000 {
			t.Errorf("%q: %d entries, want 2000", path, len(all))
		}
	}
}

// TestALineCutOffByACrash appends to a file whose last line is incomplete.
func TestALineCutOffByACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	first := open(t, path)
	first.Add(audit.Entry{Method: "whole"}, errors.New("a bug"))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"method": "cu`...), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	l.Add(audit.Entry{Method: "next"}, fault.E(fault.NotFound, "no"))
	if got, _ := methods(t, l, 9, 0); got != "3:next 2: 1:whole" {
		t.Errorf("the log is %q", got)
	}
	entries, _, _ := l.Read(9, 0)
	if entries[0].Result != "NOT_FOUND" || entries[2].Result != "INTERNAL" {
		t.Errorf("the results are %q and %q", entries[0].Result, entries[2].Result)
	}
}

// TestUnwritableLog uses a log whose file cannot be written. No further change may be made.
func TestUnwritableLog(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "audit.jsonl"))
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil { // simulates a disk that fails
		t.Fatal(err)
	}
	l.Add(audit.Entry{Method: "lost"}, nil)
	if err := l.Ready(); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("after an entry that could not be written: %v, want FailedPrecondition", err)
	}
}

// TestAChangeOfAKilledProcess begins three changes, ends one and opens the log again. The others must be in it once,
// with an unknown result.
func TestAChangeOfAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "console", "audit.jsonl")
	first := open(t, path)
	first.Begin(audit.Entry{Method: "recursive delete", Targets: []string{"delete a"}, Count: 7})
	first.Begin(audit.Entry{Method: "ended"})(nil)
	first.Begin(audit.Entry{Method: "Commit"})
	for range 2 {
		l := open(t, path)
		entries, _, err := l.Read(10, 0)
		if err != nil || len(entries) != 3 {
			t.Fatalf("the log has %v, %v; want three entries", entries, err)
		}
		for i, want := range []string{"Commit UNKNOWN 0 []", "recursive delete UNKNOWN 7 [delete a]", "ended OK 0 []"} {
			if e := entries[i]; fmt.Sprint(e.Method, " ", e.Result, " ", e.Count, " ", e.Targets) != want || e.Time.IsZero() {
				t.Errorf("entry %d is %+v, want %s", e.N, e, want)
			}
		}
		l.Begin(audit.Entry{Method: "Commit"})
		if left, err := filepath.Glob(path + ".begun"); err != nil || len(left) != 1 {
			t.Errorf("during a change there are %v, %v", left, err)
		}
		if err := os.Remove(path + ".begun"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoChangeIsInProgress checks that the file of changes in progress is removed, and that one with other content is
// ignored.
func TestNoChangeIsInProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, path)
	one, other := l.Begin(audit.Entry{Method: "one"}), l.Begin(audit.Entry{Method: "other"})
	other(errors.New("failed"))
	one(nil)
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("after the changes there are %v, %v", left, err)
	}
	if err := os.WriteFile(path+".begun", []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := methods(t, open(t, path), 10, 0); got != "2:one 1:other" {
		t.Errorf("with a damaged file the log has %s", got)
	}
}
