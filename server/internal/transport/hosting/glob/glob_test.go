package glob

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
	"time"
)

// minimatch has the paths that each glob matches according to minimatch.
//
//go:embed testdata/minimatch.txt
var minimatch string

// TestMatchesAsMinimatch compares the matches of globs with those that minimatch found.
func TestMatchesAsMinimatch(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(minimatch), "\n")[1:]
	paths := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		pattern, list, _ := strings.Cut(line, ": ")
		want := strings.Fields(list)
		g, err := Parse(pattern, false)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for _, p := range paths {
			if got := g.Match(p); got != slices.Contains(want, p) {
				t.Errorf("%s matches %s: %v, want %v", pattern, p, got, !got)
			}
		}
	}
}

// TestDots checks the patterns of ignored files, whose wildcards match a dot at the beginning of a segment.
func TestDots(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/.*", "/.env", true},
		{"**/.*", "/a/.b", true},
		{"**/.*", "/.git/config", false},
		{"**/.*/**", "/.git/config", true},
		{"**/node_modules/**", "/a/.b/node_modules/.bin/x", true},
		{"**", "/.env", true},
		{"*", "/.env", true},
		{"@(*|b)", "/.env", true},
		{"firebase.json", "/firebase.json", true},
		{"firebase.json", "/a/firebase.json", false},
	} {
		g, err := Parse(tt.pattern, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Match(tt.path); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

// TestRefuses parses patterns that are not supported.
func TestRefuses(t *testing.T) {
	for _, pattern := range []string{
		"/{1..3}", "/*(a*(b))", "/+(a|@(+(b)))", "/" + strings.Repeat("@(a", 7) + strings.Repeat(")", 7), strings.Repeat("a", maxPattern+1), "/" + strings.Repeat("{a,b}", 10),
	} {
		if g, err := Parse(pattern, false); err == nil {
			t.Errorf("Parse(%.40s) = %v, want an error", pattern, g)
		}
	}
}

// TestLongPaths matches long paths, which clients choose, with patterns on which a backtracking matcher takes
// exponential or cubic time.
func TestLongPaths(t *testing.T) {
	long := strings.Repeat("a", 60_000)
	deep := strings.Repeat("/a", 30_000)
	start := time.Now()
	for _, pattern := range []string{"/*a*a*a*a*a*b", "/!(*a*a*b)!(*a*c)d", "/**/a/**/a/**/a/**/b", "/*(a|@(a|!(b)))c", "/+(*a|a*)b"} {
		g, err := Parse(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/" + long, deep, "/" + long[:maxRepeated]} {
			if g.Match(path) {
				t.Errorf("%s matches %.10s…", pattern, path)
			}
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestClassesOfInvalidText checks that what follows a class is read whole if bytes in the class are not UTF-8. The
// end of the pattern was passed.
func TestClassesOfInvalidText(t *testing.T) {
	for pattern, path := range map[string]string{"+([\xeb\xcd\xa6]x)": "/\xcdx", "[\xeb\xcd\xa6]": "/\xa6", "[\xeb-\xcd]x.js": "/\xcdx.js"} {
		g, err := Parse(pattern, false)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
		} else if !g.Match(path) || g.Match(path+"y") {
			t.Errorf("%q matches %q: %v, and with a y behind it %v", pattern, path, g.Match(path), g.Match(path+"y"))
		}
	}
}

// FuzzMatch parses and matches any patterns and paths. A negated pattern must match exactly the other paths.
func FuzzMatch(f *testing.F) {
	for _, line := range strings.Split(strings.TrimSpace(minimatch), "\n")[2:] {
		pattern, _, _ := strings.Cut(line, ": ")
		f.Add(pattern, "/a/b.js")
	}
	f.Add("+([\xeb\xcd\xa6]", "/\xeb")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 200 || strings.HasPrefix(pattern, "!") {
			return
		}
		g, err := Parse(pattern, false)
		if err != nil {
			return
		}
		other, err := Parse("!"+pattern, false)
		if err != nil {
			t.Fatalf("!%s: %v", pattern, err)
		}
		if g.Match(path) == other.Match(path) {
			t.Errorf("%q and its negation both match, or not, %q", pattern, path)
		}
	})
}
