package check

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// WholePattern compiles a regular expression that matches whole strings only.
func WholePattern(pattern string) (*regexp.Regexp, error) {
	re, err := syntax.Parse(pattern, syntax.Perl) // refuses a)(b, which would be valid in parentheses
	if err != nil {
		return nil, err
	}
	text := pattern
	if i := strings.LastIndex(text, `\Q`); i >= 0 && !strings.Contains(text[i:], `\E`) {
		text = re.String() // an unclosed quotation would include the text that follows
	}
	return regexp.Compile(`\A(?:` + text + `)\z`)
}
