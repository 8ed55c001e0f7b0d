package check

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// WholePattern compiles a regular expression that matches whole strings only.
func WholePattern(pattern string) (*regexp.Regexp, error) {
	re, err := syntax.Parse(pattern, syntax.Perl) // so that a)(b is refused, though it is one in parentheses
	if err != nil {
		return nil, err
	}
	text := pattern
	if i := strings.LastIndex(text, `\Q`); i >= 0 && !strings.Contains(text[i:], `\E`) {
		text = re.String() // a quotation that is not closed would swallow what follows
	}
	return regexp.Compile(`\A(?:` + text + `)\z`)
}
