package check_test

import (
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"testing"

	"clave/server/internal/rules/check"
)

// compiled compiles a pattern, or returns an error.
func compiled(expr string, whole, literal bool) (*check.Compiled, error) {
	p, err := check.ParsePattern(expr)
	if err != nil {
		return nil, err
	}
	return p.Compile(whole, literal)
}

func TestWholePattern(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a|ab", "ab", true}, {"a|b", "ab", false}, {"", "", true}, {"", "a", false}, {"(?i)a", "A", true}, {"^a$", "a", true},
		{`\Qa.c`, "a.c", true}, {`\Qa.c`, "abc", false}, {`\Qa.c\E+`, "a.ccc", true}, {"(?m)^a$.*", "a\nb", false}, {".", "\n", false},
		{`\0`, "\x00", true}, {`\011`, "\t", true},
	} {
		for _, literal := range []bool{true, false} {
			re, err := compiled(c.pattern, true, literal)
			if err != nil {
				t.Errorf("the pattern %q: %v", c.pattern, err)
			} else if got := re.Whole.MatchString(c.text); got != c.want {
				t.Errorf("%q matches %q: %t, want %t", c.pattern, c.text, got, c.want)
			}
		}
	}
	for _, bad := range []string{"(", "a)(b", "a(?=b)", `\1`, "[", "a{1001}", "a++", `\C`} {
		if _, err := compiled(bad, true, true); err == nil {
			t.Errorf("the pattern %q: no error", bad)
		}
	}
}

// someUses are patterns of all forms, and some that are costly for their size.
var someUses = []string{
	"", "a", "abc", "(?i)abc", "a*", "a+", "a?", "a{3}", "a{2,}", "a{0}", "a{0,0}", "a{2,7}", "(ab|cd|e*)+", "(?:(a)(b)?){20}", `\pL`, `[^\pL\d]{5}`,
	`(?P<x>\PL)|\bx`, "^a$|.|(?s:.)", "[^a]", "((((((a))))))", "(?:){3}", "(?:a?){50}", "(a{30}){30}", "[[:alpha:]]+@[a-z]{1,200}", "(?i)k{9}|[k-z]",
	strings.Repeat("(a?b?){100}", 10), strings.Repeat("a|bc|", 200) + "d",
}

// TestPatternSize compares the figures of patterns, which are computed before they are compiled, with their programs.
func TestPatternSize(t *testing.T) {
	for _, expr := range someUses {
		p, err := check.ParsePattern(expr)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(tree.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, inst := range program.Inst {
			size += 1 + len(inst.Rune)/2
		}
		if n := len(program.Inst); p.Instructions < n || p.Instructions > 3*n+20 {
			t.Errorf("%.40q: %d instructions, want about %d", expr, p.Instructions, n)
		}
		if p.Size < size-program.NumCap || p.Size > 3*size+20 {
			t.Errorf("%.40q: the size is %d, want about %d", expr, p.Size, size)
		}
		if re := regexp.MustCompile(expr); re.NumSubexp() != p.Groups || re.SubexpIndex("x") != p.Group("x") || p.Group("") != -1 {
			t.Errorf("%.40q: %d groups, want %d", expr, p.Groups, re.NumSubexp())
		}
	}
	for expr, want := range map[string]int{"": 0, "a": 1, "a|bcd": 3, "a?": 1, "(ab){4}": 1, "ab{0,9}": 10, "a*": check.Unlimited, "(?:a{900}){1}|b*": check.Unlimited, "(?:)*": 0} {
		if p, err := check.ParsePattern(expr); err != nil || p.Overrun != want {
			t.Errorf("%q may overrun a match by %d, %v; want %d", expr, p.Overrun, err, want)
		}
	}
}

// TestParseCost checks the cost of patterns against the memory that parsing and compiling them takes: a byte or more
// for each two steps.
func TestParseCost(t *testing.T) {
	last := string(rune(0x1e942))
	for _, unit := range []string{
		`\pL`, `\PL`, `\p{Cn}`, `\pL|`, `[^\pL]`, `(\pL)`, `\pL?`, "(a)", "()", "a*", "(?i:k|sx)", `\w`, "[[:^alpha:]]", "[^a]", "a|bc|",
	} {
		expr := strings.Repeat(unit, 4096/len(unit)) + "z"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := compiled(expr, true, false); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if took, cost := after.TotalAlloc-before.TotalAlloc, check.ParseCost(expr); took > 10*uint64(cost) {
			t.Errorf("%d times %s: the cost is %d, but %d bytes were taken", 4096/len(unit), unit, cost, took)
		}
	}
	for expr, want := range map[string][2]int{
		"[a-z]+@[a-z]+":              {1000, 5000},
		"(?i)[a-z]+@[a-z]+":          {1000, 10_000},
		"(?i)[a-z0-9._-]+":           {1000, 10_000},
		`(?P<id>[A-` + last + `])`:   {1000, 5000},
		`(?i)[A-` + last + `]`:       {500_000, 2_000_000},
		`(?s-i:x)(?mi)[A-\x{1E942}]`: {500_000, 2_000_000},
		`\pL\PN`:                     {60_000, 80_000},
	} {
		if got := check.ParseCost(expr); got < want[0] || got > want[1] {
			t.Errorf("%q: the cost is %d, want %v", expr, got, want)
		}
	}
}
