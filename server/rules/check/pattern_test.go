package check_test

import (
	"testing"

	"clave/server/rules/check"
)

func TestWholePattern(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a|ab", "ab", true}, {"a|b", "ab", false}, {"", "", true}, {"", "a", false}, {"(?i)a", "A", true}, {"^a$", "a", true},
		{`\Qa.c`, "a.c", true}, {`\Qa.c`, "abc", false}, {`\Qa.c\E+`, "a.ccc", true}, {"(?m)^a$.*", "a\nb", false}, {".", "\n", false},
		{`\0`, "\x00", true}, {`\011`, "\t", true},
	} {
		re, err := check.WholePattern(c.pattern)
		if err != nil {
			t.Errorf("WholePattern(%q): %v", c.pattern, err)
		} else if got := re.MatchString(c.text); got != c.want {
			t.Errorf("%q matches %q: %t, want %t", c.pattern, c.text, got, c.want)
		}
	}
	for _, bad := range []string{"(", "a)(b", "a(?=b)", `\1`, "[", "a{1001}", "a++", `\C`} {
		if _, err := check.WholePattern(bad); err == nil {
			t.Errorf("WholePattern(%q): no error", bad)
		}
	}
}
